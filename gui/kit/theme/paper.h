// Units and colours of figures on paper.
#pragma once

#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

inline constexpr int kPointsPerInch = 72;
inline constexpr int kPngDpi = 300;
inline constexpr double kPngScale = static_cast<double>(kPngDpi) / kPointsPerInch;

// The light theme on white, with greys that print.
[[nodiscard]] inline Theme paperTheme() {
    Theme theme = loadTheme(ThemeName::Light);
    theme.panel = Qt::white;
    theme.grid = QColor(0xe4, 0xe6, 0xea);
    theme.line = QColor(0x30, 0x34, 0x3a);
    theme.text = Qt::black;
    theme.muted = QColor(0x20, 0x23, 0x28);
    return theme;
}

}  // namespace dasgd::gui
