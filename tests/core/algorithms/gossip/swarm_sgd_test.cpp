#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/gossip_oracle.h"

namespace dasgd::test {
namespace {

TEST(SwarmSgd, RandomPairsTakeTheirMean) {
    for (const bool blocking : {false, true}) {
        const QuadraticProblem problem{.workers = 5, .steps = 60, .rate = 0.05};
        Value document =
            problem.experiment({{"name", text("swarm_sgd")}, {"period", integer(4)}, {"blocking", boolean(blocking)}});
        document.find("train")->set("seed", integer(5));
        const GossipSetting setting = blocking ? GossipSetting{.period = 4, .delay = 0, .c = 0, .atZero = false}
                                               : GossipSetting{.period = 4, .delay = 4};
        expectSame(recorded(train(document)),
                   serial(problem, gossips(setting, graphOf("random-pair"), Workers(5, problem.start), 5)), 1e-12);
    }
}

TEST(SwarmSgd, NoRankWaitsAtItsOwnPace) {
    const auto made = AlgorithmRegistry::find("swarm_sgd")
                          ->create(table({{"meet", text("own-pace")}, {"blocking", boolean(true)}}), {});
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, testing::HasSubstr("at its own pace no rank waits for its partner"));
}

const AlgorithmTrial::Add kSwarmSgdTrial{
    {.algorithm = "swarm_sgd", .fields = {{"period", integer(3)}}, .rule = [](const SerialView& view) {
         return gossipsOn("random-pair", {.period = 3, .delay = 3}, view);
     }}};
const AlgorithmTrial::Add kOwnPaceTrial{{.algorithm = "swarm_sgd",
                                         .fields = {{"period", integer(2)}, {"meet", text("own-pace")}},
                                         .what = "own_pace",
                                         .repeats = false,
                                         .resumesExactly = false}};
const AlgorithmTrial::Add kCodedSwarmTrial{{.algorithm = "swarm_sgd",
                                            .fields = {{"period", integer(3)}},
                                            .compression = {{"name", text("lattice")}, {"side", number(0.05)}},
                                            .what = "coded"}};
const AlgorithmTrial::Add kCodedOwnPaceTrial{{.algorithm = "swarm_sgd",
                                              .fields = {{"period", integer(2)}, {"meet", text("own-pace")}},
                                              .compression = {{"name", text("lattice")}, {"side", number(0.05)}},
                                              .what = "own_pace_coded",
                                              .repeats = false,
                                              .resumesExactly = false}};

}  // namespace
}  // namespace dasgd::test
