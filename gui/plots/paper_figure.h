// Curves on a page of a paper, as files.
#pragma once

#include <QString>
#include <vector>

#include "core/base/result.h"
#include "gui/plots/plot_view.h"

namespace dasgd::gui {

// Width and height in inches; the page has the size of the figure, in points. Rows of the legend beyond the second and
// the notes of the curves make the page higher, not the plot smaller. Names too long for the width are cut so that they
// still differ; of more than `kMostNamed` curves the rest is counted in words.
struct PaperFigure {
    std::vector<Curve> curves;
    PlotAxes axes;
    double widthIn = 5.5, heightIn = 2.6;
};
inline constexpr int kMostNamed = 24;

// Writes PDF, SVG or PNG (300 dpi) by the file's suffix. Errors: a file that cannot be written.
[[nodiscard]] Status writeFigure(const PaperFigure& figure, const QString& file);

}  // namespace dasgd::gui
