#include "core/base/digest/crc32c.h"

#include <array>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace dasgd {

namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // reflected

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][b]: the CRC of byte b followed by k zero bytes.
constexpr Table makeTables() {
    Table tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
        tables[0][byte] = crc;
    }
    for (std::size_t k = 1; k < 8; ++k) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
    }
    return tables;
}

constexpr Table kTables = makeTables();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t byInstruction(std::span<const std::uint64_t> words) {
    std::uint64_t crc = 0xffffffff;
    for (const std::uint64_t word : words) crc = _mm_crc32_u64(crc, word);
    return ~static_cast<std::uint32_t>(crc);
}
#endif

}  // namespace

std::uint32_t crc32cByTable(std::span<const std::uint64_t> words) {
    std::uint32_t crc = 0xffffffff;
    for (const std::uint64_t word : words) {
        const std::uint64_t mixed = word ^ crc;
        crc = 0;
        for (std::size_t byte = 0; byte < 8; ++byte) crc ^= kTables[7 - byte][(mixed >> (8 * byte)) & 0xff];
    }
    return ~crc;
}

std::uint32_t crc32c(std::span<const std::uint64_t> words) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) return byInstruction(words);
#endif
    return crc32cByTable(words);
}

}  // namespace dasgd
