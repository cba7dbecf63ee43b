#include "core/step/step_context.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <array>

#include "core/exec/cpu_executor.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

struct Draws {
    at::Tensor own, shared;
};

// Of two ranks with this run seed.
std::array<Draws, 2> drawnWith(std::uint64_t seed, Backend backend = Backend::Threads) {
    std::array<Draws, 2> drawn;
    runRanks(backend, 2, [&](Communicator& comm, Clock& clock) {
        FlatParams shapes = FlatParams::shapesOf({{2}}, {}, torch::kFloat);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, shapes, executor, 1, {.seed = seed});
        context.metric("nothing", 1);
        const auto rank = static_cast<std::size_t>(comm.rank().value());
        drawn.at(rank) = {torch::rand({20}, context.random()), torch::rand({20}, context.sharedRandom())};
    });
    return drawn;
}

TEST(StepContext, EachRankHasAStreamOfItsOwnAndOneThatAllShare) {
    const auto drawn = drawnWith(1);
    EXPECT_FALSE(drawn[0].own.equal(drawn[1].own));
    EXPECT_TRUE(drawn[0].shared.equal(drawn[1].shared));
    EXPECT_FALSE(drawn[0].own.equal(drawn[0].shared));
    const auto again = drawnWith(1, Backend::Gloo), other = drawnWith(2);
    for (const std::size_t rank : {0, 1}) {
        EXPECT_TRUE(drawn[rank].own.equal(again[rank].own)) << "on every backend";
        EXPECT_FALSE(drawn[rank].own.equal(other[rank].own)) << "of another seed";
    }
    EXPECT_FALSE(drawn[0].shared.equal(other[0].shared));
}

}  // namespace
}  // namespace dasgd::test
