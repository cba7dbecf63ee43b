// Check for print without colour: curves that look alike in grey, and whether dashes or markers tell them apart. Pure.
#pragma once

#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

struct GreyCheck {
    int alike = 0;          // pairs of curves whose colours are about equally light
    int apart = 0;          // pairs of these that differ in a dash or marker that is drawn
    QString first, second;  // names of one pair alike; one that nothing tells apart, if there is such a pair
    [[nodiscard]] bool good() const { return apart == alike; }
    // Result in words: "in grey 2 pairs look alike: dash or marker differs"; "" without a pair of curves.
    [[nodiscard]] QString inWords() const;
    bool any = false;  // true if the figure has at least one pair of curves
};

// Checks curves in axes; panels are added up. Bars, maps and timelines label their parts in
// place and have no pairs (`any` is false).
[[nodiscard]] GreyCheck checkGrey(const FigureContent& content, const FigureSpec& spec);

}  // namespace dasgd::gui
