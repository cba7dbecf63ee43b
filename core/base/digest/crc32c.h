// CRC-32C (Castagnoli) of whole 8-byte words, by the processor's own instruction where it has one: a journal record is
// sealed on the training thread, and zlib's CRC-32 took ten times as long for 64 bytes.
#pragma once

#include <cstdint>
#include <span>

namespace dasgd {

[[nodiscard]] std::uint32_t crc32c(std::span<const std::uint64_t> words);

// Checksum from lookup tables: crc32c() falls back to it on processors without that instruction.
[[nodiscard]] std::uint32_t crc32cByTable(std::span<const std::uint64_t> words);

}  // namespace dasgd
