// Time of a step in which only some of the communication can be hidden, against values computed by hand.
#include <gmock/gmock.h>
#include <torch/types.h>

#include "core/cost/cost.h"
#include "core/cost/memory/sizing.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

constexpr double kStep = 0.020;
constexpr int kSamples = 8;
const LinkCost kLink{.alpha = 50e-6, .beta = 1 / 125e6};

// Time only, four workers unless told otherwise, on links of 1 Gbit/s.
Value experiment(Fields algorithm, Fields layers, int workers = 4) {
    algorithm.emplace_back("name", text("hybrid_sgd"));
    layers.emplace_back("name", text("layer_table"));
    return table({{"algorithm", table(std::move(algorithm))},
                  {"model", table(std::move(layers))},
                  {"train", table({{"steps", integer(20)}, {"batch_size", integer(kSamples)}})},
                  {"cluster", table({{"backend", text("virtual")}, {"workers", integer(workers)}})},
                  {"network", table({{"bandwidth", text("1Gbps")}, {"latency", text("50us")}})},
                  {"compute", table({{"mode", text("time-only")}, {"step_time", text("20ms")}})}});
}

double stepSeconds(const std::vector<RankRecord>& records) {
    EXPECT_EQ(records[0].outcome.error, "");
    return meanStepSeconds(records[0]);
}

// Bytes that rank 0 sends per step; a run has 20 steps.
double bytesSent(const std::vector<RankRecord>& records) {
    return static_cast<double>(records[0].sink.metrics.at("train/step_ms").back().bytesSent) / 20;
}

// A million products with four weights, then a hundred thousand with one weight each: the backward pass of the
// convolution, 1/2.3 of the step, outlasts the exchange of the other's weights.
Fields convolutionFirst() { return {{"conv", matrix({{2, 2, 1, 500, 500}})}, {"dense", matrix({{1000, 100}})}}; }
constexpr double kDenseBytes = 4e5;
double convolution() { return ringAllReduceSeconds(kLink, 16, 4); }

TEST(HybridSgd, WaitsForASingleLayerAltogether) {
    const auto records = trainVirtually(experiment({{"groups", integer(4)}}, {{"dense", matrix({{1000, 100}})}}));
    EXPECT_NEAR(stepSeconds(records), kStep + ringAllReduceSeconds(kLink, kDenseBytes, 4), 1e-6);
    EXPECT_EQ(overlapOf(records[0]).hidden, 0) << "the wait is no part of the forward pass";
    EXPECT_NEAR(seconds(overlapOf(records[0]).compute), 20 * kStep, 1e-6);
}

TEST(HybridSgd, HidesALayersGradientsBehindTheLayersBelow) {
    const auto records = trainVirtually(experiment({{"groups", integer(4)}}, convolutionFirst()));
    EXPECT_NEAR(stepSeconds(records), kStep + convolution(), 1e-6);
    EXPECT_GT(overlapOf(records[0]).hiddenFraction(), 0.9);
}

// A layer that comes last in the forward pass has that pass to hide behind as well.
TEST(HybridSgd, HidesThemBehindTheNextForwardPassToo) {
    const Fields layers{{"conv", matrix({{2, 2, 1, 500, 500}})}, {"dense", matrix({{1000, 300}})}};
    const auto records = trainVirtually(experiment({{"groups", integer(4)}}, layers));
    const double products = 1e6 + 1e6 + 3 * 3e5;
    const double exchange = ringAllReduceSeconds(kLink, 3 * kDenseBytes, 4);
    ASSERT_GT(exchange, kStep * 1e6 / products) << "longer than the backward pass of the convolution";
    // The convolution's gradient leaves after it, and the forward pass waits for that.
    EXPECT_NEAR(stepSeconds(records), kStep + exchange - kStep * 1e6 / products + convolution(), 1e-5);
}

TEST(HybridSgd, ExchangesInputsAndTheirGradientsWithinTheGroup) {
    const auto records = trainVirtually(experiment({{"groups", integer(1)}}, convolutionFirst()));
    const double message = messageSeconds(kLink, 4.0 * 1000 * kSamples);
    EXPECT_NEAR(stepSeconds(records), kStep + 2 * 3 * message + convolution(), 1e-6);
    EXPECT_NEAR(bytesSent(records), 2 * 3 * 4.0 * 1000 * kSamples + 24, 1e-6) << "and no weights of the split layer";
}

TEST(HybridSgd, ExchangesSharesBetweenGroupsUnseen) {
    const auto records = trainVirtually(experiment({{"groups", integer(2)}}, convolutionFirst()));
    const double message = messageSeconds(kLink, 4.0 * 1000 * kSamples);
    EXPECT_NEAR(stepSeconds(records), kStep + 2 * message + convolution(), 1e-6);
    const double share = kDenseBytes / 2;  // of one of two ranks a group; half of it in either round
    EXPECT_NEAR(bytesSent(records), 2 * 4.0 * 1000 * kSamples + share + 24, 1e-6);
}

// 16 workers exchange a share among 8 groups of 2, with nothing to hide it behind but its own layer's inputs.
TEST(HybridSgd, SendsEveryPeerItsPartInTwoRounds) {
    const auto records = trainVirtually(experiment({{"groups", integer(8)}}, {{"dense", matrix({{1600, 1000}})}}, 16));
    const double part = 4.0 * 1600 * 1000 / 2 / 8;
    EXPECT_NEAR(stepSeconds(records), kStep + 2 * (kLink.alpha + 7 * part * kLink.beta), 1e-6);
    EXPECT_NEAR(bytesSent(records), 2 * 7 * part * 39 / 40, 1e-6) << "the last round has not been needed yet";
}

TEST(HybridSgd, HalvesTheBytesWhereReceivingHidesSending) {
    const auto records = trainVirtually(
        experiment({{"groups", integer(4)}, {"overlap", number(1)}}, {{"dense", matrix({{1000, 100}})}}));
    EXPECT_NEAR(stepSeconds(records), kStep + ringAllReduceSeconds(kLink, kDenseBytes / 2, 4), 1e-6);
}

// The default number of groups is the one with which the sizing rules count the fewest bytes.
class BestGroups : public ::testing::TestWithParam<int> {};

TEST_P(BestGroups, SendLeastInSimulatedTime) {
    const int outputs = GetParam();
    const Fields layers{{"conv", matrix({{2, 2, 1, 500, 500}})}, {"dense", matrix({{1000, double(outputs)}})}};
    const double chosen = bytesSent(trainVirtually(experiment({}, layers, 16)));
    int best = 1;
    for (const int groups : {2, 4, 8, 16}) {
        const auto bytes = [&](int count) { return hybridBytes(1000, outputs, 16 * kSamples, count, 16, 0); };
        if (bytes(groups) <= bytes(best)) best = groups;
    }
    // 1 ring of inputs both ways, 2 rounds between the groups or one all-reduce, and the convolution's weight.
    const int members = 16 / best;
    const double within = members > 1 ? 2.0 * (members - 1) * 4 * 1000 * kSamples : 0;
    const double between = 2.0 * 4 * 1000 * outputs / members * (best - 1) / best;
    EXPECT_NEAR(chosen, within + between + 30, 1);
}

INSTANTIATE_TEST_SUITE_P(Outputs, BestGroups, ::testing::Values(4000, 400, 100, 8));

TEST(HybridSgd, IsRefusedWhereItWouldHaveToTrain) {
    Value document = experiment({}, convolutionFirst());
    document.find("compute")->set("mode", text("maths"));
    const auto read = readExperiment(document);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("mode = \"time-only\""));
}

const AlgorithmTrial::Add kHybridSgdTrial{{.algorithm = "hybrid_sgd"}};

}  // namespace
}  // namespace dasgd::test
