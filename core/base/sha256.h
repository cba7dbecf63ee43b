// SHA-256 (FIPS 180-4), to tell which file something was made from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dasgd {

class Sha256 {
public:
    void add(std::string_view bytes);
    // 64 hex digits of all bytes so far. Once.
    [[nodiscard]] std::string finish();

private:
    void block(const unsigned char* bytes);

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> rest_{};
    std::size_t kept_ = 0;
    std::uint64_t length_ = 0;
};

[[nodiscard]] inline std::string sha256Of(std::string_view bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.finish();
}

}  // namespace dasgd
