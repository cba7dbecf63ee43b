#include "core/checkpoint/stored_file.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/digest/sha256.h"

namespace dasgd {

namespace {

// `addBytes(hash, tensor)` adds the bytes of a tensor.
template <class Tensor, class AddBytes>
Result<std::string> digestBy(std::vector<Tensor> tensors, std::map<std::string, std::string> metadata,
                             AddBytes addBytes) {
    metadata.erase(kContentDigest);
    std::ranges::sort(tensors, {}, &Tensor::name);
    nlohmann::json head = {{"metadata", metadata}, {"tensors", nlohmann::json::object()}};
    for (const Tensor& tensor : tensors) {
        head["tensors"][tensor.name] = {{"dtype", tensor.type}, {"shape", tensor.shape}};
    }
    Sha256 hash;
    hash.add(head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    for (const Tensor& tensor : tensors) DASGD_TRY(addBytes(hash, tensor));
    return hash.finish();
}

}  // namespace

Result<StoredFile> StoredFile::open(const std::filesystem::path& file) {
    DASGD_ASSIGN(DiskFile disk, DiskFile::open(file));
    std::vector<unsigned char> start(std::min<std::uint64_t>(kSafetensorsLengthBytes, disk.size()));
    DASGD_TRY(disk.read(0, start));
    DASGD_ASSIGN(const std::size_t end, safetensorsHeaderEnd(start, disk.size(), file.string()));
    start.resize(end);
    DASGD_TRY(disk.read(kSafetensorsLengthBytes, std::span(start).subspan(kSafetensorsLengthBytes)));
    DASGD_ASSIGN(SafetensorsHeader header, parseSafetensorsHeader(start, disk.size(), file.string()));
    return StoredFile(std::move(disk), std::move(header));
}

std::string contentDigest(std::vector<StoredTensor> tensors, std::map<std::string, std::string> metadata) {
    const auto addBytes = [](Sha256& hash, const StoredTensor& tensor) -> Status {
        hash.add({reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()});
        return {};
    };
    return digestBy(std::move(tensors), std::move(metadata), addBytes).value();
}

Result<bool> checkContent(const std::filesystem::path& file) {
    DASGD_ASSIGN(const StoredFile stored, StoredFile::open(file));
    const auto written = stored.metadata().find(kContentDigest);
    if (written == stored.metadata().end()) return false;
    const auto addBytes = [&](Sha256& hash, const TensorEntry& tensor) {
        return stored.bytes().addTo(hash, tensor.begin, tensor.end - tensor.begin);
    };
    DASGD_ASSIGN(const std::string found, digestBy(stored.tensors(), stored.metadata(), addBytes));
    if (found == written->second) return true;
    return fail(file.string() + ": is not what was written: the SHA-256 of its content differs from the one in it");
}

std::string uncheckedRemark(const std::filesystem::path& file) {
    return file.string() +
           " was written before models had a digest: whether it is still what was written was not checked";
}

}  // namespace dasgd
