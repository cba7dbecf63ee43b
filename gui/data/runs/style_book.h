// Colour, dash and marker of each configuration, the same on every page and in every figure.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <tuple>

#include "gui/data/runs/run_item.h"
#include "gui/kit/curves/curve_style.h"

namespace dasgd::gui {

// Assigns a style to each configuration of each experiment. A configuration of an earlier experiment keeps its style,
// unless it is taken here. Of the others, the first of an algorithm has the algorithm's own style, in every experiment;
// the rest differ from it in dash and marker, and in colour if the algorithm's settings differ or one sweep has several
// of them, as long as there are colours that no algorithm of the sweep or before it has. The styles depend on the runs
// alone, so every page and figure assigns the same ones.
class StyleBook {
public:
    StyleBook();
    ~StyleBook();
    // `runs`: all runs of the workspace, in any order. Styles are assigned in the order in which runs were requested,
    // whatever their start or experiment. Call again when runs were added: earlier configurations keep their styles at
    // little cost.
    void assign(std::span<const RunItemPtr> runs);
    [[nodiscard]] CurveStyle styleOf(const RunItem& run) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Distinguishes curves of several experiments in one picture: a style that is taken, or that differs from a taken one
// only in its dash, gets another marker, then another dash; the colour stays.
class StylesApart {
public:
    [[nodiscard]] CurveStyle take(CurveStyle wanted);

private:
    std::set<std::tuple<int, int, int>> taken_;
};

}  // namespace dasgd::gui
