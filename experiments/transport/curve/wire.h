// Messages between a forwarder and the collector of a run. Each has two parts, a head of fixed size and a body.
// Prose: storage/format.md, "The stream of a rank".
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace dasgd::experiments {

static_assert(std::endian::native == std::endian::little, "heads hold little-endian numbers as they are");

struct WireHead {
    enum class Type : std::uint32_t {
        Hello = 1,  // forwarder: I have the journal of `rank`; body: the run's id
        Records,    // forwarder: the records after number `after`, of `round`; body: a frame of them
        End,        // forwarder: there is nothing after `after`, and the writer has ended; body: what is damaged, or ""
        Wanted,     // collector: offer what follows `after`, in `round`, if `room`; up to `committed` it is in lab.db
        Done,       // collector: all of it is in lab.db
        Goodbye     // forwarder: that has been heard
    };
    std::uint32_t version = kVersion;
    Type type{};
    std::uint32_t rank = 0;
    std::uint32_t room = 0;
    std::uint64_t round = 0, after = 0, committed = 0;

    static constexpr std::uint32_t kVersion = 1;

    [[nodiscard]] std::string bytes() const {
        const auto raw = std::bit_cast<std::array<char, 40>>(*this);
        return {raw.data(), raw.size()};
    }
    // nullopt: no head of this version.
    [[nodiscard]] static std::optional<WireHead> of(std::string_view bytes) {
        std::array<char, 40> raw{};
        if (bytes.size() != raw.size()) return std::nullopt;
        std::memcpy(raw.data(), bytes.data(), raw.size());
        const auto head = std::bit_cast<WireHead>(raw);
        if (head.version != kVersion || head.type < Type::Hello || head.type > Type::Goodbye) return std::nullopt;
        return head;
    }
};
static_assert(sizeof(WireHead) == 40);

// A frame of records ends with the first record that makes it longer, so that messages stay below twice of it, but for
// one record of an enormous text.
inline constexpr std::size_t kFrameBytes = std::size_t{256} << 10;
inline constexpr std::int64_t kMostMessageBytes = std::int64_t{64} << 20;

// A decimal number that is all of `text`; nullopt for anything else.
[[nodiscard]] inline std::optional<std::int64_t> decimalOf(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace dasgd::experiments
