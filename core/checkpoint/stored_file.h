// A safetensors file of a run, read by calls that can fail (disk_file.h), and the digest that a model's file has of its
// own content.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/disk_file.h"
#include "core/datasets/formats/safetensors_file.h"

namespace dasgd {

class StoredFile {
public:
    // Reads the header. Errors name the file: missing, unreadable, damaged.
    [[nodiscard]] static Result<StoredFile> open(const std::filesystem::path& file);

    // By name.
    [[nodiscard]] const std::vector<TensorEntry>& tensors() const { return header_.tensors; }
    [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
    // The file's bytes, at the positions that tensors() tells.
    [[nodiscard]] const DiskFile& bytes() const { return file_; }

private:
    StoredFile(DiskFile file, SafetensorsHeader header) : file_(std::move(file)), header_(std::move(header)) {}

    DiskFile file_;
    SafetensorsHeader header_;
};

// Key of the metadata that holds contentDigest().
inline constexpr const char* kContentDigest = "sha256";

// SHA-256 over the other metadata, over names, types and shapes of the tensors, and over their bytes in the order of
// their names. The same content gives the same digest, however it is laid out in the file.
[[nodiscard]] std::string contentDigest(std::vector<StoredTensor> tensors, std::map<std::string, std::string> metadata);

// Compares the content of `file` with its digest. False: the file has no digest, as models written before 0.2. Errors
// name the file: unreadable, damaged, its content is not what was written.
[[nodiscard]] Result<bool> checkContent(const std::filesystem::path& file);

// What a user is told of a file without a digest.
[[nodiscard]] std::string uncheckedRemark(const std::filesystem::path& file);

}  // namespace dasgd
