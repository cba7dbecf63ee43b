// State of the Compare page: what is compared, its curves and its numbers. Plots, bars, map and table all show
// choice.shown(). UI thread.
#pragma once

#include "gui/compare/model/compare_results.h"

namespace dasgd::gui {

class CompareBoard {
public:
    explicit CompareBoard(Session& session);

    CompareChoice choice;
    CompareCurves curves;
    CompareResults results;

private:
    void request();

    CompareQuery& query_;
};

}  // namespace dasgd::gui
