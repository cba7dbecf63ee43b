// Bars, maps, parallel coordinates and timelines as TikZ pictures with the numbers in them, and what these share with
// the other pictures.
#pragma once

#include <QString>

#include "gui/figures/figure_content.h"

namespace dasgd::gui {

[[nodiscard]] QString fontCommand(int points);
// Narrower than the axis with its labels: else it would make the picture wider.
[[nodiscard]] QString notesBelow(const QStringList& notes, const FigureSpec& spec);
// Colours are curve0, curve1, … of the styles.
[[nodiscard]] QString barsPicture(const FigureContent& content, const FigureSpec& spec);
[[nodiscard]] QString mapPicture(const FigureContent& content, const FigureSpec& spec);
// The same of parallel coordinates: straight lines, with the words and places that the page has.
[[nodiscard]] QString parallelPicture(const FigureContent& content, const FigureSpec& spec);
// The same of a timeline: what its page has, a lane a row.
[[nodiscard]] QString timelinePicture(const FigureContent& content, const FigureSpec& spec);
// The same of any kind but panels. What the curves of a picture read is \numbers.
[[nodiscard]] QString pictureOf(const FigureContent& content, const FigureSpec& spec);
// Defines the colours that the picture names.
[[nodiscard]] QString colorsOf(const FigureContent& content, const FigureSpec& spec);
// Options of TikZ: colour, width and dash of a curve; its markers.
[[nodiscard]] QString strokeOptions(const Curve& curve, bool dashes);
[[nodiscard]] QString markOptions(const Curve& curve, bool markers);
// Stroke and marker of a curve, as wide as a word of a legend.
[[nodiscard]] QString legendSample(const Curve& curve, const FigureSpec& spec);
// Class and packages of a document.
[[nodiscard]] QString texPreamble();

}  // namespace dasgd::gui
