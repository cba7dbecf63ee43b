#include "core/checkpoint/stored_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/sha256.h"

namespace dasgd {

namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 20;

// Reads the header once by calls that can fail, and drops it: the pages through which the mapping shows it are in
// memory then.
Status tryHeader(const DiskFile& file, std::size_t size) {
    std::array<unsigned char, kLengthBytes> length{};
    if (size < length.size()) return {};
    DASGD_TRY(file.read(0, length));
    std::uint64_t headerBytes = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;) headerBytes = headerBytes << 8 | length[i];
    std::vector<unsigned char> piece(kMostAtOnce);
    const std::uint64_t end = kLengthBytes + std::min<std::uint64_t>(headerBytes, size - kLengthBytes);
    for (std::uint64_t at = 0; at < end; at += piece.size()) {
        piece.resize(std::min<std::uint64_t>(piece.size(), end - at));
        DASGD_TRY(file.read(at, piece));
    }
    return {};
}

using AddBytes = std::function<Status(Sha256& hash, const StoredTensor& tensor)>;

Result<std::string> digestBy(std::vector<StoredTensor> tensors, std::map<std::string, std::string> metadata,
                             const AddBytes& addBytes) {
    metadata.erase(kContentDigest);
    std::ranges::sort(tensors, {}, &StoredTensor::name);
    nlohmann::json head = {{"metadata", metadata}, {"tensors", nlohmann::json::object()}};
    for (const StoredTensor& tensor : tensors) {
        head["tensors"][tensor.name] = {{"dtype", tensor.type}, {"shape", tensor.shape}};
    }
    Sha256 hash;
    hash.add(head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    for (const StoredTensor& tensor : tensors) DASGD_TRY(addBytes(hash, tensor));
    return hash.finish();
}

std::string_view asText(std::span<const unsigned char> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<StoredFile> StoredFile::open(const std::filesystem::path& file) {
    DASGD_ASSIGN(auto mapping, FileMapping::open(file));
    DASGD_ASSIGN(DiskFile disk, DiskFile::open(file));
    DASGD_TRY(tryHeader(disk, mapping->bytes().size()));
    StoredFile opened(std::move(disk), std::move(mapping));
    DASGD_ASSIGN(opened.tensors_, readSafetensors(opened.mapping_->bytes(), file.string()));
    DASGD_ASSIGN(opened.metadata_, readSafetensorsMetadata(opened.mapping_->bytes(), file.string()));
    return opened;
}

Status StoredFile::read(const StoredTensor& tensor, std::span<unsigned char> into, std::size_t from) const {
    const auto begin = static_cast<std::uint64_t>(tensor.bytes.data() - mapping_->bytes().data());
    return file_.read(begin + from, into);
}

std::string contentDigest(std::vector<StoredTensor> tensors, std::map<std::string, std::string> metadata) {
    return digestBy(std::move(tensors), std::move(metadata),
                    [](Sha256& hash, const StoredTensor& tensor) -> Status {
                        hash.add(asText(tensor.bytes));
                        return {};
                    })
        .value();
}

Result<bool> checkContent(const std::filesystem::path& file) {
    DASGD_ASSIGN(const StoredFile stored, StoredFile::open(file));
    const auto written = stored.metadata().find(kContentDigest);
    if (written == stored.metadata().end()) return false;
    std::vector<unsigned char> piece;
    const auto addBytes = [&](Sha256& hash, const StoredTensor& tensor) -> Status {
        for (std::size_t at = 0; at < tensor.bytes.size(); at += piece.size()) {
            piece.resize(std::min(kMostAtOnce, tensor.bytes.size() - at));
            DASGD_TRY(stored.read(tensor, piece, at));
            hash.add(asText(piece));
        }
        return {};
    };
    DASGD_ASSIGN(const std::string found, digestBy(stored.tensors(), stored.metadata(), addBytes));
    if (found == written->second) return true;
    return fail(file.string() + ": is not what was written: the SHA-256 of its content differs from the one in it");
}

}  // namespace dasgd
