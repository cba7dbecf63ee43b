// A result of each configuration over the values of one setting: time to target over delay, hidden share over
// bandwidth.
#pragma once

#include "gui/compare/model/compare_view.h"
#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

// A value of a setting as a number in the unit of its text: "200Mbps" and "0.2Gbps" are both 200 in Mbit/s.
struct AxisValue {
    double value = 0;
    QString unit;  // "" for pure numbers
};
// Nullopt for text that does not begin with a number.
[[nodiscard]] std::optional<AxisValue> axisValueOf(const std::string& text);

// The key of the setting that FigureSpec::over names: that key, or the one that ends in it ("bandwidth" is
// "network.bandwidth" or "cluster.link.bandwidth"); for "" one that was swept. "" where there is none.
[[nodiscard]] std::string overKey(const std::vector<CompareGroup>& groups, const QString& over);

// Draws FigureSpec::number over FigureSpec::over: a point for each configuration, joined where all other settings are
// the same, with the spread over seeds as its bar. Each source of `into` must stand for the group of its index; they
// become one a curve. Configurations without a number for the setting are named in a note.
void takeOver(const CompareView& view, const FigureSpec& spec, FigureContent& into);

}  // namespace dasgd::gui
