// Figures and tables for LaTeX: a pgfplots document that compiles on its own, and a booktabs table to be \input.
#pragma once

#include <QString>

#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

// Text with every LaTeX command escaped. Greek letters and ± become mathematics; other letters that pdflatex has no
// font for become their code, as U+4E2D.
[[nodiscard]] QString latexText(const QString& text);

// A table for the packages booktabs and graphicx, scaled down where it would be wider than the text around it; its
// notes stand below it as text. An n or clock that is the same in all rows becomes a note instead of a column.
[[nodiscard]] QString booktabsOf(const FigureTable& table);

// The \caption command with this text.
[[nodiscard]] QString captionTex(const QString& caption);

// CSV that the document reads: columns x1, y1, low1, high1, half1, x2, … for the curves, then for the lines behind
// them; at most kMostPlotRows rows of each curve, but all points of a scatter.
[[nodiscard]] QString plotNumbers(const std::vector<Curve>& curves, const PlotAxes& axes);
inline constexpr std::size_t kMostPlotRows = 200;

// The LaTeX document of a figure, on a page as wide as the figure. `numbers`: name of the file with plotNumbers(), in
// the same folder.
[[nodiscard]] QString pgfplotsOf(const FigureContent& content, const FigureSpec& spec, const QString& numbers);

}  // namespace dasgd::gui
