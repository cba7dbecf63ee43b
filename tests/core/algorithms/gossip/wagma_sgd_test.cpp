#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/gossip_oracle.h"

namespace dasgd::test {
namespace {

TEST(WagmaSgd, GroupsTakeTheirMeanAndNowAndThenAllDo) {
    const Fields groups{{"size", integer(2)}, {"global_every", integer(3)}};
    for (const char* order : {"published", "adapt-then-combine"}) {
        const QuadraticProblem problem{.workers = 8, .steps = 40, .rate = 0.05};
        Value document =
            problem.experiment({{"name", text("wagma_sgd")}, {"period", integer(2)}, {"order", text(order)}});
        Fields graph{{"name", text("groups")}};
        graph.insert(graph.end(), groups.begin(), groups.end());
        document.set("graph", table(graph));
        const GossipSetting setting = std::string(order) == "published"
                                          ? GossipSetting{.period = 2, .delay = 2}
                                          : GossipSetting{.period = 2, .delay = 0, .c = 0, .atZero = false};
        expectSame(recorded(train(document)),
                   serial(problem, gossips(setting, graphOf("groups", groups), Workers(8, problem.start), 0)), 1e-12);
    }
}

// A butterfly of all digits is the mean, in log steps of one message each.
const AlgorithmTrial::Add kWagmaSgdTrial{
    {.algorithm = "wagma_sgd", .fields = {{"period", integer(2)}}, .rule = [](const SerialView& view) {
         return gossipsOn("groups", {.period = 2, .delay = 2}, view);
     }}};

}  // namespace
}  // namespace dasgd::test
