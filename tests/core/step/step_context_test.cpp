#include "core/step/step_context.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/cpu_executor.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

constexpr int kRanks = 3;

struct Drawn {
    std::int64_t own = 0, shared = 0;
};

std::int64_t draw(at::Generator& random) {
    return at::randint(std::numeric_limits<std::int64_t>::max(), {1}, random, at::kLong).item<std::int64_t>();
}

std::array<Drawn, kRanks> drawnBy(std::uint64_t seed) {
    std::array<Drawn, kRanks> drawn;
    runRanks(Backend::Threads, kRanks, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(2, 1);
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor, 1, {.seed = seed});
        Drawn& own = drawn[static_cast<std::size_t>(comm.rank().value())];
        own.own = draw(context.random());
        own.shared = draw(context.sharedRandom());
    });
    return drawn;
}

TEST(StepContext, EachRankHasAStreamOfItsOwnAndOneThatAllShare) {
    const auto drawn = drawnBy(7);
    for (std::size_t rank = 1; rank < kRanks; ++rank) {
        EXPECT_EQ(drawn[rank].shared, drawn[0].shared);
        EXPECT_NE(drawn[rank].own, drawn[0].own);
    }
    EXPECT_NE(drawn[0].own, drawn[0].shared);
    EXPECT_EQ(drawnBy(7)[2].own, drawn[2].own) << "the run's seed gives all of them";
    EXPECT_NE(drawnBy(8)[2].own, drawn[2].own);
    EXPECT_NE(drawnBy(8)[0].shared, drawn[0].shared);
}

// Metrics of an algorithm cannot be taken for those of the engine.
TEST(StepContext, AnAlgorithmsNumbersHaveItsPrefix) {
    runRanks(Backend::Threads, 1, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(2, 1);
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        std::vector<std::pair<std::string, double>> recorded;
        StepContext context(comm, clock, params, executor, 1, {.metric = [&](std::string_view name, double value) {
                                recorded.emplace_back(name, value);
                            }});
        context.metric("distance", 2);
        context.record("staleness/steps", 3);
        EXPECT_EQ(recorded,
                  (std::vector<std::pair<std::string, double>>{{"algorithm/distance", 2}, {"staleness/steps", 3}}));
    });
}

}  // namespace
}  // namespace dasgd::test
