#include "core/datasets/formats/safetensors_file.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/printable.h"

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

Result<StoredTensor> tensorOf(const std::string& name, const Json& entry, std::span<const unsigned char> data) {
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() || !entry.contains("shape") ||
        !entry["shape"].is_array() || !entry.contains("data_offsets") || !entry["data_offsets"].is_array() ||
        entry["data_offsets"].size() != 2) {
        return fail("it lacks dtype, shape or data_offsets");
    }
    StoredTensor tensor{.name = name, .type = entry["dtype"].get<std::string>()};
    const std::optional<std::uint64_t> elementBytes = bytesOfType(tensor.type);
    DASGD_ASSIGN(const std::uint64_t size, sizeOf(entry["shape"], elementBytes.value_or(1), tensor.shape));
    DASGD_ASSIGN(const std::uint64_t begin, countOf(entry["data_offsets"][0]));
    DASGD_ASSIGN(const std::uint64_t end, countOf(entry["data_offsets"][1]));
    if (begin > end || end > data.size()) {
        return fail("its bytes " + std::to_string(begin) + " to " + std::to_string(end) + " lie outside the " +
                    std::to_string(data.size()) + " bytes that follow the header");
    }
    if (elementBytes && end - begin != size) {
        return fail("its shape needs " + std::to_string(size) + " bytes, and it has " + std::to_string(end - begin));
    }
    tensor.bytes = data.subspan(begin, end - begin);
    return tensor;
}

// Checks that each byte after the header belongs to one tensor, as the format requires: a gap could hide data.
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

Result<Json> headerOf(std::span<const unsigned char> file, std::uint64_t& headerBytes) {
    if (file.size() < kLengthBytes) return fail("it is shorter than the 8 bytes that a safetensors file begins with");
    headerBytes = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;) headerBytes = headerBytes << 8 | file[i];
    if (headerBytes > kMaxHeaderBytes || headerBytes > file.size() - kLengthBytes) {
        return fail("its header announces " + std::to_string(headerBytes) + " bytes; the file has " +
                    std::to_string(file.size()) + ", and a header at most 100 MB. Is it a safetensors file?");
    }
    const auto text = file.subspan(kLengthBytes, headerBytes);
    NamesOnce names;
    Json::sax_parse(text.begin(), text.end(), &names);
    if (!names.twice.empty()) return fail("its header has '" + excerpt(names.twice) + "' twice" + kWriteAnew);
    Json header = Json::parse(text.begin(), text.end(), nullptr, false);
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
        if (!tensor) return fail(name + ": tensor '" + excerpt(key) + "': " + tensor.error().message + kWriteAnew);
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
