#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/gossip_oracle.h"

namespace dasgd::test {
namespace {

constexpr std::uint64_t kGossipSeed = 11;

// One graph, and settings of the rule.
struct Gossip {
    GraphTrial graph;
    int workers = 4;
    GossipSetting setting = {};
    [[nodiscard]] std::string name() const {
        return graph.name() + "_" + std::to_string(workers) + "_t" + std::to_string(setting.period) + "d" +
               std::to_string(setting.delay) + "_" + std::to_string(static_cast<int>(10 * setting.c));
    }
    [[nodiscard]] Value document(const QuadraticProblem& problem) const {
        Value document = problem.experiment({{"name", text("gossip_sgd")},
                                             {"period", integer(setting.period)},
                                             {"delay", integer(setting.delay)},
                                             {"local_weight", number(setting.xi)},
                                             {"correction", number(setting.c)},
                                             {"snapshot_at_zero", boolean(setting.atZero)}});
        document.find("train")->set("seed", integer(kGossipSeed));
        Fields fields{{"name", text(graph.graph)}};
        fields.insert(fields.end(), graph.fields.begin(), graph.fields.end());
        document.set("graph", table(fields));
        return document;
    }
};
std::ostream& operator<<(std::ostream& to, const Gossip& gossip) { return to << gossip.name(); }

std::vector<Gossip> gossipSettings() {
    std::vector<Gossip> all;
    const GossipSetting published, late{.period = 3, .delay = 2, .xi = 0.25, .c = 0.5, .atZero = false};
    const GossipSetting blocking{.period = 2, .delay = 0, .xi = 0, .c = 0, .atZero = false};
    for (const char* graph :
         {"ring", "line", "star", "complete", "exponential", "one-peer-exponential", "random-pair"}) {
        for (const int workers : {2, 4, 7}) {
            for (const GossipSetting& setting : {published, late, blocking})
                all.push_back({{.graph = graph}, workers, setting});
        }
    }
    const Fields butterfly{{"size", integer(2)}}, shuffled{{"size", integer(2)}, {"pattern", text("shuffled")}};
    const Fields node{{"outer", text("line")}};
    const Fields uneven{{"matrix", matrix({{0.7, 0.2, 0.1}, {0.3, 0.5, 0.2}, {0, 0.3, 0.7}})}};
    all.push_back({{.graph = "torus"}, 6, late});
    all.push_back({{.graph = "groups", .fields = butterfly}, 8, published});
    all.push_back({{.graph = "groups", .fields = shuffled, .what = "shuffled"}, 6, late});
    all.push_back({{.graph = "two-level", .fields = node}, 6, published});
    all.push_back({{.graph = "matrix", .fields = uneven}, 3, published});
    all.push_back({{.graph = "matrix", .fields = uneven}, 3, blocking});
    return all;
}

class GossipSgdOracle : public testing::TestWithParam<Gossip> {};

TEST_P(GossipSgdOracle, MixesWhatTheNeighboursSent) {
    const Gossip& gossip = GetParam();
    const QuadraticProblem problem{.workers = gossip.workers, .steps = 40, .rate = 0.05, .weightDecay = 0.01};
    const Workers start(static_cast<std::size_t>(gossip.workers), problem.start);
    const Trajectory expected = serial(problem, gossips(gossip.setting, gossip.graph.make(), start, kGossipSeed));
    for (const Backend backend : oracleBackends()) {
        expectSame(recorded(train(gossip.document(problem), backend)), expected, 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(Graphs, GossipSgdOracle, testing::ValuesIn(gossipSettings()),
                         [](const auto& info) { return info.param.name(); });

const QuadraticProblem kUnlikeWorkers{.workers = 4, .steps = 60, .rate = 0.05};

Trajectory gossiping(const GraphTrial& graph, const GossipSetting& setting) {
    return recorded(train(Gossip{graph, 4, setting}.document(kUnlikeWorkers)));
}
Trajectory trainedBy(const Fields& algorithm) { return recorded(train(kUnlikeWorkers.experiment(algorithm))); }

TEST(GossipSgd, OnTheCompleteGraphIsTheMergeFamilyOfTheMean) {
    for (const GossipSetting& s : {GossipSetting{.period = 4, .delay = 3, .xi = 0.25, .c = 1, .atZero = true},
                                   GossipSetting{.period = 4, .delay = 2, .xi = 0.5, .c = 0, .atZero = false}}) {
        expectSame(gossiping({.graph = "complete"}, s),
                   trainedBy({{"name", text("dasgd")},
                              {"period", integer(s.period)},
                              {"delay", integer(s.delay)},
                              {"local_weight", number(s.xi)},
                              {"correction", number(s.c)},
                              {"snapshot_at_zero", boolean(s.atZero)}}),
                   1e-12);
    }
}

TEST(GossipSgd, WithoutNeighboursIsIndependent) {
    const GraphTrial nobody{.graph = "matrix",
                            .fields = {{"matrix", matrix({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}})}}};
    expectSame(gossiping(nobody, {}), trainedBy({{"name", text("independent")}}), 1e-13);
}

// Whatever W, a delta and an overwrite without a delay leave the mean of the ranks as the local steps make it: with
// linear gradients of one matrix that is the mean of independent ranks.
TEST(GossipSgd, LeavesTheMeanToTheLocalSteps) {
    const Trajectory free = trainedBy({{"name", text("independent")}});
    for (const char* graph : {"line", "star", "one-peer-exponential", "random-pair"}) {
        for (const GossipSetting& s :
             {GossipSetting{}, GossipSetting{.period = 3, .delay = 0, .xi = 0, .c = 0, .atZero = false}}) {
            const Trajectory mixed = gossiping({.graph = graph}, s);
            for (std::size_t k = 0; k < free.size(); ++k) {
                const Vec got = mean(mixed[k]), expected = mean(free[k]);
                for (std::size_t j = 0; j < got.size(); ++j)
                    EXPECT_NEAR(got[j], expected[j], 1e-11) << graph << " " << k;
            }
        }
    }
}

TEST(GossipSgd, OfOneWorkerIsSgd) {
    const QuadraticProblem problem{.workers = 1, .steps = 30};
    for (const char* graph : {"ring", "random-pair", "groups", "exponential"}) {
        expectSame(recorded(train(Gossip{{.graph = graph}, 1, {}}.document(problem))),
                   serial(problem, [](std::int64_t, Workers&) {}), 1e-13);
    }
}

const AlgorithmTrial::Add kGossipSgdTrial{
    {.algorithm = "gossip_sgd",
     .fields = {{"period", integer(3)}, {"delay", integer(2)}, {"local_weight", number(0.25)}},
     .rule = [](const SerialView& view) {
         return gossipsOn("ring", {.period = 3, .delay = 2, .xi = 0.25, .c = 1, .atZero = true}, view);
     }}};
// Its rule is in public_copies_test.cpp.
const AlgorithmTrial::Add kCodedGossipTrial{
    {.algorithm = "gossip_sgd",
     .fields = {{"period", integer(3)}, {"delay", integer(2)}, {"consensus", number(0.3)}},
     .compression = {{"name", text("sign")}},
     .what = "coded"}};

}  // namespace
}  // namespace dasgd::test
