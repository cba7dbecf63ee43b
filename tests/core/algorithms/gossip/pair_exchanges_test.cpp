// The engine on the virtual cluster, held to exchanges of pairs as events in plain doubles
// (tests/support/pair_oracle.h) in weights, instants and staleness; and what each exchange keeps, on threads.
#include "core/algorithms/gossip/pair_exchanges.h"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <random>

#include "core/base/random.h"
#include "core/train/checkpoint/checkpoint_writer.h"
#include "core/train/checkpoint/rank_counters.h"
#include "tests/support/driven_algorithm.h"
#include "tests/support/graph_trials.h"
#include "tests/support/pair_oracle.h"
#include "tests/support/resumed_runs.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kPairsSeed = 9;
constexpr std::int64_t kSecondOfNs = 1'000'000'000;
// Bytes take no time here that the oracle knows of: as in server_on_virtual_cluster_test.cpp.
constexpr std::int64_t kOffNs = 10'000;

struct PairSetting {
    std::string what;
    Fields algorithm;
    std::string graph;
    std::vector<double> factors;  // of the ranks' step times
    std::int64_t period = 1;
    bool onlyOddRanksAsk = true;
    std::int64_t steps = 60;
    double side = 0;  // of a lattice that weights are coded by; 0: they are not

    [[nodiscard]] int ranks() const { return static_cast<int>(factors.size()); }
    [[nodiscard]] QuadraticProblem problem() const {
        return {.workers = ranks(), .steps = steps, .rate = 0.02, .momentum = 0.5};
    }
    [[nodiscard]] Value document() const {
        Value document = problem().experiment(algorithm);
        document.find("train")->set("seed", integer(kPairsSeed));
        document.set("graph", table({{"name", text(graph)}}));
        if (side > 0) document.set("compression", table({{"name", text("lattice")}, {"side", number(side)}}));
        document.set("cluster",
                     table({{"backend", text("virtual")}, {"workers", integer(ranks())}, {"timeout_s", number(8e4)}}));
        document.set("network", table({{"bandwidth", text("1000Gbps")}, {"latency", text("1s")}}));
        document.set("compute", table({{"step_time", text("100s")},
                                       {"memory_bandwidth", text("1000TB/s")},
                                       {"rank_factors", vector(factors)}}));
        return document;
    }
    // Partners by the text: a neighbour in the next round in which the rank has one that answers, of several the
    // ⌊u·n⌋-th, u drawn for the rank and the round.
    [[nodiscard]] std::function<int(int)> partner() const {
        return [rounds = std::make_shared<std::map<int, std::int64_t>>(), size = ranks(), odd = onlyOddRanksAsk,
                graph = std::shared_ptr<const Graph>(graphOf(graph))](int rank) {
            while (true) {
                const std::int64_t round = (*rounds)[rank]++;
                std::vector<int> able;
                for (const auto& to : graph->mix({.number = round, .size = size, .seed = kPairsSeed}, rank).to) {
                    if (!odd || to.value() % 2 == 0) able.push_back(to.value());
                }
                if (able.empty()) continue;
                if (able.size() == 1) return able.front();
                std::mt19937_64 draws(
                    streamSeed(kPairsSeed, rank, StreamPurpose::Graph, static_cast<std::uint64_t>(round)));
                const double u = static_cast<double>(draws() >> 11) * 0x1p-53;
                return able[static_cast<std::size_t>(std::floor(u * static_cast<double>(able.size())))];
            }
        };
    }
    [[nodiscard]] PairProblem oracle() const {
        PairProblem made{.training = problem(),
                         .messageNs = kSecondOfNs,
                         .period = period,
                         .asks = [odd = onlyOddRanksAsk](int rank) { return !odd || rank % 2 == 1; },
                         .partner = partner()};
        if (side > 0) made.code = [s = side](double weight) { return s * std::round(weight / s); };
        for (const double factor : factors) made.computeNs.push_back(std::llround(factor * 100 * kSecondOfNs));
        return made;
    }
};
void PrintTo(const PairSetting& setting, std::ostream* stream) { *stream << setting.what; }

class PairsOnTheVirtualCluster : public testing::TestWithParam<PairSetting> {};

TEST_P(PairsOnTheVirtualCluster, ExchangeAsTheOracleDoes) {
    const PairSetting& setting = GetParam();
    const auto records = trainVirtually(setting.document());
    const PairProblem problem = setting.oracle();
    const PairRun expected = PairOracle(problem).run();
    ASSERT_GT(expected.closestNs, 10 * kOffNs) << "no arrival is so near to a step's end that its order is open";
    expectSame(recorded(records), expected.weights, 1e-12);
    std::vector<std::vector<std::pair<std::int64_t, double>>> stale(records.size()), got(records.size());
    double late = 0;
    for (const auto& exchange : expected.exchanges) {
        late += exchange.late;
        stale[static_cast<std::size_t>(exchange.asker)].emplace_back(
            exchange.addedAfter, static_cast<double>(exchange.addedAfter - exchange.askedAfter));
    }
    EXPECT_GT(late, 0) << "some answers come after the last step";
    EXPECT_GT(expected.exchanges.size(), static_cast<std::size_t>(setting.steps / setting.period / 6));
    for (std::size_t i = 0; i < records.size(); ++i) {
        SCOPED_TRACE("rank " + std::to_string(i));
        const auto known = records[i].sink.metrics.find("staleness/steps");
        if (known != records[i].sink.metrics.end()) {
            for (const auto& point : known->second) got[i].emplace_back(point.step, point.value);
        }
        EXPECT_EQ(got[i], stale[i]);
        std::vector<Ns> ends;
        for (const Span& span : records[i].sink.spans) {
            if (span.kind == SpanKind::Update) ends.push_back(span.end);
        }
        ASSERT_EQ(ends.size(), expected.ends[i].size());
        for (std::size_t k = 0; k < ends.size(); ++k) {
            ASSERT_NEAR(static_cast<double>(ends[k]), static_cast<double>(expected.ends[i][k]), kOffNs);
        }
    }
}

const Fields kAdPsgd{{"name", text("ad_psgd")}};
Fields swarmOf(std::int64_t period) {
    return {{"name", text("swarm_sgd")}, {"meet", text("own-pace")}, {"period", integer(period)}};
}

INSTANTIATE_TEST_SUITE_P(
    Settings, PairsOnTheVirtualCluster,
    testing::Values(
        PairSetting{"TwoOfOnePace", kAdPsgd, "random-pair", {1, 1}},
        PairSetting{"AFastOneAnswers", kAdPsgd, "random-pair", {0.2371, 1}},
        PairSetting{"AFastOneAsks", kAdPsgd, "random-pair", {1, 0.2371}},
        PairSetting{"RandomPairs", kAdPsgd, "random-pair", {1.0471, 1.7137, 1, 0.4173, 2.3119}},
        PairSetting{"Ring", kAdPsgd, "ring", {1.0471, 1.7137, 1, 0.4173, 2.3119, 1.2319}},
        PairSetting{"Line", kAdPsgd, "line", {1.0471, 1.7137, 1, 0.4173, 2.3119}},
        PairSetting{"Swarm", swarmOf(3), "random-pair", {1.0471, 1.7137, 1, 0.4173, 2.3119}, 3, false},
        PairSetting{"SwarmOnARing", swarmOf(1), "ring", {1.0471, 1.7137, 1, 0.4173}, 1, false},
        PairSetting{"CodedSwarm", swarmOf(3), "random-pair", {1.0471, 1.7137, 1, 0.4173, 2.3119}, 3, false, 60, 0.07},
        PairSetting{"CodedSwarmOnARing", swarmOf(1), "ring", {1.0471, 1.7137, 1, 0.4173}, 1, false, 60, 0.07}),
    [](const auto& info) { return info.param.what; });

// In lock-step, with messages shorter than a step: after each odd step the odd rank adds what it has and asks, after
// each even one the even rank answers.
TEST(PairExchanges, OfOnePaceMakeAClosedRuleInSimulatedTime) {
    const PairSetting setting{"", kAdPsgd, "random-pair", {1, 1}};
    Vec asked, half;
    const auto rule = [&](std::int64_t k, Workers& x) {
        Vec& odd = x[1];
        Vec& even = x[0];
        for (std::size_t j = 0; k % 2 == 1 && k > 1 && j < odd.size(); ++j) odd[j] += half[j];
        if (k % 2 == 1) {
            asked = odd;
            return;
        }
        half = even;
        for (std::size_t j = 0; j < even.size(); ++j) {
            half[j] = (even[j] - asked[j]) / 2;
            even[j] = (even[j] + asked[j]) / 2;
        }
    };
    expectSame(recorded(trainVirtually(setting.document())), serial(setting.problem(), rule), 1e-12);
}

// Sum of the first weight over all ranks, once nobody has anything under way.
double sumAtTheEnd(StepContext& context, Algorithm& algorithm) {
    algorithm.drain(context);
    at::Tensor sum = context.params().weights().narrow(0, 0, 1).clone();
    Pending pending = context.comm().allReduce(sum, Reduce::Sum);
    pending.wait();
    return sum[0].item<double>();
}

// A save answers whoever has asked: a run that is resumed from it has sent these answers too.
TEST(PairExchanges, CountTheAnswersThatASaveSendsInSimulatedTime) {
    const PairSetting setting{"", kAdPsgd, "random-pair", {1, 1.3771}};
    const TempDir dir;
    const CheckpointEnvironment checkpoints = checkpointsIn(dir / "run");
    StopAfter gate(8);
    const auto records = trainVirtually(setting.document(), {&checkpoints, &gate});
    const Checkpoint saved = CheckpointFolder(checkpoints.place.folder).at(8).value();
    for (const Rank rank : {Rank{0}, Rank{1}}) {
        std::int64_t sent = 0;
        for (const auto& [name, points] : records[static_cast<std::size_t>(rank.value())].sink.metrics) {
            for (const MemorySink::Point& point : points) sent = std::max(sent, point.bytesSent);
        }
        EXPECT_GT(sent, 0);
        // Behind the save the rank that asks says once more that it asks no longer.
        const std::int64_t goodbye = rank == Rank{1} ? 8 : 0;
        EXPECT_EQ(countersOf(readRank(saved, rank).value()).value().bytesSent + goodbye, sent)
            << "rank " << rank.value();
    }
}

class PairsWithoutGradients : public testing::TestWithParam<std::tuple<Fields, int>> {};

// Whole numbers can be halved 50 times: their sum stays to the last bit, whoever came first and whoever has ended.
TEST_P(PairsWithoutGradients, KeepTheSumToTheLastBit) {
    const auto& [fields, ranks] = GetParam();
    driveAlgorithm(fields, ranks, [&, ranks = ranks](StepContext& context, Algorithm& algorithm) {
        algorithm.start(context);
        const int own = context.comm().rank().value();
        context.params().weights().fill_(1 + 3 * own);
        // Ranks end after unequal numbers of steps, so that some answer long after their last.
        for (std::int64_t k = 1; k <= 4 + 4 * (own % 3); ++k) {
            context.moveTo(k, 0);
            algorithm.afterStep(context);
        }
        EXPECT_EQ(sumAtTheEnd(context, algorithm), ranks + 3 * (ranks - 1) * ranks / 2);
        if (ranks > 1) {
            EXPECT_NE(context.params().weights()[0].item<double>(), 1 + 3 * own) << "it has exchanged";
        }
    });
}

// The same of weights that are coded, among which are multiples of the side and others.
TEST(CodedPairExchanges, KeepTheSumToTheLastBitToo) {
    for (const double side : {0.5, 4.0}) {
        const auto settings = std::make_shared<const CompressionSettings>(CompressionSettings{
            .name = "lattice",
            .compressor = CompressorRegistry::find("lattice")->create(table({{"side", number(side)}}), {}).value()});
        for (const int ranks : {1, 2, 4, 6}) {
            driveAlgorithm(swarmOf(1), ranks, [&](StepContext& context, Algorithm& algorithm) {
                dynamic_cast<CompressesExchanges&>(algorithm).setCompression(settings);
                algorithm.start(context);
                const int own = context.comm().rank().value();
                context.params().weights().fill_(1 + 3 * own);
                for (std::int64_t k = 1; k <= 4 + 4 * (own % 3); ++k) {
                    context.moveTo(k, 0);
                    algorithm.afterStep(context);
                }
                EXPECT_EQ(sumAtTheEnd(context, algorithm), ranks + 3 * (ranks - 1) * ranks / 2);
            });
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Settings, PairsWithoutGradients,
                         testing::Combine(testing::Values(kAdPsgd, swarmOf(1)), testing::Values(1, 2, 4, 6)));

// Whatever the weights are, both ranks move by one and the same number.
TEST(PairExchanges, MoveBothRanksByTheSameNumber) {
    driveAlgorithm(kAdPsgd, 2, [](StepContext& context, Algorithm& algorithm) {
        algorithm.start(context);
        const double odd = 0.1, even = 1e7 / 3, half = (even - odd) / 2;
        const bool isOdd = context.comm().rank() == Rank{1};
        context.params().weights().fill_(isOdd ? odd : even);
        context.moveTo(1, 0);
        algorithm.afterStep(context);
        algorithm.drain(context);
        EXPECT_EQ(context.params().weights()[0].item<double>(), isOdd ? odd + half : even - half);
    });
}

TEST(PairExchanges, RefuseGraphsWhoseNeighboursBothAsk) {
    const auto refusalOf = [](const std::string& graph, int ranks, bool odd = true) {
        PairExchanges pairs({.onlyOddRanksAsk = odd});
        pairs.setGraph(graphOf(graph));
        return pairs.check(ranks);
    };
    for (const int ranks : {1, 2, 4, 6}) EXPECT_FALSE(refusalOf("ring", ranks)) << ranks;
    EXPECT_FALSE(refusalOf("random-pair", 5));
    EXPECT_FALSE(refusalOf("complete", 5, false));
    const auto ring = refusalOf("ring", 5);
    ASSERT_TRUE(ring);
    EXPECT_EQ(ring->field, "graph.name");
    EXPECT_THAT(ring->message, HasSubstr("in this graph of 5 ranks 0 and 4 are neighbours"));
    EXPECT_THAT(ring->message, HasSubstr("choose random-pair, line, or a ring of an even number of ranks"));
    EXPECT_TRUE(refusalOf("complete", 4));
    const auto directed = refusalOf("exponential", 5, false);
    ASSERT_TRUE(directed);
    EXPECT_THAT(directed->message, HasSubstr("choose a symmetric graph"));
}

}  // namespace
}  // namespace dasgd::test
