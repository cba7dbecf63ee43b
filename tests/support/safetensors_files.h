// Hand-made safetensors files.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace dasgd::test {

// The length of `header`, the header, then `data`.
inline std::string safetensors(const std::string& header, const std::string& data) {
    std::string file;
    for (int shift = 0; shift < 64; shift += 8) file += static_cast<char>((header.size() >> shift) & 0xFF);
    return file + header + data;
}

template <class Number>
std::string rawBytes(const std::vector<Number>& numbers) {
    std::string bytes(numbers.size() * sizeof(Number), '\0');
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

// An entry of a header: `"name":{…}`.
inline std::string tensorEntry(const std::string& name, const std::string& type, const std::string& shape,
                               std::size_t begin, std::size_t end) {
    return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
           std::to_string(begin) + "," + std::to_string(end) + "]}";
}

}  // namespace dasgd::test
