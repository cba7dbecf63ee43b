#include "gui/data/feed/queue_query.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "storage/queue/queue.h"
#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

void enqueue(storage::Store& store, const std::string& id) {
    storage::RunInfo info{.runId = id, .experiment = "e", .algorithm = "dasgd", .workers = 1};
    info.queueEntry.emplace();
    ASSERT_TRUE(store.addRun(info));
}

TEST(QueueQuery, TellsWhatWaitsAndWhetherItWillStart) {
    LiveBench bench;
    QueueQuery query;
    std::vector<QueueState> told;
    QObject::connect(&query, &QueueQuery::changed, [&](const QueueState& state) { told.push_back(state); });
    bench.workspace.record({.steps = 8});
    bench.refresh(query);
    EXPECT_TRUE(told.empty()) << "nothing waits";

    enqueue(bench.workspace.store(), "a");
    enqueue(bench.workspace.store(), "b");
    bench.refresh(query);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told.back(), (QueueState{.waiting = 2}));

    auto queue = storage::QueueStore::open(bench.workspace.path()).value();
    ASSERT_TRUE(queue.setHeld({"b"}, true));
    bench.refresh(query);
    EXPECT_EQ(told.back(), (QueueState{.waiting = 1})) << "what is held waits for its release";
    ASSERT_TRUE(queue.setPaused(true));
    bench.refresh(query);
    EXPECT_EQ(told.back(), (QueueState{.waiting = 1, .paused = true}));
    ASSERT_TRUE(queue.setPaused(false));
    bench.refresh(query);

    // The changes of this block are not committed.
    {
        const auto lock = storage::takeQueueLock(bench.workspace.store().paths());
        ASSERT_TRUE(lock && *lock);
        (*lock)->sign();
        ASSERT_TRUE(eventually([&] {
            bench.refresh(query);
            return told.back() == QueueState{.waiting = 1, .worked = true};
        }));
    }
    EXPECT_TRUE(eventually([&] {
        bench.refresh(query);
        return told.back() == QueueState{.waiting = 1};
    }));
}

// The only entry is a run that trained when the machine went down, and can go on.
TEST(QueueQuery, ARunWhoseProcessDiedWaitsForSomebodyToWorkTheQueue) {
    LiveBench bench;
    enqueue(bench.workspace.store(), "a");
    ASSERT_TRUE(bench.workspace.store().abandonRun("a", "interrupted", "the machine went down"));
    QueueQuery query;
    QueueState told;
    QObject::connect(&query, &QueueQuery::changed, [&](const QueueState& state) { told = state; });
    bench.refresh(query);
    EXPECT_EQ(told, (QueueState{.waiting = 1}));
}

}  // namespace
}  // namespace dasgd::gui
