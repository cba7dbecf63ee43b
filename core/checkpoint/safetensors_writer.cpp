#include "core/checkpoint/safetensors_writer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/checkpoint/durable_file.h"

namespace dasgd {

namespace {

constexpr std::size_t kAlignment = 8;

// Bytes of one element; a tensor without elements counts as the smallest.
std::size_t elementSize(const StoredTensor& tensor) {
    std::size_t elements = 1;
    for (const std::int64_t extent : tensor.shape) elements *= static_cast<std::size_t>(extent);
    return elements == 0 ? 0 : tensor.bytes.size() / elements;
}

}  // namespace

Status writeSafetensors(const std::filesystem::path& file, std::vector<StoredTensor> tensors,
                        const std::map<std::string, std::string>& metadata) {
    std::ranges::sort(tensors, [](const StoredTensor& a, const StoredTensor& b) {
        return std::make_tuple(elementSize(b), std::cref(a.name)) < std::make_tuple(elementSize(a), std::cref(b.name));
    });
    nlohmann::json header = nlohmann::json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::uint64_t offset = 0;
    for (const StoredTensor& tensor : tensors) {
        const std::uint64_t end = offset + tensor.bytes.size();
        header[tensor.name] = {{"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
    std::array<unsigned char, kAlignment> length{};
    for (std::size_t i = 0; i < length.size(); ++i) {
        length[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(text.size()) >> (8 * i));
    }
    std::vector<std::span<const unsigned char>> parts{
        length, {reinterpret_cast<const unsigned char*>(text.data()), text.size()}};
    for (const StoredTensor& tensor : tensors) parts.push_back(tensor.bytes);
    return writeDurably(file, parts);
}

}  // namespace dasgd
