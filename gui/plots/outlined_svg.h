// Draws into an SVG file with every text as outlines: SVG readers (LaTeX, browsers, office programs) rarely have our
// fonts, and Qt's generator cannot embed them.
#pragma once

#include <QString>
#include <functional>

#include "core/base/result.h"

class QPaintDevice;

namespace dasgd::gui {

// Width and height in points. `draw` gets a painter in points.
[[nodiscard]] Status writeOutlinedSvg(const QString& file, double width, double height,
                                      const std::function<void(QPaintDevice&)>& draw);

}  // namespace dasgd::gui
