// Bars, maps, graphs and timelines as TikZ pictures with the numbers in them, and the parts that
// all pictures share.
#pragma once

#include <QString>

#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

[[nodiscard]] QString fontCommand(int points);
// Pictures of bars and of a map. Colours are named curve0, curve1, … by CurveStyle::color; see colorsOf().
[[nodiscard]] QString barsPicture(const FigureContent& content, const FigureSpec& spec);
[[nodiscard]] QString mapPicture(const FigureContent& content, const FigureSpec& spec);
// Picture of a graph of gossip as on the printed page.
[[nodiscard]] QString graphPicture(const FigureContent& content, const FigureSpec& spec);
// Picture of a timeline with the content of the printed page, a row for each lane.
[[nodiscard]] QString timelinePicture(const FigureContent& content, const FigureSpec& spec);
// Picture of any kind but panels. Curves read their numbers from the table \numbers.
[[nodiscard]] QString pictureOf(const FigureContent& content, const FigureSpec& spec);
// Defines the colours that the picture names.
[[nodiscard]] QString colorsOf(const FigureContent& content, const FigureSpec& spec);
// TikZ options for a curve: colour, width and dash of its line; shape of its markers.
[[nodiscard]] QString strokeOptions(const Curve& curve, bool dashes);
[[nodiscard]] QString markOptions(const Curve& curve, bool markers);
// Legend sample of a curve in TikZ: its stroke and marker, 18 pt wide.
[[nodiscard]] QString legendSample(const Curve& curve, const FigureSpec& spec);
// Document class and packages of a LaTeX document.
[[nodiscard]] QString texPreamble();

}  // namespace dasgd::gui
