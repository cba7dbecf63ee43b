// A workspace with a measured and a simulated line at 1, 2 and 4 workers, two seeds each, and a board that looks at it.
#pragma once

#include "gui/scaling/model/scaling_board.h"
#include "tests/gui/support/bench.h"
#include "tests/gui/support/scaling_runs.h"

namespace dasgd::gui {

inline void recordTwoLines(storage::Store& store) {
    for (const char* backend : {"gloo", "virtual"}) {
        for (const int workers : {1, 2, 4}) {
            for (const int seed : {1, 2}) {
                test::recordScaling(store, {.backend = backend,
                                            .workers = workers,
                                            .seed = seed,
                                            .stepMs = 10.0 + workers + 0.2 * seed,
                                            .accuracies = {0.5, 0.8, 0.95}});
            }
        }
    }
}

// Complete before anything reads it: half of the lines would be lines too.
struct TwoLines {
    TwoLines() { recordTwoLines(workspace_.store()); }
    Workspace workspace_;
};

class ScalingBench : public ::testing::Test, protected TwoLines {
protected:
    // Waits until both lines have all their points.
    void look() {
        board_.setWatching(true);
        ASSERT_TRUE(eventually([&] { return board_.drawn().size() == 2 && board_.missing() == 0; }));
    }
    Feed feed_{workspace_.path()};
    Session session_{feed_};
    ScalingBoard board_{session_};
};

}  // namespace dasgd::gui
