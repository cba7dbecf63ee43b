// A workspace with a sweep of two delays and a baseline, three seeds each, one of which was stopped early; and a board
// that looks at it.
#pragma once

#include "gui/compare/model/compare_board.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {

// Last step of the run that was stopped.
inline constexpr std::int64_t kStoppedAt = 60;

inline QString recordCompared(Workspace& workspace) {
    QString stopped;
    for (const int seed : {1, 2, 3}) {
        workspace.record({.algorithm = "sync_sgd", .seed = seed, .ranks = 2, .steps = 200, .stepsPerEpoch = 50});
        for (const int delay : {1, 3}) {
            const bool early = delay == 3 && seed == 3;
            const QString id = workspace.record({.seed = seed,
                                                 .ranks = 2,
                                                 .delay = delay,
                                                 .steps = early ? kStoppedAt : 200,
                                                 .stepsPerEpoch = 50,
                                                 .status = early ? "stopped" : "finished"});
            if (early) stopped = id;
        }
    }
    return stopped;
}

class CompareBench : public ::testing::Test {
protected:
    CompareBench() { stopped_ = recordCompared(workspace_); }
    // Waits until the newest experiment's loss over steps and its table are there.
    void look() {
        ASSERT_TRUE(eventually([&] {
            const auto& runs = session_.runs().items();
            return runs.size() == 9 &&
                   std::none_of(runs.begin(), runs.end(), [](const RunItemPtr& run) { return isLive(run->row); });
        }));
        board_.curves.want(this, loss_);
        board_.choice.setWatching(true);
        board_.choice.takeNewestExperiment();
        ASSERT_EQ(board_.choice.groups().size(), 3U);
        ASSERT_TRUE(eventually([&] { return board_.results.row(2) && board_.curves.curve(loss_, 2); }));
    }
    // The place of the group whose name holds this.
    [[nodiscard]] std::size_t placeOf(const char* name) const {
        for (std::size_t i = 0; i < board_.choice.groups().size(); ++i) {
            // A symbol and its value stay on one line.
            QString own = board_.choice.groups()[i].name;
            if (own.replace(QChar(0x00a0), QLatin1Char(' ')).contains(QString::fromUtf8(name))) return i;
        }
        ADD_FAILURE() << "no configuration " << name;
        return 0;
    }
    Workspace workspace_;
    QString stopped_;
    Feed feed_{workspace_.path()};
    Session session_{feed_};
    CompareBoard board_{session_};
    CompareCurveKey loss_{"train/loss", XAxis::Step};
};

}  // namespace dasgd::gui
