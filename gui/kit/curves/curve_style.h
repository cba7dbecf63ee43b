// Colour, dash and marker of a curve.
#pragma once

namespace dasgd::gui {

inline constexpr int kCurveColors = 7;

// Indices into the theme's colours, dashes and markers. Two configurations of an experiment never share all three. A
// configuration has the same style in all experiments, unless another had it there before. While there are enough, a
// configuration that shares its marker with an earlier one differs from it in colour and dash, unless it is the first
// of its algorithm.
struct CurveStyle {
    int color = 0, dash = 0, marker = 0;
    bool operator==(const CurveStyle&) const = default;
};

}  // namespace dasgd::gui
