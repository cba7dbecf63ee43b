// Draws into an SVG file with every text as outlines: SVG readers (LaTeX, browsers, office programs) rarely have our
// fonts, and Qt's generator cannot embed them.
#pragma once

#include <QSizeF>
#include <QString>
#include <functional>

#include "core/base/result.h"

class QPaintDevice;

namespace dasgd::gui {

// `size` in points; the file has it exactly. `draw` gets a device in points.
[[nodiscard]] Status writeOutlinedSvg(const QString& file, QSizeF size, const std::function<void(QPaintDevice&)>& draw);

}  // namespace dasgd::gui
