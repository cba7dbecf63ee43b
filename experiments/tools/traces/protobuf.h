// The wire format of Protocol Buffers, as far as traces need it (protobuf.dev/programming-guides/encoding).
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace dasgd::experiments {

struct ProtoField {
    std::uint32_t number = 0;
    std::uint64_t value = 0;  // value of a varint or a fixed number
    std::string_view bytes;   // bytes of a field with a length
    bool hasLength = false;
};

// The fields of one message, which must outlive it.
class ProtoReader {
public:
    explicit ProtoReader(std::string_view message) : rest_(message) {}

    // nullopt: the end, or bytes that are none of this format.
    std::optional<ProtoField> next() {
        if (rest_.empty()) return std::nullopt;
        const auto tag = varint();
        if (!tag) return std::nullopt;
        ProtoField field{.number = static_cast<std::uint32_t>(*tag >> 3)};
        switch (*tag & 7) {
            case 0: return withVarint(field);
            case 1: return withFixed(field, 8);
            case 5: return withFixed(field, 4);
            case 2: return withLength(field);
            default: rest_ = {}; return std::nullopt;
        }
    }

private:
    std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
        rest_ = {};
        return std::nullopt;
    }
    std::optional<ProtoField> withVarint(ProtoField field) {
        const auto value = varint();
        if (!value) return std::nullopt;
        field.value = *value;
        return field;
    }
    std::optional<ProtoField> withFixed(ProtoField field, std::size_t size) {
        if (rest_.size() < size) return std::nullopt;
        for (std::size_t i = 0; i < size; ++i) {
            field.value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
        }
        rest_.remove_prefix(size);
        return field;
    }
    std::optional<ProtoField> withLength(ProtoField field) {
        const auto length = varint();
        if (!length || *length > rest_.size()) return std::nullopt;
        field.bytes = rest_.substr(0, *length);
        field.hasLength = true;
        rest_.remove_prefix(*length);
        return field;
    }
    std::string_view rest_;
};

class ProtoWriter {
public:
    ProtoWriter& number(std::uint32_t field, std::uint64_t value) {
        varint(std::uint64_t{field} << 3);
        varint(value);
        return *this;
    }
    ProtoWriter& fixed64(std::uint32_t field, std::uint64_t value) {
        varint(std::uint64_t{field} << 3 | 1);
        for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift & 0xff);
        return *this;
    }
    ProtoWriter& real(std::uint32_t field, double value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        return fixed64(field, bits);
    }
    ProtoWriter& text(std::uint32_t field, std::string_view value) {
        varint(std::uint64_t{field} << 3 | 2);
        varint(value.size());
        bytes_ += value;
        return *this;
    }
    ProtoWriter& message(std::uint32_t field, const ProtoWriter& of) { return text(field, of.bytes_); }
    // A message of a stream of them: its length, then its bytes.
    ProtoWriter& inStream(const ProtoWriter& message) {
        varint(message.bytes_.size());
        bytes_ += message.bytes_;
        return *this;
    }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }
    std::string bytes_;
};

}  // namespace dasgd::experiments
