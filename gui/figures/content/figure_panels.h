// A figure of several panels, labelled (a), (b), … and arranged in a grid. Each panel is read and drawn as a figure of
// its own.
#pragma once

#include <span>

#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

// Number of panels beside each other: the spec's, reduced until none is narrower than two inches.
[[nodiscard]] int panelsAcross(const FigureSpec& spec);
// Spec of a panel as it is drawn in the figure: with the figure's venue, as wide as its cell.
[[nodiscard]] FigureSpec panelSpec(const FigureSpec& spec, std::size_t panel);

// Reads every panel. Any thread. Panels of curves share one legend above all of them if each name has the same style in
// all.
[[nodiscard]] Result<FigureContent> readPanels(storage::WorkspaceReader& reader, const FigureSpec& spec,
                                               std::span<const RunItemPtr> all);
// The curves of the legend that the panels share; none where each has its own.
[[nodiscard]] std::vector<Curve> sharedLegendOf(const FigureContent& content, const FigureSpec& spec);
// Spec of the panel that gives the shared legend its palette, dashes and markers: the first with curves.
[[nodiscard]] const FigureSpec& lookOfLegend(const FigureContent& content, const FigureSpec& spec);
// UI thread.
[[nodiscard]] PaperPage layOutPanels(const FigureContent& content, const FigureSpec& spec, std::size_t buckets);

// The LaTeX document of all panels; it reads the numbers of panel a from STEM-a-plot.csv.
[[nodiscard]] QString panelsTex(const FigureContent& content, const FigureSpec& spec, const QString& stem);

}  // namespace dasgd::gui
