// The worker loop on the virtual cluster: the weights of the real backends, the step times of the cost model.
#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>
#include <map>

#include "core/analysis/spans/rank_meter.h"
#include "core/analysis/spans/timings.h"
#include "core/cost/cost.h"
#include "tests/support/oracle_formulas.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

using ::testing::Each;
using ::testing::Field;

std::int64_t bytesSentInTime(const std::string& model, Fields algorithm) {
    const auto records = trainVirtually(table(
        {{"algorithm", table(std::move(algorithm))},
         {"model", table({{"name", text(model)}})},
         {"data", table({{"name", text("synthetic")}, {"train_samples", integer(8)}, {"test_samples", integer(8)}})},
         {"train", table({{"steps", integer(4)}})},
         {"cluster", table({{"backend", text("virtual")}, {"workers", integer(2)}})},
         {"compute", table({{"mode", text("time-only")}, {"step_time", text("3ms")}})}}));
    EXPECT_EQ(records[0].outcome.error, "");
    return records[0].sink.metrics.at("train/step_ms").back().bytesSent;
}

// Bytes that one rank of two sends: an all-reduce and a broadcast by rank 0 send their payload once.
constexpr std::int64_t kMlpBytes = (784 * 128 + 128 + 128 * 10 + 10) * 4;
constexpr std::int64_t kResnetBytes = 11'173'962 * 4;
constexpr std::int64_t kStatisticsBytes = 2 * 4800 * 4;  // mean and variance of each channel

TEST(TimeOnly, SendsTheWeightsAlone) {
    EXPECT_EQ(bytesSentInTime("mlp", {{"name", text("local_sgd")}, {"period", integer(2)}}), 2 * kMlpBytes);
}

TEST(TimeOnly, SendsTheOptimisersStateWhereItIsAveraged) {
    const Fields averaging{{"name", text("local_sgd")}, {"period", integer(2)}, {"optimizer_state", text("average")}};
    EXPECT_EQ(bytesSentInTime("mlp", averaging), 2 * 2 * kMlpBytes) << "weights and momentum";
}

TEST(TimeOnly, SendsTheStatisticsOfBatchNorm) {
    EXPECT_EQ(bytesSentInTime("resnet18", {{"name", text("sync_sgd")}}), 4 * (kResnetBytes + kStatisticsBytes));
}

TEST(TimeOnly, SendsNoStatisticsWhereEachRankHasItsOwn) {
    EXPECT_EQ(bytesSentInTime("resnet18", {{"name", text("sync_sgd")}, {"broadcast_buffers", boolean(false)}}),
              4 * kResnetBytes);
}

// A network that draws as it trains, on every backend: the ranks' masks are their own and always the same.
Value withDropout(const std::string& backend) {
    return table(
        {{"algorithm", table({{"name", text("local_sgd")}, {"period", integer(2)}})},
         {"model", table({{"name", text("mlp")}, {"hidden", array<std::int64_t>({16, 16})}, {"dropout", number(0.5)}})},
         {"data", table({{"name", text("synthetic")},
                         {"shape", array<std::int64_t>({8})},
                         {"train_samples", integer(50)},
                         {"test_samples", integer(10)}})},
         {"train", table({{"epochs", integer(3)}, {"batch_size", integer(8)}})},
         {"cluster", table({{"backend", text(backend)}, {"workers", integer(2)}})}});
}

TEST(Dropout, HasTheSameMasksOnEveryBackend) {
    const auto losses = [](const std::vector<RankRecord>& records) {
        std::vector<std::vector<double>> all;
        for (const RankRecord& record : records) {
            EXPECT_EQ(record.outcome.error, "");
            all.emplace_back();
            for (const auto& point : record.sink.metrics.at("train/loss")) all.back().push_back(point.value);
        }
        return all;
    };
    Value simulated = withDropout("virtual");
    simulated.set("compute", table({{"step_time", text("3ms")}}));
    const auto virtually = losses(trainVirtually(simulated));
    EXPECT_EQ(virtually.at(0).size(), 12U) << "4 batches an epoch, the last of 1 sample";
    EXPECT_EQ(virtually, losses(train(withDropout("threads"))));
    EXPECT_EQ(virtually, losses(train(withDropout("gloo"), Backend::Gloo)));
}

TEST(ShortBatch, TakesItsShareOfTheTime) {
    // 25 samples a rank in batches of 8: three full ones and one of a single sample.
    Value document = withDropout("virtual");
    document.set("algorithm", table({{"name", text("independent")}}));
    document.set("compute", table({{"step_time", text("8ms")}, {"forward_share", number(0.25)}}));
    const std::vector<RankRecord> records = trainVirtually(document);
    std::vector<double> forward;
    for (const Span& span : records[0].sink.spans) {
        if (span.kind == SpanKind::Forward) forward.push_back(seconds(span.end - span.start));
    }
    ASSERT_EQ(forward.size(), 12U);
    for (std::size_t i = 0; i < forward.size(); ++i) {
        EXPECT_NEAR(forward[i], (i % 4 == 3 ? 1.0 / 8 : 1.0) * 0.25 * 8e-3, 1e-8) << "step " << i + 1;
    }
}

TEST(Dropout, HasOtherMasksOnOtherRanks) {
    const auto experiment = readExperiment(withDropout("threads"));
    const TrainingData data = loadTrainingData(*experiment).value();
    const Batch batch = makeBatch(data.splits.train, torch::arange(8, torch::kInt64), torch::kFloat);
    const auto loss = [&](int rank) {
        const auto model = std::move(buildModel(*experiment, data, Rank{rank}).value());
        return model->loss(batch).item<double>();
    };
    EXPECT_EQ(loss(0), loss(0));
    EXPECT_NE(loss(0), loss(1));
}

// An evaluation after each average leaves: 10 ms for the average, of which the one step of delay hides 3.
TEST(VirtualTraining, AnEvaluationHidesNoCommunication) {
    Value document = quadratic("dasgd", 2, "virtual");
    document.find("train")->set("steps", integer(80));
    document.find("train")->set("eval_every", integer(4));
    document.set("network", table({{"fidelity", text("formula")}, {"latency", text("5ms")}}));
    document.set("compute", table({{"step_time", text("3ms")}, {"memory_bandwidth", text("1000TB/s")}}));
    const auto records = trainVirtually(document);
    const double steps = records[0].sink.metrics.at("timing/steps").back().value;
    EXPECT_EQ(steps, 72) << "from the wait in step 5 to that in step 77";
    const double exposed = 2 * 0.005 - 0.003;
    EXPECT_NEAR(records[0].sink.metrics.at("timing/seconds").back().value / steps, 0.003 + exposed / 4, 1e-6);
    EXPECT_EQ(records[0].sink.metrics.at("eval/loss").size(), 21U);
}

constexpr double kStep = 0.020;
constexpr std::int64_t kLenetBytes = 61'706 * 4;

// LeNet, time only: its all-reduce among 4 takes 0.3 ms + 1.5 · 246,824 B / bandwidth.
Value lenet(Fields algorithm, const std::string& bandwidth, std::int64_t steps = 40) {
    return table(
        {{"algorithm", table(std::move(algorithm))},
         {"model", table({{"name", text("lenet")}})},
         {"data", table({{"name", text("mnist")}})},
         {"train", table({{"steps", integer(steps)}, {"batch_size", integer(8)}})},
         {"cluster", table({{"backend", text("virtual")}, {"workers", integer(4)}})},
         {"network", table({{"name", text("star")}, {"bandwidth", text(bandwidth)}, {"latency", text("50us")}})},
         {"compute",
          table({{"mode", text("time-only")}, {"step_time", text("20ms")}, {"memory_bandwidth", text("1000TB/s")}})}});
}

double stepMs(const std::vector<RankRecord>& records) { return 1e3 * meanStepSeconds(records[0]); }

double allReduce(double bytesPerSecond, double bytes = kLenetBytes) {
    return ringAllReduceSeconds({.alpha = 50e-6, .beta = 1 / bytesPerSecond}, bytes, 4);
}

// Mean time of the 37 steps after the warm-up of 3: DaSGD pays its exposed communication at each merge.
class DasgdStep : public ::testing::TestWithParam<int> {};

TEST_P(DasgdStep, CostsWhatItsDelayDoesNotHide) {
    const int delay = GetParam();
    // T_m = 59.5 ms, three steps.
    const auto records =
        trainVirtually(lenet({{"name", text("dasgd")}, {"period", integer(4)}, {"delay", integer(delay)}}, "50Mbps"));
    const double exposed = std::max(0.0, allReduce(50e6 / 8) - delay * kStep);
    // Merges among steps 4 to 40: those of the snapshots at 4, 8, … that are due by then.
    const int merges = delay == 0 ? 10 : 9;
    EXPECT_NEAR(stepMs(records), 1e3 * (kStep + exposed * merges / 37), 1e-3);
    EXPECT_THAT(records, Each(Field(&RankRecord::outcome, Field(&WorkerOutcome::error, ""))));
}

INSTANTIATE_TEST_SUITE_P(Delays, DasgdStep, ::testing::Values(0, 1, 2, 3, 4));

TEST(VirtualTraining, IndependentTakesItsComputeTime) {
    const auto records = trainVirtually(lenet({{"name", text("independent")}}, "50Mbps"));
    EXPECT_NEAR(stepMs(records), 1e3 * kStep, 1e-6);
    EXPECT_FALSE(records[0].sink.metrics.contains("train/loss")) << "time only";
    EXPECT_EQ(records[3].sink.metrics.at("train/step_ms").back().step, 40);
}

TEST(VirtualTraining, OneBucketHidesNothing) {
    const auto oneBucket =
        trainVirtually(lenet({{"name", text("sync_sgd")}, {"first_bucket_mb", number(25)}}, "200Mbps"));
    EXPECT_NEAR(stepMs(oneBucket), 1e3 * (kStep + allReduce(200e6 / 8)), 0.01) << "nothing is hidden by one bucket";
}

TEST(VirtualTraining, BucketsLeaveAsTheirGradientsGetReady) {
    const auto records = trainVirtually(
        lenet({{"name", text("sync_sgd")}, {"first_bucket_mb", number(0.01)}, {"bucket_mb", number(0.05)}}, "200Mbps"));
    // Buckets from the last layer on: fc3 and fc2; fc1; both convolutions, which have few elements and nearly all of
    // the work.
    const std::vector<double> elements{11'014, 48'120, 2'572};
    const std::vector<double> products{2 * (840.0 + 10'080), 2 * 48'000.0, 2 * 240'000.0 + 117'600};
    const double forward = 416'520, backward = products[0] + products[1] + products[2];
    const double second = kStep / (forward + backward);  // of a multiply-add
    std::vector<double> ready, transfer;
    double before = 0;
    for (std::size_t bucket = 0; bucket < elements.size(); ++bucket) {
        before += products[bucket];
        ready.push_back(before * second);
        transfer.push_back(allReduce(200e6 / 8, 4 * elements[bucket]));
    }
    EXPECT_NEAR(stepMs(records), 1e3 * bucketedSgdStepSeconds(ready, transfer, forward * second, backward * second),
                0.01);
}

TEST(VirtualTraining, LocalSgdPaysEveryPeriod) {
    const auto records = trainVirtually(lenet({{"name", text("local_sgd")}, {"period", integer(4)}}, "200Mbps"));
    EXPECT_NEAR(stepMs(records), 1e3 * (kStep + allReduce(200e6 / 8) * 10 / 37), 1e-3);
}

Value with(Value document, const std::string& key, Value value) {
    document.find("compute")->set(key, std::move(value));
    return document;
}

// After some steps the snapshot of two weights takes less than the simulated clock can tell apart.
TEST(VirtualTraining, ContentionDoesNotHoldUpWhoHasFewWeights) {
    Value document = quadratic("dasgd", 2, "virtual");
    document.set("algorithm", table({{"name", text("dasgd")}, {"period", integer(4)}}));
    document.set(
        "compute",
        table({{"step_time", text("20s")}, {"memory_bandwidth", text("1000TB/s")}, {"contention", number(0.5)}}));
    const auto records = trainVirtually(document);
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.outcome.error, "");
        EXPECT_EQ(record.sink.metrics.at("train/loss").back().step, 23);
    }
    EXPECT_NEAR(stepMs(records), 20'000, 0.1) << "the all-reduces of two weights take some 50 microseconds each";
}

// A2.11: a rank that is late by less than d·T_c − T_m holds nobody up, and changes no value.
TEST(VirtualTraining, DelayAbsorbsAShortHiccupOfOneRank) {
    const Fields algorithm{{"name", text("dasgd")}, {"period", integer(4)}, {"delay", integer(3)}};
    const auto hiccup =
        table({{"ranks", array(std::vector<std::int64_t>{0})}, {"factor", number(1.9)}, {"every", integer(20)}});
    const auto records = trainVirtually(with(lenet(algorithm, "200Mbps"), "straggler", hiccup));
    for (const int rank : {1, 2, 3}) {
        EXPECT_EQ(overlapOf(records[static_cast<std::size_t>(rank)]).blocked, 0) << "18 ms late, 45 ms to spare";
    }
    EXPECT_NEAR(stepMs(records), 1e3 * (kStep + 0.9 * kStep * 2 / 37), 1e-3) << "rank 0 itself";
}

TEST(VirtualTraining, LocalSgdWaitsForTheHiccup) {
    const auto hiccup =
        table({{"ranks", array(std::vector<std::int64_t>{0})}, {"factor", number(1.9)}, {"every", integer(20)}});
    const auto records = trainVirtually(
        with(lenet({{"name", text("local_sgd")}, {"period", integer(4)}}, "200Mbps"), "straggler", hiccup));
    EXPECT_NEAR(seconds(overlapOf(records[1]).blocked), 10 * allReduce(200e6 / 8) + 2 * 0.9 * kStep, 1e-4);
}

// Overlap totals that a collector computes from the ranks' spans, all of them in one window.
std::vector<OverlapTotals> metered(const std::vector<RankRecord>& records) {
    std::map<std::uint64_t, Ns> lastArrival;
    for (const RankRecord& record : records) {
        for (const Span& span : record.sink.spans) {
            if (span.kind == SpanKind::Reduce) {
                lastArrival[span.collective] = std::max(lastArrival[span.collective], span.start);
            }
        }
    }
    std::vector<OverlapTotals> totals;
    for (const RankRecord& record : records) {
        RankMeter meter;
        for (const Span& span : record.sink.spans) {
            if (span.kind == SpanKind::Window) continue;
            const bool reduce = span.kind == SpanKind::Reduce;
            const DividedReduce divided = divideReduce(span, reduce ? lastArrival[span.collective] : 0);
            if (reduce && divided.skew) meter.add(*divided.skew);
            meter.add(reduce ? divided.transfer : span);
        }
        meter.add({.lane = Lane::Io, .kind = SpanKind::Window, .start = 0, .end = 1'000'000'000'000});
        totals.push_back(meter.totals());
    }
    return totals;
}

// A step of rank 1 takes twice as long, and nothing slows computing down: pooled over both ranks, 0.63 was told of it.
TEST(VirtualTraining, UnlikeRanksHaveNoInflationOfTheirOwn) {
    const Fields algorithm{{"name", text("dasgd")}, {"period", integer(4)}, {"delay", integer(3)}};
    Value document = with(lenet(algorithm, "20Mbps", 80), "rank_factors", vector({1, 2}));
    document.find("cluster")->set("workers", integer(2));
    const auto totals = metered(trainVirtually(with(std::move(document), "contention", number(0))));
    int known = 0;
    for (const OverlapTotals& rank : totals) {
        if (!rank.inflation()) continue;
        ++known;
        EXPECT_NEAR(*rank.inflation(), 1, 1e-6);
    }
    EXPECT_GT(known, 0);
    EXPECT_GT(totals[0].skew, 0) << "rank 0 is early each time";
    EXPECT_EQ(totals[1].skew, 0);
}

}  // namespace
}  // namespace dasgd::test
