// An archive as a safetensors file: its tensors by name, its integers as texts in the metadata, and beside them, in a
// file of a checkpoint, the run that it is of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/step/archive.h"

namespace dasgd {

// The key of the metadata that names the run; no integer of an archive may have it.
inline constexpr const char* kRunOfFile = "run";

// Digest of the content in the metadata (core/checkpoint/stored_file.h). Files that state.json lists have one there.
enum class FileDigest : std::uint8_t { None, OfContent };

// Durably (core/checkpoint/durable_file.h). Tensors of a device are copied to the host first. `run` is left out where
// it is "". Errors: of the disk; a tensor whose type the format does not know.
[[nodiscard]] Status writeArchive(const std::filesystem::path& file, const Archive& archive,
                                  const std::string& run = {}, FileDigest digest = FileDigest::None);

struct ArchiveOfRun {
    Archive archive;
    std::string run;  // named by the file; "" where it names none
};

// Reads into the host's memory; where `prefixes` are given, only tensors whose names begin with one of them. The digest
// is not compared: checkContent() does that. Errors name the file: missing, unreadable, damaged, an integer that is not
// one. Nothing is allocated for a tensor whose bytes are not there.
[[nodiscard]] Result<ArchiveOfRun> readArchiveOfRun(const std::filesystem::path& file,
                                                    const std::vector<std::string>& prefixes = {});
// Errors: the file names another run than `expected`. Files of format 1, and final models, name none.
[[nodiscard]] Status checkRunOf(const std::filesystem::path& file, const ArchiveOfRun& read,
                                const std::string& expected);
// The archive alone.
[[nodiscard]] Result<Archive> readArchive(const std::filesystem::path& file,
                                          const std::vector<std::string>& prefixes = {});

}  // namespace dasgd
