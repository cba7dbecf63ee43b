// Conversion between time and pixels, without any widget.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "core/analysis/spans/overlap.h"

namespace dasgd::gui {

struct TimeScale {
    TimeRange window{0, 1};
    double left = 0;   // x of window.start
    double width = 1;  // length of the window in pixels

    [[nodiscard]] double nsPerPixel() const { return static_cast<double>(window.end - window.start) / width; }
    [[nodiscard]] double xAt(Ns t) const { return left + static_cast<double>(t - window.start) / nsPerPixel(); }
    // Time at x, rounded to the nearest nanosecond: timeAt(xAt(t)) == t for every t near the window.
    [[nodiscard]] Ns timeAt(double x) const {
        return window.start + static_cast<Ns>(std::llround((x - left) * nsPerPixel()));
    }
};

// The scale with its window adjusted by less than a pixel, so that a pixel is a whole number of nanoseconds and the
// start a multiple of it: two such windows of one width lie whole pixels apart. The old end stays visible. Unchanged if
// a pixel is shorter than 1 µs or the plot is not a whole number of pixels wide.
[[nodiscard]] inline TimeScale onWholePixels(TimeScale scale) {
    constexpr Ns kLeastPixel = 1000;
    const Ns pixel = std::llround(scale.nsPerPixel()), pixels = std::llround(scale.width);
    if (pixel < kLeastPixel || static_cast<double>(pixels) != scale.width) return scale;
    const Ns start = scale.window.end - pixels * pixel;
    scale.window.start = (start >= 0 ? (start + pixel - 1) / pixel : start / pixel) * pixel;
    scale.window.end = scale.window.start + pixels * pixel;
    return scale;
}

// Distance of ticks at least `gap` pixels apart: 1, 2 or 5 times a power of ten nanoseconds.
[[nodiscard]] inline Ns tickStep(const TimeScale& scale, double gap) {
    const double least = std::max(1.0, gap * scale.nsPerPixel());
    double decade = std::pow(10.0, std::floor(std::log10(least)));
    for (const double step : {1.0, 2.0, 5.0, 10.0}) {
        if (step * decade >= least * (1 - 1e-9)) return static_cast<Ns>(std::llround(step * decade));
    }
    return static_cast<Ns>(std::llround(10 * decade));
}

[[nodiscard]] inline std::vector<Ns> ticksOf(const TimeScale& scale, double gap) {
    const Ns step = tickStep(scale, gap);
    std::vector<Ns> ticks;
    Ns first = scale.window.start / step * step;
    if (first < scale.window.start) first += step;
    for (Ns at = first; at <= scale.window.end; at += step) ticks.push_back(at);
    return ticks;
}

}  // namespace dasgd::gui
