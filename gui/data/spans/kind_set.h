// A set of kinds of spans.
#pragma once

#include <bitset>

#include "core/base/event.h"

namespace dasgd::gui {

using KindSet = std::bitset<kSpanKindNames.size()>;

[[nodiscard]] inline bool contains(const KindSet& kinds, SpanKind kind) {
    return kinds.test(static_cast<std::size_t>(kind));
}

}  // namespace dasgd::gui
