// Seconds as people read them, where they need be no instant. Pure.
#pragma once

#include <algorithm>
#include <cmath>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

// durationInWords() of seconds: "14.0 ms". Longer ones than an instant can be are cut.
[[nodiscard]] inline QString secondsInWords(double seconds) {
    constexpr double kMostNs = 9e18;
    return durationInWords(static_cast<Ns>(std::llround(std::min(seconds * 1e9, kMostNs)))).text();
}

}  // namespace dasgd::gui
