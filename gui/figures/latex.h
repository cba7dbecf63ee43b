// Figures and tables for LaTeX: a pgfplots document that compiles on its own, and a booktabs table to be \input.
#pragma once

#include <QString>

#include "gui/figures/figure_content.h"

namespace dasgd::gui {

// Text as text: nothing in it is a command. Greek letters and ± become mathematics, other letters that pdflatex has no
// font for become their code, as U+4E2D.
[[nodiscard]] QString latexText(const QString& text);

// Needs the packages booktabs and graphicx. It is set in smaller type where it would be wider than the text around it;
// its notes stand below it as text. What all rows say alike of n and of the clock is one of them.
[[nodiscard]] QString booktabsOf(const FigureTable& table);

// The command that has it in a paper.
[[nodiscard]] QString captionTex(const QString& caption);

// The numbers that the document reads: columns x1, y1, low1, high1, half1, x2, …, of the curves, then of the lines
// behind them; at most kMostPlotRows of each.
[[nodiscard]] QString plotNumbers(const std::vector<Curve>& curves, const PlotAxes& axes);
inline constexpr std::size_t kMostPlotRows = 200;

// The document; `numbers` is the name of the file beside it, without a folder. Its page is as wide as the figure.
[[nodiscard]] QString pgfplotsOf(const FigureContent& content, const FigureSpec& spec, const QString& numbers);

}  // namespace dasgd::gui
