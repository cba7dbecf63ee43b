// A query against a workspace, refreshed in the test's own thread.
#pragma once

#include "gui/data/feed/live_query.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {

struct LiveBench {
    Workspace workspace;
    LiveStore store{workspace.path()};

    // Opens the store where it is not open, and notices what was committed.
    void open() {
        const auto state = store.open();
        ASSERT_TRUE(state) << state.error().message;
        ASSERT_EQ(*state, LiveStore::State::Open);
        const Status updated = store.update();
        ASSERT_TRUE(updated) << updated.error().message;
    }
    // Runs one round of `query`, with what it delivers.
    void refresh(LiveQuery& query) {
        open();
        const Status done = query.refresh(store);
        EXPECT_TRUE(done) << done.error().message;
        QTest::qWait(0);
    }
    // The rows of the store are known, as after a round of RunsQuery.
    void know() {
        open();
        LiveStore::Runs runs;
        const auto rows = store.reader().runs().list();
        ASSERT_TRUE(rows);
        for (const storage::RunRow& row : *rows) runs[QString::fromStdString(row.runId)] = makeRunItem(row);
        store.setRuns(std::move(runs));
    }
};

}  // namespace dasgd::gui
