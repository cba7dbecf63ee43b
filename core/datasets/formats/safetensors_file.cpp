#include "core/datasets/formats/safetensors_file.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/text/printable.h"

namespace dasgd {

namespace {

using Json = nlohmann::json;

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

// nullopt: not known. Elements of some types of the format are no whole bytes.
std::optional<std::uint64_t> bytesOfType(const std::string& type) {
    const auto* found = std::ranges::find(kTypeBytes, std::string_view(type), &decltype(kTypeBytes)::value_type::first);
    return found == kTypeBytes.end() ? std::nullopt : std::optional(found->second);
}

// Reads a number of the header that is not negative.
Result<std::uint64_t> countOf(const Json& number) {
    if (!number.is_number_unsigned())
        return fail(std::string("it has a ") + number.type_name() + " where a count is expected");
    return number.get<std::uint64_t>();
}

// Elements times bytes, checked for overflow.
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

// begin and end count from the byte behind the header, of which `dataBytes` follow.
Result<TensorEntry> tensorOf(const std::string& name, const Json& entry, std::uint64_t dataBytes) {
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() || !entry.contains("shape") ||
        !entry["shape"].is_array() || !entry.contains("data_offsets") || !entry["data_offsets"].is_array() ||
        entry["data_offsets"].size() != 2) {
        return fail("it lacks dtype, shape or data_offsets");
    }
    TensorEntry tensor{.name = name, .type = entry["dtype"].get<std::string>()};
    const std::optional<std::uint64_t> elementBytes = bytesOfType(tensor.type);
    DASGD_ASSIGN(const std::uint64_t size, sizeOf(entry["shape"], elementBytes.value_or(1), tensor.shape));
    DASGD_ASSIGN(tensor.begin, countOf(entry["data_offsets"][0]));
    DASGD_ASSIGN(tensor.end, countOf(entry["data_offsets"][1]));
    if (tensor.begin > tensor.end || tensor.end > dataBytes) {
        return fail("its bytes " + std::to_string(tensor.begin) + " to " + std::to_string(tensor.end) +
                    " lie outside the " + std::to_string(dataBytes) + " bytes that follow the header");
    }
    if (elementBytes && tensor.end - tensor.begin != size) {
        return fail("its shape needs " + std::to_string(size) + " bytes, and it has " +
                    std::to_string(tensor.end - tensor.begin));
    }
    return tensor;
}

// Checks that each byte after the header belongs to one tensor, as the format requires: a gap could hide data.
Status checkCover(std::vector<TensorEntry> tensors, std::uint64_t dataBytes) {
    std::erase_if(tensors, [](const TensorEntry& tensor) { return tensor.begin == tensor.end; });
    std::ranges::sort(tensors, {}, &TensorEntry::begin);
    const auto noOnes = [](std::uint64_t from, std::uint64_t to) {
        return fail("bytes " + std::to_string(from) + " to " + std::to_string(to) +
                    " behind the header belong to no tensor");
    };
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].begin < end) {
            return fail("the bytes of '" + tensors[i - 1].name + "' and '" + tensors[i].name + "' overlap");
        }
        if (tensors[i].begin > end) return noOnes(end, tensors[i].begin);
        end = tensors[i].end;
    }
    if (end != dataBytes) return noOnes(end, dataBytes);
    return {};
}

// Finds a name that the header has twice: of its two entries Json::parse() would silently take the last. A callback of
// Json::parse() could tell, too, and takes time in the square of the number of tensors.
struct NamesOnce final : nlohmann::json_sax<Json> {
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return ++depth, true; }
    bool end_object() override { return --depth, true; }
    bool start_array(std::size_t) override { return ++depth, true; }
    bool end_array() override { return --depth, true; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
    bool key(string_t& name) override {
        if (depth != 1 || seen.insert(name).second) return true;
        twice = name;
        return false;
    }

    int depth = 0;
    std::set<std::string> seen;
    std::string twice;
};

Result<std::size_t> headerEnd(std::span<const unsigned char> start, std::uint64_t fileBytes) {
    if (start.size() < kSafetensorsLengthBytes) {
        return fail("it is shorter than the 8 bytes that a safetensors file begins with");
    }
    std::uint64_t headerBytes = 0;
    for (std::size_t i = kSafetensorsLengthBytes; i-- > 0;) headerBytes = headerBytes << 8 | start[i];
    if (headerBytes > kMaxHeaderBytes || headerBytes > fileBytes - kSafetensorsLengthBytes) {
        return fail("its header announces " + std::to_string(headerBytes) + " bytes; the file has " +
                    std::to_string(fileBytes) + ", and a header at most 100 MB. Is it a safetensors file?");
    }
    return kSafetensorsLengthBytes + headerBytes;
}

// The header of a file that begins with `start`: length and header take `end` bytes.
Result<Json> headerOf(std::span<const unsigned char> start, std::size_t end) {
    if (end > start.size()) {
        return fail("its header has " + std::to_string(end) + " bytes, of which " + std::to_string(start.size()) +
                    " were read");
    }
    const auto text = start.first(end).subspan(kSafetensorsLengthBytes);
    NamesOnce names;
    Json::sax_parse(text.begin(), text.end(), &names);
    if (!names.twice.empty()) return fail("its header has '" + excerpt(names.twice) + "' twice" + kWriteAnew);
    Json header = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!header.is_object()) return fail("its header is no JSON object. Is it a safetensors file?");
    return header;
}

// Positions count from the file's start.
Result<std::vector<TensorEntry>> tensorsOf(const Json& header, std::uint64_t headerEnd, std::uint64_t fileBytes) {
    const std::uint64_t dataBytes = fileBytes - headerEnd;
    std::vector<TensorEntry> tensors;
    for (const auto& [key, entry] : header.items()) {
        if (key == "__metadata__") continue;
        auto tensor = tensorOf(key, entry, dataBytes);
        if (!tensor) return fail("tensor '" + excerpt(key) + "': " + tensor.error().message + kWriteAnew);
        tensors.push_back(std::move(*tensor));
    }
    if (const Status whole = checkCover(tensors, dataBytes); !whole) return fail(whole.error().message + kWriteAnew);
    for (TensorEntry& tensor : tensors) {
        tensor.begin += headerEnd;
        tensor.end += headerEnd;
    }
    return tensors;
}

Result<std::map<std::string, std::string>> metadataOf(const Json& header) {
    std::map<std::string, std::string> texts;
    const auto metadata = header.find("__metadata__");
    if (metadata == header.end()) return texts;
    for (const auto& [key, text] : metadata->items()) {
        if (!text.is_string()) return fail("its metadata '" + key + "' is no text" + kWriteAnew);
        texts[key] = text.get<std::string>();
    }
    return texts;
}

// Puts the file's name before an error.
template <class Work>
auto named(const std::string& name, Work work) -> decltype(work()) {
    auto result = work();
    if (!result) return fail(name + ": " + result.error().message);
    return result;
}

}  // namespace

Result<std::size_t> safetensorsHeaderEnd(std::span<const unsigned char> start, std::uint64_t fileBytes,
                                         const std::string& name) {
    return named(name, [&] { return headerEnd(start, fileBytes); });
}

Result<SafetensorsHeader> parseSafetensorsHeader(std::span<const unsigned char> start, std::uint64_t fileBytes,
                                                 const std::string& name) {
    return named(name, [&]() -> Result<SafetensorsHeader> {
        DASGD_ASSIGN(const std::size_t end, headerEnd(start, fileBytes));
        DASGD_ASSIGN(const Json header, headerOf(start, end));
        SafetensorsHeader parsed;
        DASGD_ASSIGN(parsed.tensors, tensorsOf(header, end, fileBytes));
        DASGD_ASSIGN(parsed.metadata, metadataOf(header));
        return parsed;
    });
}

Result<std::vector<StoredTensor>> readSafetensors(std::span<const unsigned char> file, const std::string& name) {
    return named(name, [&]() -> Result<std::vector<StoredTensor>> {
        DASGD_ASSIGN(const std::size_t end, headerEnd(file, file.size()));
        DASGD_ASSIGN(const Json header, headerOf(file, end));
        DASGD_ASSIGN(std::vector<TensorEntry> entries, tensorsOf(header, end, file.size()));
        std::vector<StoredTensor> tensors;
        for (TensorEntry& entry : entries) {
            tensors.push_back({std::move(entry.name), std::move(entry.type), std::move(entry.shape),
                               file.subspan(entry.begin, entry.end - entry.begin)});
        }
        return tensors;
    });
}

Result<std::map<std::string, std::string>> readSafetensorsMetadata(std::span<const unsigned char> file,
                                                                   const std::string& name) {
    return named(name, [&]() -> Result<std::map<std::string, std::string>> {
        DASGD_ASSIGN(const std::size_t end, headerEnd(file, file.size()));
        DASGD_ASSIGN(const Json header, headerOf(file, end));
        return metadataOf(header);
    });
}

}  // namespace dasgd
