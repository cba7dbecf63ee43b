// The colour, dash and marker of each configuration, the same on every page and in every figure.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <tuple>

#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

inline constexpr int kCurveColors = 7;

// Indices into the theme's colours, dashes and markers. Two configurations of an experiment never share all three, and
// one configuration has one style in all experiments in which no other had it before. As long as there are others, one
// that has the marker of another that was asked for earlier has another colour and another dash, unless it is the first
// of its algorithm.
struct CurveStyle {
    int color = 0, dash = 0, marker = 0;
    bool operator==(const CurveStyle&) const = default;
};

// Gives each configuration of each experiment a style. One that an earlier experiment has too keeps the style of there,
// unless another has it here. Of the others the first of an algorithm has the algorithm's own style, in every
// experiment; the rest differ from it in dash and marker, and also in colour where the algorithm's settings differ or
// one sweep has several of them, as far as there are colours that no algorithm of the sweep or before it has. It
// follows from the runs alone, so that every page and figure comes to the same.
class StyleBook {
public:
    StyleBook();
    ~StyleBook();
    // All runs of the workspace, in any order: configurations choose in the order in which they were asked for,
    // whichever starts first and whatever experiment they are of. Call again when runs were added: what was asked for
    // before them keeps its style, and costs little.
    void assign(std::span<const RunItemPtr> runs);
    [[nodiscard]] CurveStyle styleOf(const RunItem& run) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Keeps curves of several experiments apart in one picture: a style that is taken, or differs in its dash alone, gets
// another marker, then another dash; its colour stays.
class StylesApart {
public:
    [[nodiscard]] CurveStyle take(CurveStyle wanted);

private:
    std::set<std::tuple<int, int, int>> taken_;
};

}  // namespace dasgd::gui
