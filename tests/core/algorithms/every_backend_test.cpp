// Every algorithm of the registry on 1, 2 and 4 ranks takes the way that it takes on threads: over Gloo and, where the
// suite runs on it (tests/support/nccl/suite_backend.cpp), over NCCL. What that way has to be is what the oracles say.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/quadratic_oracle.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

using Case = std::tuple<std::string, int>;

std::vector<Case> casesOfAll() {
    std::vector<Case> cases;
    for (const std::string& name : algorithmsThatTrain()) {
        for (const int ranks : {1, 2, 4}) {
            if (name == "sgp" && ranks == 1) continue;  // it is refused without a peer
            cases.emplace_back(name, ranks);
        }
    }
    return cases;
}

// `ranks` that train, with fields that let a run repeat and that have every rule put to use within its steps.
Value bowlOf(const std::string& name, int ranks) {
    Fields fields{{"name", text(name)}};
    if (name == "ssp") fields.emplace_back("staleness", integer(0));
    if (name == "adacomm") fields.insert(fields.end(), {{"period", integer(6)}, {"interval", integer(4)}});
    Value document = QuadraticProblem{.workers = ranks, .steps = 40, .rate = 0.02}.experiment(std::move(fields));
    if (name == "ssp") document.find("cluster")->set("workers", integer(ranks + 1));
    return document;
}

Trajectory onThreads(const Value& document) {
    const RunElsewhere elsewhere = std::exchange(runElsewhere(), nullptr);
    const auto records = train(document);
    runElsewhere() = elsewhere;
    return recorded(records);
}

class EveryBackend : public testing::TestWithParam<Case> {};

TEST_P(EveryBackend, TakesTheWayOfThreads) {
    const auto& [name, ranks] = GetParam();
    const Value document = bowlOf(name, ranks);
    const Trajectory expected = onThreads(document);
    const auto records = train(document, runElsewhere() ? Backend::Threads : Backend::Gloo);
    for (const RankRecord& record : records) EXPECT_EQ(record.outcome.error, "");
    // Sums of the ranks' numbers, and on a device those of a gradient, are in another order.
    expectSame(recorded(records), expected, 1e-12);
    EXPECT_NE(expected.front(), expected.back()) << "it trains";
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryBackend, testing::ValuesIn(casesOfAll()), [](const auto& info) {
    return std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param));
});

}  // namespace
}  // namespace dasgd::test
