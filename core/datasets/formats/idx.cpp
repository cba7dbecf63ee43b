#include "core/datasets/formats/idx.h"

#include <array>
#include <cstdio>
#include <memory>

#include "core/base/check.h"
#include "core/datasets/formats/byte_source.h"
#include "core/datasets/formats/file_mapping.h"

namespace dasgd {

namespace {

constexpr std::size_t kMaxDimensions = 4;
constexpr std::int64_t kMaxFileBytes = std::int64_t{1} << 36;

std::uint32_t bigEndian(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

std::string hex(std::uint32_t value) {
    std::array<char, 11> text{};
    std::snprintf(text.data(), text.size(), "0x%08x", value);
    return text.data();
}

tl::unexpected<Error> truncated(const std::string& what, std::int64_t needed, std::int64_t there) {
    return fail("it is truncated: " + what + " needs " + std::to_string(needed) + " bytes, " + std::to_string(there) +
                " are there");
}

Status readExactly(ByteSource& source, std::span<unsigned char> out, const std::string& what) {
    DASGD_ASSIGN(const std::size_t got, source.read(out));
    if (got == out.size()) return {};
    return truncated(what, std::ssize(out), static_cast<std::int64_t>(got));
}

tl::unexpected<Error> surplus(std::int64_t total) {
    return fail("it holds more bytes than its header announces (" + std::to_string(total) + ")");
}

Status takeMapped(std::span<const unsigned char> body, std::int64_t total, IdxArray& array) {
    if (std::ssize(body) < total) return truncated("what the header announces", total, std::ssize(body));
    if (std::ssize(body) > total) return surplus(total);
    array.bytes = body;
    return {};
}

Status takeUnpacked(ByteSource& source, std::int64_t total, IdxArray& array) {
    const auto own = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(total));
    DASGD_TRY(readExactly(source, *own, "what the header announces"));
    unsigned char next = 0;
    DASGD_ASSIGN(const std::size_t more, source.read(std::span(&next, 1)));
    if (more != 0) return surplus(total);
    array.bytes = *own;
    array.owner = own;
    return {};
}

Result<IdxArray> decode(std::span<const unsigned char> file, int dimensions) {
    const auto opened = openSource(file);
    ByteSource& source = *opened;
    std::array<unsigned char, 4 * (1 + kMaxDimensions)> header{};
    const std::span<unsigned char> magicBytes(header.data(), 4);
    DASGD_TRY(readExactly(source, magicBytes, "the magic number"));
    const std::uint32_t wanted = 0x0800U + static_cast<std::uint32_t>(dimensions);
    if (const std::uint32_t magic = bigEndian(header.data()); magic != wanted) {
        return fail("its magic number is " + hex(magic) + ", expected " + hex(wanted) + " (IDX, unsigned bytes, " +
                    std::to_string(dimensions) + (dimensions == 1 ? " dimension)" : " dimensions)"));
    }
    const std::span<unsigned char> extentBytes(header.data() + 4, 4 * static_cast<std::size_t>(dimensions));
    DASGD_TRY(readExactly(source, extentBytes, "the header"));

    IdxArray array;
    std::int64_t total = 1;
    for (int i = 0; i < dimensions; ++i) {
        const std::int64_t extent = bigEndian(extentBytes.data() + std::size_t{4} * static_cast<std::size_t>(i));
        array.extents.push_back(extent);
        if (extent != 0 && total > source.bound() / extent) {
            return fail("its header announces more than the file can hold: it is truncated or damaged");
        }
        total *= extent;
    }
    const bool plain = file[0] == 0;  // IDX begins with 0, gzip does not
    if (plain) {
        DASGD_TRY(takeMapped(file.subspan(magicBytes.size() + extentBytes.size()), total, array));
    } else {
        DASGD_TRY(takeUnpacked(source, total, array));
    }
    return array;
}

}  // namespace

Result<IdxArray> decodeIdx(std::span<const unsigned char> file, int dimensions, const std::string& name) {
    DASGD_CHECK(dimensions >= 1 && dimensions <= static_cast<int>(kMaxDimensions));
    auto array = decode(file, dimensions);
    if (!array) return fail(name + ": " + array.error().message + ". Fetch the file anew");
    return array;
}

Result<IdxArray> readIdx(const std::filesystem::path& file, int dimensions) {
    std::error_code code;
    const auto status = std::filesystem::status(file, code);
    if (!std::filesystem::exists(status)) return fail(file.string() + ": there is no such file");
    if (!std::filesystem::is_regular_file(status)) return fail(file.string() + ": this is not a regular file");
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file, code));
    if (code || size > kMaxFileBytes) return fail(file.string() + ": its size cannot be handled; is it an IDX file?");
    if (size == 0) return decodeIdx({}, dimensions, file.string());
    DASGD_ASSIGN(const auto mapping, FileMapping::open(file));
    DASGD_ASSIGN(IdxArray array, decodeIdx(mapping->bytes(), dimensions, file.string()));
    if (!array.owner) array.owner = mapping;
    return array;
}

}  // namespace dasgd
