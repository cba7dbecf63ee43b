// Colours of the kinds of spans: Okabe-Ito, the same in both themes and in exported figures.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/event.h"

namespace dasgd::gui {

// 0xRRGGBB, in the order of SpanKind. Skew has a lighter transfer colour; an undivided reduce has the colour of a
// transfer.
inline constexpr std::array<std::uint32_t, kSpanKindNames.size()> kSpanRgb{
    0xF0E442, 0x56B4E9, 0x0072B2, 0x999999, 0xCC79A7, 0xE69F00, 0xD55E00, 0xCC79A7,
    0x009E73, 0x7A6F5A, 0xF5D594, 0xE69F00, 0xBBBBBB, 0x0072B2, 0x2A93CE, 0xB8A58A};

constexpr std::uint32_t rgbOf(SpanKind kind) { return kSpanRgb[static_cast<std::size_t>(kind)]; }

}  // namespace dasgd::gui
