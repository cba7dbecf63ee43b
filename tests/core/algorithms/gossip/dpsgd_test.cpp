#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/gossip_oracle.h"

namespace dasgd::test {
namespace {

// x ← Wx − ηg(x), or x ← W(x − ηg(x)); v is the rank's own.
TEST(Dpsgd, MixesBeforeOrBehindTheStep) {
    const QuadraticProblem problem{.workers = 5, .steps = 50, .rate = 0.05};
    const Rows w = rowsOf("ring", 5);
    const auto recordedOf = [&](const std::string& order) {
        return recorded(train(problem.experiment({{"name", text("dpsgd")}, {"order", text(order)}})));
    };
    Workers before(5, problem.start);
    const Trajectory published = serial(problem, [&](std::int64_t, Workers& x) {
        const Workers mixture = mixedBy(w, before);
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t j = 0; j < x[i].size(); ++j) x[i][j] = mixture[i][j] + (x[i][j] - before[i][j]);
        }
        before = x;
    });
    expectSame(recordedOf("published"), published, 1e-12);
    expectSame(recordedOf("adapt-then-combine"), serial(problem, [&](std::int64_t, Workers& x) { x = mixedBy(w, x); }),
               1e-12);
}

const AlgorithmTrial::Add kDpsgdTrial{
    {.algorithm = "dpsgd",
     .rule = [](const SerialView& view) { return gossipsOn("ring", {}, view); },
     .identities = {{.with = {}, .algorithm = "gossip_sgd"},
                    {.with = {}, .algorithm = "oldsgd", .fields = {{"period", integer(1)}}}}}};

}  // namespace
}  // namespace dasgd::test
