// Bytes of the journal, shared by its writer and its reader only. Prose: storage/format.md.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include "core/base/digest/crc32c.h"
#include "core/base/text/zero_padded.h"

namespace dasgd::journal {

static_assert(std::endian::native == std::endian::little, "the journal stores little-endian numbers as they are");

inline constexpr std::size_t kSlotBytes = 64;
inline constexpr std::size_t kPayloadBytes = 48;
inline constexpr std::size_t kInlineTextBytes = 40;
inline constexpr std::size_t kMaxNameBytes = 1024;
inline constexpr std::size_t kMinSlots = 64;
inline constexpr std::size_t kMaxSlots = std::size_t{1} << 24;
inline constexpr std::array<char, 8> kMagic{'D', 'A', 'S', 'G', 'D', 'J', 'N', '1'};
inline constexpr const char* kWriterLock = "writer.lock";

inline constexpr std::uint32_t kOwnRank = 0xffffffff;  // in a rank record: back to the journal's own rank

enum class RecordType : std::uint8_t { Span = 1, Metric, State, Name, Continuation, Rank };

struct SegmentHeader {
    std::array<char, 8> magic = kMagic;
    std::uint64_t slots = 0;
    std::uint64_t number = 0;
    std::array<std::byte, 36> zero{};
    std::uint32_t crc = 0;

    // CRC of the header with its CRC field zero.
    [[nodiscard]] std::uint32_t rightCrc() const {
        SegmentHeader plain = *this;
        plain.crc = 0;
        return crc32c(std::bit_cast<std::array<std::uint64_t, 8>>(plain));
    }
};
static_assert(sizeof(SegmentHeader) == kSlotBytes);

struct alignas(8) Record {
    std::uint64_t seal = 0;  // CRC, then the sequence number's low half; stored last
    RecordType type{};
    std::uint8_t a = 0;
    std::uint8_t b = 0;
    std::uint8_t zero = 0;
    std::uint32_t id = 0;
    std::array<std::byte, kPayloadBytes> payload{};

    // The seal that makes this record whole at place `sequence`.
    [[nodiscard]] std::uint64_t sealFor(std::uint64_t sequence) const {
        Record sealed = *this;
        sealed.seal = sequence;
        return (sequence << 32) | crc32c(std::bit_cast<std::array<std::uint64_t, 8>>(sealed));
    }

    template <class T>
    void put(std::size_t index, T value) {
        static_assert(sizeof(T) == 8);
        std::memcpy(payload.data() + index * 8, &value, 8);
    }
    template <class T>
    [[nodiscard]] T get(std::size_t index) const {
        static_assert(sizeof(T) == 8);
        T value;
        std::memcpy(&value, payload.data() + index * 8, 8);
        return value;
    }
};
static_assert(sizeof(Record) == kSlotBytes);

inline std::filesystem::path segmentFile(const std::filesystem::path& directory, std::uint64_t number,
                                         const char* extension) {
    return directory / (zeroPadded(number, 10) + extension);
}

}  // namespace dasgd::journal
