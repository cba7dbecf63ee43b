// Swarms that meet in rounds and code their weights as lattice points, against the rule in plain doubles.
#include "core/algorithms/gossip/coded_pairs.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <cmath>

#include "core/exec/cpu_executor.h"
#include "core/step/archive.h"
#include "tests/support/gossip_oracle.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

constexpr double kSwarmSide = 0.07;

// m = s + Σⱼ Wᵢⱼ·(C(sⱼ) − C(sᵢ)) with C(s) the nearest multiple of the side: what decoding comes to within the reach.
Workers roundedMixture(const Rows& w, const Workers& x) {
    Workers points = x, m = x;
    for (Vec& each : points) {
        for (double& number : each) number = kSwarmSide * std::round(number / kSwarmSide);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < x.size(); ++j) {
            for (std::size_t e = 0; e < x[i].size() && j != i; ++e) m[i][e] += w[i][j] * (points[j][e] - points[i][e]);
        }
    }
    return m;
}

Value codedSwarm(const QuadraticProblem& problem, bool blocking, double side = kSwarmSide) {
    Value document =
        problem.experiment({{"name", text("swarm_sgd")}, {"period", integer(3)}, {"blocking", boolean(blocking)}});
    document.set("compression", table({{"name", text("lattice")}, {"side", number(side)}}));
    return document;
}

using SwarmCase = std::tuple<int, bool, Backend>;
class CodedSwarm : public testing::TestWithParam<SwarmCase> {};

TEST_P(CodedSwarm, TakesTheWayOfRoundedWeights) {
    const auto& [workers, blocking, backend] = GetParam();
    const QuadraticProblem problem{.workers = workers, .steps = 60, .rate = 0.05};
    const GossipSetting setting = blocking ? GossipSetting{.period = 3, .delay = 0, .c = 0, .atZero = false}
                                           : GossipSetting{.period = 3, .delay = 3};
    const Workers start(static_cast<std::size_t>(workers), problem.start);
    expectSame(recorded(train(codedSwarm(problem, blocking), backend)),
               serial(problem, gossips(setting, graphOf("random-pair"), start, 1, roundedMixture)), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Settings, CodedSwarm,
                         testing::Combine(testing::Values(1, 2, 5), testing::Bool(),
                                          testing::Values(Backend::Threads, Backend::Gloo)),
                         [](const auto& info) {
                             return std::to_string(std::get<0>(info.param)) +
                                    (std::get<1>(info.param) ? "_blocking_" : "_late_") +
                                    nameOf(std::get<2>(info.param));
                         });

// Coding moves no mean, and rounds no step away.
TEST(CodedSwarms, LeaveTheMeanToTheLocalSteps) {
    const QuadraticProblem problem{.workers = 6, .steps = 60, .rate = 0.05};
    const Trajectory free = recorded(train(problem.experiment({{"name", text("independent")}})));
    for (const bool blocking : {false, true}) {
        const Trajectory mixed = recorded(train(codedSwarm(problem, blocking)));
        EXPECT_NE(mixed.back(), free.back());
        for (std::size_t k = 0; k < free.size(); ++k) {
            const Vec got = mean(mixed[k]), expected = mean(free[k]);
            for (std::size_t j = 0; j < got.size(); ++j) EXPECT_NEAR(got[j], expected[j], 1e-11) << "step " << k;
        }
    }
}

// Three weights of 8 bits; of five ranks one idles in each round, after steps 0, 3, …, 27 and perhaps 30.
TEST(CodedSwarms, SendMessagesAlone) {
    const QuadraticProblem problem{.workers = 5, .steps = 30};
    const auto records = train(codedSwarm(problem, false));
    std::int64_t sent = 0;
    for (const RankRecord& record : records) {
        sent += record.sink.metrics.at("train/loss").back().bytesSent;
        EXPECT_DOUBLE_EQ(record.sink.metrics.at("compression/ratio").at(0).value, 3.0 / 24);
        EXPECT_EQ(record.sink.metrics.at("compression/ratio").size(), 1U);
    }
    EXPECT_GE(sent, 4 * 3 * 10);
    EXPECT_LE(sent, 4 * 3 * 11);
}

TEST(CodedSwarms, FailByNameWhereRanksDriftApart) {
    const auto records = train(codedSwarm({.workers = 2, .steps = 30, .rate = 0.05}, true, 1e-4));
    std::string said;
    for (const RankRecord& record : records) said += record.outcome.error + "\n";
    EXPECT_THAT(said, HasSubstr("[compression] lattice may take one weight for another: set a larger side, or more"));
    EXPECT_THAT(said, testing::ContainsRegex("rank [01] decodes in step 3 a weight of its partner that is"));
}

std::shared_ptr<const CompressionSettings> swarmLattice() {
    return std::make_shared<const CompressionSettings>(CompressionSettings{
        .name = "lattice",
        .compressor = CompressorRegistry::find("lattice")->create(table({{"side", number(0.1)}}), {}).value()});
}

TEST(CodedSwarms, AreSavedWithTheirMessagesUnderWay) {
    runRanks(Backend::Threads, 5, [](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(torch::nn::LinearOptions(11, 1).bias(false));
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor, 1, {.seed = 7});
        const at::NoGradGuard guard;
        const auto graph = graphOf("random-pair");
        const auto leaving = [&](int k) {
            return torch::sin(torch::arange(11, at::kDouble) * 1.3 + 1.7 * comm.rank().value() + 0.9 * k);
        };
        const auto merged = [&](CodedPairs& pairs, at::Tensor x) {
            pairs.encode(context, x);
            pairs.launch(context);
            pairs.arrive(context);
            pairs.decode(x);
            pairs.finish();
            return x;
        };
        CodedPairs whole(swarmLattice(), context, *graph);
        for (int k = 0; k < 3; ++k) merged(whole, leaving(k));
        at::Tensor x = leaving(3);
        whole.encode(context, x);
        whole.launch(context);
        Archive archive;
        whole.save(context, archive);
        CodedPairs resumed(swarmLattice(), context, *graph);
        ASSERT_TRUE(resumed.load(archive));
        at::Tensor y = x.clone();
        for (const auto& [pairs, tensor] : {std::pair(&whole, x), std::pair(&resumed, y)}) {
            pairs->arrive(context);
            pairs->decode(tensor);
            pairs->finish();
        }
        EXPECT_TRUE(torch::equal(x, y));
        EXPECT_TRUE(torch::equal(merged(whole, leaving(4)), merged(resumed, leaving(4)))) << "rounds go on alike";
    });
}

TEST(CodedSwarms, RefuseGraphsWithSeveralNeighboursARound) {
    EXPECT_FALSE(checkPairs(*graphOf("random-pair"), 7, "lattice"));
    EXPECT_FALSE(checkPairs(*graphOf("ring"), 2, "lattice"));
    EXPECT_FALSE(checkPairs(*graphOf("groups"), 8, "lattice"));
    const auto refused = checkPairs(*graphOf("ring"), 5, "lattice");
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "graph.name");
    EXPECT_THAT(refused->message, HasSubstr("a rank has 2 neighbours in one round: choose random-pair"));
}

}  // namespace
}  // namespace dasgd::test
