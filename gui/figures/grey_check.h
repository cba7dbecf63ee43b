// Which curves of a figure look alike where a printer has no colour, and what tells them apart then. Pure.
#pragma once

#include "gui/figures/figure_content.h"

namespace dasgd::gui {

struct GreyCheck {
    int alike = 0;          // pairs of curves whose colours are about equally light
    int apart = 0;          // of these, pairs that differ in a dash or marker that is drawn
    QString first, second;  // names of such a pair, of one that nothing tells apart before the others
    [[nodiscard]] bool good() const { return apart == alike; }
    // "in grey 2 pairs look alike: dash or marker differs"; "" without a pair of curves.
    [[nodiscard]] QString inWords() const;
    bool any = false;  // there is a pair of curves at all
};

// Of curves in axes and of parallel coordinates; of panels what all of theirs add up to. Bars, maps and timelines name
// what they draw beside it, and none is `any`.
[[nodiscard]] GreyCheck checkGrey(const FigureContent& content, const FigureSpec& spec);

}  // namespace dasgd::gui
