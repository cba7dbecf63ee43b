#include "experiments/tools/calibrate/computed_steps.h"

#include <gmock/gmock.h>

#include "tests/support/units.h"

namespace dasgd::experiments {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using test::kMs;

storage::SpanRow row(int rank, SpanKind kind, std::int64_t step, Ns fromMs, Ns toMs) {
    return {rank,
            {.lane = kind == SpanKind::Transfer ? Lane::Comm : Lane::Compute,
             .kind = kind,
             .step = step,
             .start = fromMs * kMs,
             .end = toMs * kMs}};
}

// Data, forward, backward, update of 1 + 3 + 6 + 1 ms, with 1 ms between backward and update that no span covers.
void addStep(std::vector<storage::SpanRow>& spans, int rank, std::int64_t step, Ns at) {
    spans.push_back(row(rank, SpanKind::Data, step, at, at + 1));
    spans.push_back(row(rank, SpanKind::Forward, step, at + 1, at + 4));
    spans.push_back(row(rank, SpanKind::Backward, step, at + 4, at + 10));
    spans.push_back(row(rank, SpanKind::Update, step, at + 11, at + 12));
}

const auto kMilliseconds = [](double ms) { return DoubleNear(ms * 1e-3, 1e-12); };

TEST(ComputedSteps, CountWhatALocalStepTakesAndNothingElse) {
    std::vector<storage::SpanRow> spans;
    addStep(spans, 0, 1, 0);
    spans.push_back(row(0, SpanKind::Snapshot, 1, 12, 14));
    spans.push_back(row(0, SpanKind::Wait, 1, 14, 20));
    spans.push_back(row(0, SpanKind::Merge, 1, 20, 21));
    addStep(spans, 0, 2, 22);  // a millisecond after the merge: it belongs to the step, whatever it was
    addStep(spans, 0, 3, 34);
    const auto steps = computedSteps(spans);
    ASSERT_THAT(steps, SizeIs(2)) << "the last one has no end";
    EXPECT_THAT(steps[0].seconds, kMilliseconds(13));
    EXPECT_THAT(steps[0].backward, kMilliseconds(6));
    EXPECT_THAT(steps[1].seconds, kMilliseconds(12));
}

TEST(ComputedSteps, SeeTheCollectivesOfTheirOwnRank) {
    std::vector<storage::SpanRow> spans;
    for (const int rank : {0, 1}) {
        addStep(spans, rank, 1, 0);
        addStep(spans, rank, 2, 12);
        addStep(spans, rank, 3, 24);
    }
    spans.push_back(
        row(0, SpanKind::Transfer, 1, 8, 14));  // 2 ms of the first backward pass, the update, 2 ms of the next
    spans.push_back(row(0, SpanKind::Transfer, 1, 13, 14));  // counts once
    const auto steps = computedSteps(spans);
    ASSERT_THAT(steps, SizeIs(4));
    EXPECT_THAT(steps[0].overlapped, kMilliseconds(3));
    EXPECT_THAT(steps[1].overlapped, kMilliseconds(2));
    EXPECT_EQ(steps[2].overlapped, 0);
    EXPECT_THAT(steps, ElementsAre(Field(&ComputedStep::rank, 0), Field(&ComputedStep::rank, 0),
                                   Field(&ComputedStep::rank, 1), Field(&ComputedStep::rank, 1)));
}

TEST(ComputedSteps, LeaveStepsWithAnEvaluationOut) {
    std::vector<storage::SpanRow> spans;
    addStep(spans, 0, 1, 0);
    spans.push_back(row(0, SpanKind::Eval, 1, 12, 90));
    addStep(spans, 0, 2, 90);
    addStep(spans, 0, 3, 102);
    EXPECT_THAT(computedSteps(spans), ElementsAre(Field(&ComputedStep::step, 2)));
    EXPECT_THAT(computedSteps({}), IsEmpty());
}

TEST(ComputedSteps, LeaveProfiledStepsOut) {
    std::vector<storage::SpanRow> spans;
    addStep(spans, 0, 1, 0);
    addStep(spans, 0, 2, 12);
    storage::SpanRow seen = row(0, SpanKind::Compute, 2, 14, 15);
    seen.span.lane = Lane::Io;
    spans.push_back(seen);
    addStep(spans, 0, 3, 24);
    addStep(spans, 0, 4, 36);
    EXPECT_THAT(computedSteps(spans), ElementsAre(Field(&ComputedStep::step, 1), Field(&ComputedStep::step, 3)));
}

}  // namespace
}  // namespace dasgd::experiments
