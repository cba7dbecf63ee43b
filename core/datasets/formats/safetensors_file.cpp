#include "core/datasets/formats/safetensors_file.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

namespace dasgd {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr const char* kWriteAnew = ". Write the file anew";
constexpr std::array<std::pair<std::string_view, std::uint64_t>, 13> kTypeBytes{{{"BOOL", 1},
                                                                                 {"U8", 1},
                                                                                 {"I8", 1},
                                                                                 {"I16", 2},
                                                                                 {"U16", 2},
                                                                                 {"F16", 2},
                                                                                 {"BF16", 2},
                                                                                 {"I32", 4},
                                                                                 {"U32", 4},
                                                                                 {"F32", 4},
                                                                                 {"I64", 8},
                                                                                 {"U64", 8},
                                                                                 {"F64", 8}}};

Result<std::uint64_t> bytesOfType(const std::string& type) {
    const auto* found = std::ranges::find(kTypeBytes, std::string_view(type), &decltype(kTypeBytes)::value_type::first);
    if (found == kTypeBytes.end()) return fail("its type '" + type + "' is unknown");
    return found->second;
}

// A number of the header that is not negative.
Result<std::uint64_t> countOf(const Json& number) {
    if (!number.is_number_unsigned())
        return fail(std::string("it has a ") + number.type_name() + " where a count is expected");
    return number.get<std::uint64_t>();
}

// Elements times bytes, checked.
Result<std::uint64_t> sizeOf(const Json& shape, std::uint64_t elementBytes, std::vector<std::int64_t>& extents) {
    std::uint64_t size = elementBytes;
    for (const Json& number : shape) {
        DASGD_ASSIGN(const std::uint64_t extent, countOf(number));
        if (extent > std::uint64_t{1} << 62 || __builtin_mul_overflow(size, extent, &size)) {
            return fail("its shape has more elements than a file can hold");
        }
        extents.push_back(static_cast<std::int64_t>(extent));
    }
    return size;
}

Result<StoredTensor> tensorOf(const std::string& name, const Json& entry, std::span<const unsigned char> data) {
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() || !entry.contains("shape") ||
        !entry["shape"].is_array() || !entry.contains("data_offsets") || !entry["data_offsets"].is_array() ||
        entry["data_offsets"].size() != 2) {
        return fail("it lacks dtype, shape or data_offsets");
    }
    StoredTensor tensor{.name = name, .type = entry["dtype"].get<std::string>()};
    DASGD_ASSIGN(const std::uint64_t elementBytes, bytesOfType(tensor.type));
    DASGD_ASSIGN(const std::uint64_t size, sizeOf(entry["shape"], elementBytes, tensor.shape));
    DASGD_ASSIGN(const std::uint64_t begin, countOf(entry["data_offsets"][0]));
    DASGD_ASSIGN(const std::uint64_t end, countOf(entry["data_offsets"][1]));
    if (begin > end || end > data.size()) {
        return fail("its bytes " + std::to_string(begin) + " to " + std::to_string(end) + " lie outside the " +
                    std::to_string(data.size()) + " bytes that follow the header");
    }
    if (end - begin != size) {
        return fail("its shape needs " + std::to_string(size) + " bytes, and it has " + std::to_string(end - begin));
    }
    tensor.bytes = data.subspan(begin, size);
    return tensor;
}

// Each byte that follows the header is of one tensor, as in the format: what is hidden in a gap nobody has looked at.
Status checkCover(std::vector<StoredTensor> tensors, std::span<const unsigned char> data) {
    std::erase_if(tensors, [](const StoredTensor& tensor) { return tensor.bytes.empty(); });
    std::ranges::sort(tensors, {}, [](const StoredTensor& tensor) { return tensor.bytes.data(); });
    const auto noOnes = [&](const unsigned char* from, const unsigned char* to) {
        return fail("bytes " + std::to_string(from - data.data()) + " to " + std::to_string(to - data.data()) +
                    " behind the header belong to no tensor");
    };
    const unsigned char* end = data.data();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const unsigned char* const begin = tensors[i].bytes.data();
        if (begin < end) {
            return fail("the bytes of '" + tensors[i - 1].name + "' and '" + tensors[i].name + "' overlap");
        }
        if (begin > end) return noOnes(end, begin);
        end = begin + tensors[i].bytes.size();
    }
    if (end != data.data() + data.size()) return noOnes(end, data.data() + data.size());
    return {};
}

Result<Json> headerOf(std::span<const unsigned char> file, std::uint64_t& headerBytes) {
    if (file.size() < kLengthBytes) return fail("it is shorter than the 8 bytes that a safetensors file begins with");
    headerBytes = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;) headerBytes = headerBytes << 8 | file[i];
    if (headerBytes > kMaxHeaderBytes || headerBytes > file.size() - kLengthBytes) {
        return fail("its header announces " + std::to_string(headerBytes) + " bytes; the file has " +
                    std::to_string(file.size()) + ", and a header at most 100 MB. Is it a safetensors file?");
    }
    const auto text = file.subspan(kLengthBytes, headerBytes);
    // Of two entries of one name the last would silently be taken.
    std::set<std::string> names;
    std::string twice;
    const auto look = [&](int depth, Json::parse_event_t event, const Json& parsed) {
        if (depth == 1 && event == Json::parse_event_t::key && !names.insert(parsed.get<std::string>()).second) {
            twice = parsed.get<std::string>();
        }
        return true;
    };
    Json header = Json::parse(text.begin(), text.end(), look, false);
    if (!twice.empty()) return fail("its header has '" + twice + "' twice" + kWriteAnew);
    if (!header.is_object()) return fail("its header is no JSON object. Is it a safetensors file?");
    return header;
}

}  // namespace

Result<std::vector<StoredTensor>> readSafetensors(std::span<const unsigned char> file, const std::string& name) {
    std::uint64_t headerBytes = 0;
    const auto header = headerOf(file, headerBytes);
    if (!header) return fail(name + ": " + header.error().message);
    const auto data = file.subspan(kLengthBytes + headerBytes);
    std::vector<StoredTensor> tensors;
    for (const auto& [key, entry] : header->items()) {
        if (key == "__metadata__") continue;
        auto tensor = tensorOf(key, entry, data);
        if (!tensor) return fail(name + ": tensor '" + key + "': " + tensor.error().message + kWriteAnew);
        tensors.push_back(std::move(*tensor));
    }
    if (const Status whole = checkCover(tensors, data); !whole) {
        return fail(name + ": " + whole.error().message + kWriteAnew);
    }
    return tensors;
}

Result<std::map<std::string, std::string>> readSafetensorsMetadata(std::span<const unsigned char> file,
                                                                   const std::string& name) {
    std::uint64_t headerBytes = 0;
    const auto header = headerOf(file, headerBytes);
    if (!header) return fail(name + ": " + header.error().message);
    std::map<std::string, std::string> texts;
    const auto metadata = header->find("__metadata__");
    if (metadata == header->end()) return texts;
    for (const auto& [key, text] : metadata->items()) {
        if (!text.is_string()) return fail(name + ": its metadata '" + key + "' is no text" + kWriteAnew);
        texts[key] = text.get<std::string>();
    }
    return texts;
}

}  // namespace dasgd
