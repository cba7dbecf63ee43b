// Numbers and texts one after the other in a string, for what goes from one program to another: little-endian, a text
// after its length. Input is not trusted: reading never goes past the end, and allocates nothing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace dasgd::storage {

static_assert(std::endian::native == std::endian::little, "bytes hold little-endian numbers as they are");

class ByteWriter {
public:
    explicit ByteWriter(std::string& out) : out_(out) {}
    template <class T>
    void put(T value) {
        char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        out_.append(bytes, sizeof(T));
    }
    void putText(std::string_view text) {
        put(static_cast<std::uint32_t>(text.size()));
        out_.append(text);
    }
    void putCount(std::size_t count) { put(static_cast<std::uint32_t>(count)); }

private:
    std::string& out_;
};

// After the first thing that is not there every answer is false.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
    [[nodiscard]] bool empty() const { return rest_.empty(); }

    template <class T>
    [[nodiscard]] bool get(T& value) {
        if (rest_.size() < sizeof(T)) return failed();
        std::memcpy(&value, rest_.data(), sizeof(T));
        rest_.remove_prefix(sizeof(T));
        return true;
    }
    // Lives as long as the bytes that are read.
    [[nodiscard]] bool getText(std::string_view& text) {
        std::uint32_t size = 0;
        if (!get(size) || rest_.size() < size) return failed();
        text = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return true;
    }
    [[nodiscard]] bool getText(std::string& text) {
        std::string_view seen;
        if (!getText(seen)) return false;
        text = seen;
        return true;
    }
    // Reads a count of items that take at least `leastBytes` each; fails if the rest has no room for so many.
    [[nodiscard]] bool getCount(std::size_t& count, std::size_t leastBytes) {
        std::uint32_t number = 0;
        if (!get(number) || number > rest_.size() / leastBytes) return failed();
        count = number;
        return true;
    }

private:
    bool failed() {
        rest_ = {};
        return false;
    }
    std::string_view rest_;
};

}  // namespace dasgd::storage
