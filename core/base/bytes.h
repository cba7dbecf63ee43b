// Numbers and texts one after the other in a string, for what goes from one program to another: numbers little-endian,
// a text or a list after its length (4 bytes). A writer and a reader are called alike, so that one function,
// `bool layout(auto& bytes, auto& value)`, says how a value is written and read. Input is not trusted: reading never
// goes past the end, and allocates no more than a small multiple of the input.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dasgd {

static_assert(std::endian::native == std::endian::little, "bytes hold little-endian numbers as they are");

// `Value` is a T that is written, or one that is read into.
template <class Value, class T>
concept WrittenOrRead = std::is_same_v<std::remove_const_t<Value>, T>;

// Every answer is true.
class ByteWriter {
public:
    static constexpr bool kReads = false;
    explicit ByteWriter(std::string& out) : out_(out) {}

    // Numbers and texts, in this order.
    bool operator()(const auto&... values) {
        (put(values), ...);
        return true;
    }
    // One byte that numbers one of `count` values.
    bool oneOf(const auto& value, std::size_t count) {
        static_cast<void>(count);
        put(static_cast<std::uint8_t>(value));
        return true;
    }
    // Calls `each` for every member, of which each takes at least `leastBytes`.
    template <class T>
    bool list(const std::vector<T>& all, std::size_t leastBytes, auto&& each) {
        static_cast<void>(leastBytes);
        put(static_cast<std::uint32_t>(all.size()));
        for (const T& one : all) static_cast<void>(each(one));
        return true;
    }

private:
    template <class T>
    void put(const T& value) {
        if constexpr (std::is_convertible_v<const T&, std::string_view>) {
            const std::string_view text = value;
            put(static_cast<std::uint32_t>(text.size()));
            out_.append(text);
        } else {
            static_assert(std::is_arithmetic_v<T>);
            char bytes[sizeof(T)];
            std::memcpy(bytes, &value, sizeof(T));
            out_.append(bytes, sizeof(T));
        }
    }

    std::string& out_;
};

// After the first value that is not there every answer is false.
class ByteReader {
public:
    static constexpr bool kReads = true;
    explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
    [[nodiscard]] bool empty() const { return rest_.empty(); }

    // A std::string_view lives as long as the bytes that are read.
    [[nodiscard]] bool operator()(auto&... values) { return (get(values) && ...); }
    template <class T>
    [[nodiscard]] bool oneOf(T& value, std::size_t count) {
        std::uint8_t number = 0;
        if (!get(number) || number >= count) return failed();
        value = static_cast<T>(number);
        return true;
    }
    // Fails before the first call of `each` if the rest has no room for so many.
    template <class T>
    [[nodiscard]] bool list(std::vector<T>& all, std::size_t leastBytes, auto&& each) {
        std::uint32_t count = 0;
        if (!get(count) || count > rest_.size() / leastBytes) return failed();
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!each(all.emplace_back())) return failed();
        }
        return true;
    }

private:
    template <class T>
    bool get(T& value) {
        if constexpr (std::is_convertible_v<const T&, std::string_view>) {
            std::uint32_t size = 0;
            if (!get(size) || rest_.size() < size) return failed();
            value = rest_.substr(0, size);
            rest_.remove_prefix(size);
        } else {
            static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
            if (rest_.size() < sizeof(T)) return failed();
            std::memcpy(&value, rest_.data(), sizeof(T));
            rest_.remove_prefix(sizeof(T));
        }
        return true;
    }
    bool failed() {
        rest_ = {};
        return false;
    }

    std::string_view rest_;
};

// A number of 8 bytes.
[[nodiscard]] inline std::string numberBytes(std::uint64_t number) {
    std::string bytes;
    ByteWriter{bytes}(number);
    return bytes;
}
// nullopt: there are more bytes than these, or less.
[[nodiscard]] inline std::optional<std::uint64_t> numberOf(std::string_view bytes) {
    std::uint64_t number = 0;
    ByteReader in(bytes);
    return in(number) && in.empty() ? std::optional(number) : std::nullopt;
}

}  // namespace dasgd
