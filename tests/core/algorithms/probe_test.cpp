// Metrics that the algorithm of `dasgd calibrate` records; calibrate_test shows that their values are right.
#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::SizeIs;

Value experiment(std::int64_t steps) {
    return table({{"algorithm", table({{"name", text("probe")},
                                       {"alone", integer(4)},
                                       {"overlapped", integer(3)},
                                       {"sizes", integer(2)},
                                       {"repeats", integer(2)}})},
                  {"model", table({{"name", text("lenet")}})},
                  {"train", table({{"steps", integer(steps)}})},
                  {"cluster", table({{"backend", text("virtual")}, {"workers", integer(2)}})},
                  {"network", gigabit()},
                  {"compute", table({{"step_time", text("3ms")}, {"forward_share", number(0.5)}})}});
}

std::int64_t countOf(const RankRecord& record, SpanKind kind) {
    return std::ranges::count(record.sink.spans, kind, &Span::kind);
}

TEST(Probe, MeasuresAloneThenTransfersThenOverlappedThenAlone) {
    const auto records = trainVirtually(experiment(10));
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.outcome.error, "");
        const auto& metrics = record.sink.metrics;
        // 61,706 weights of 4 bytes, and a quarter of them; of an all-gather every rank gives its part.
        for (const char* name : {"probe/all_reduce_ms/246824", "probe/all_reduce_ms/61704",
                                 "probe/all_gather_ms/123412", "probe/all_gather_ms/30852"}) {
            ASSERT_THAT(metrics, Contains(Key(name)));
            EXPECT_THAT(metrics.at(name), SizeIs(2)) << name;
        }
        EXPECT_EQ(countOf(record, SpanKind::Snapshot), 2);
        // 8 transfers and as many meetings before them, what rank 0 decides, and one reduction for each overlapped
        // step.
        EXPECT_EQ(countOf(record, SpanKind::Reduce), 8 + 8 + 1 + 3);
        for (const Span& span : record.sink.spans) {
            EXPECT_TRUE(span.kind != SpanKind::Reduce || (span.step >= 5 && span.step <= 8)) << span.step;
        }
    }
}

TEST(Probe, KnowsWhenEachGradientWasReady) {
    const auto records = trainVirtually(experiment(10));
    const auto& metrics = records[0].sink.metrics;
    // The first layer's gradients come last, at the end of the backward pass; each layer has a weight and a bias.
    double before = 0;
    for (int slot = 0; slot < 10; slot += 2) {
        const double here = metrics.at("probe/gradient_before_end_ms/" + std::to_string(slot)).front().value;
        EXPECT_TRUE(slot > 0 || here < 0.01) << here;
        EXPECT_GE(here, before) << slot;
        before = here;
    }
    EXPECT_LE(before, 1.5) << "no gradient is ready before the backward pass begins";
}

TEST(Probe, LeavesTheTrainingAlone) {
    Value alone = experiment(10);
    alone.set("algorithm", table({{"name", text("independent")}}));
    const auto losses = [](const std::vector<RankRecord>& records) {
        std::vector<double> values;
        for (const auto& point : records[1].sink.metrics.at("train/loss")) values.push_back(point.value);
        return values;
    };
    alone.set("cluster", table({{"backend", text("threads")}, {"workers", integer(2)}}));
    for (const char* section : {"network", "compute"}) alone.erase(section);
    EXPECT_EQ(losses(trainVirtually(experiment(10))), losses(train(alone)));
}

const AlgorithmTrial::Add kProbeTrial{
    {.algorithm = "probe",
     .fields = {{"alone", integer(8)}, {"overlapped", integer(8)}, {"sizes", integer(2)}, {"repeats", integer(1)}},
     .rule = [](const SerialView&) { return SerialRule{}; },
     .measures = true}};

}  // namespace
}  // namespace dasgd::test
