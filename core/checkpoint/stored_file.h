// A safetensors file of a run, read by calls that can fail (disk_file.h), and the digest that a model's file has of its
// own content.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/disk_file.h"
#include "core/datasets/formats/file_mapping.h"
#include "core/datasets/formats/safetensors_file.h"

namespace dasgd {

class StoredFile {
public:
    // Reads the header. Errors name the file: missing, unreadable, damaged.
    [[nodiscard]] static Result<StoredFile> open(const std::filesystem::path& file);

    // By name. `bytes` gives the size alone; read() reads them.
    [[nodiscard]] const std::vector<StoredTensor>& tensors() const { return tensors_; }
    [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }
    // Reads the bytes from position `from` on of a tensor of tensors(). Errors name the file.
    [[nodiscard]] Status read(const StoredTensor& tensor, std::span<unsigned char> into, std::size_t from = 0) const;

private:
    StoredFile(DiskFile file, std::shared_ptr<const FileMapping> mapping)
        : file_(std::move(file)), mapping_(std::move(mapping)) {}

    DiskFile file_;
    std::shared_ptr<const FileMapping> mapping_;  // tensors' positions lie in it; only the header is read through it
    std::vector<StoredTensor> tensors_;
    std::map<std::string, std::string> metadata_;
};

// Key of the metadata that holds contentDigest().
inline constexpr const char* kContentDigest = "sha256";

// SHA-256 over the other metadata, over names, types and shapes of the tensors, and over their bytes in the order of
// their names. The same content gives the same digest, however it is laid out in the file.
[[nodiscard]] std::string contentDigest(std::vector<StoredTensor> tensors, std::map<std::string, std::string> metadata);

// Compares the content of `file` with its digest. False: the file has no digest, as models written before 0.2. Errors
// name the file: unreadable, damaged, its content is not what was written.
[[nodiscard]] Result<bool> checkContent(const std::filesystem::path& file);

}  // namespace dasgd
