#include "gui/timeline/model/beside/step_search.h"

#include <gtest/gtest.h>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

class StepSearchTest : public ::testing::Test {
protected:
    // Finds the step by looking at each span.
    std::optional<Ns> slowly(const QString& run, std::int64_t step) {
        std::optional<Ns> first;
        const Status done = bench_.store.reader().spans().each(run.toStdString(), [&](const storage::SpanRow& row) {
            if (row.span.step == step && row.span.lane == Lane::Compute && row.span.kind != SpanKind::Data)
                first = std::min(first.value_or(row.span.start), row.span.start);
            return true;
        });
        EXPECT_TRUE(done);
        return first;
    }
    // Number of calls that a search takes with no time left each time.
    int lookThrough(StepSearch& search) {
        for (int calls = 1; calls < 100'000; ++calls) {
            const auto known = search.look(bench_.store.reader().spans(), {});
            EXPECT_TRUE(known);
            if (!known || *known) return calls;
        }
        return 0;
    }
    LiveBench bench_;
};

TEST_F(StepSearchTest, FindsWhatALookAtEachSpanFindsInPortions) {
    const QString run = bench_.workspace.record({.steps = 1200});
    bench_.open();
    for (const std::int64_t step : {1, 37, 700, 1200}) {
        StepSearch search(run.toStdString(), step);
        lookThrough(search);
        ASSERT_TRUE(slowly(run, step)) << step;
        EXPECT_EQ(search.start(), slowly(run, step)) << step;
    }
    StepSearch absent(run.toStdString(), 1300);
    EXPECT_GT(lookThrough(absent), 2) << "a portion is not all of it";
    EXPECT_FALSE(absent.start());
}

TEST_F(StepSearchTest, ARunWithoutSpansHasNoStep) {
    bench_.workspace.record({.steps = 10});
    bench_.open();
    StepSearch search("nobody", 1);
    EXPECT_EQ(lookThrough(search), 1);
    EXPECT_FALSE(search.start());
}

}  // namespace
}  // namespace dasgd::gui
