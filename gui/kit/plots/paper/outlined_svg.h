// SVG files with every text as outlines, since SVG readers (LaTeX, browsers, office programs) rarely have the program's
// fonts and Qt's generator cannot embed them.
#pragma once

#include <QSizeF>
#include <QString>
#include <functional>

#include "core/base/result.h"

class QPaintDevice;

namespace dasgd::gui {

// Writes an SVG file of exactly `size` points; `draw` paints on a device with one unit per point.
[[nodiscard]] Status writeOutlinedSvg(const QString& file, QSizeF size, const std::function<void(QPaintDevice&)>& draw);

}  // namespace dasgd::gui
