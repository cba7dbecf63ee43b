// Copies of the weights that an average keeps, measured at LibTorch's allocator: core/cost/memory/rank_memory.h counts
// them.
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <atomic>
#include <memory>

#include "core/algorithms/algorithm.h"
#include "core/cost/memory/rank_memory.h"
#include "core/exec/cpu_executor.h"
#include "core/step/step_context.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

// Bytes that this thread has taken and not given back.
class HeldMemory final : public c10::MemoryReportingInfoBase {
public:
    void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device) override {
        bytes_ += bytes;
    }
    [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }
    [[nodiscard]] double bytes() const { return static_cast<double>(bytes_.load()); }

private:
    std::atomic<std::int64_t> bytes_ = 0;
};

// Bytes a parameter that the algorithm keeps on a rank after three rounds.
double keptBy(const Fields& fields) {
    std::atomic<double> kept = 0;
    runRanks(Backend::Threads, 2, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(1000, 100);
        FlatParams params(*layer, torch::kFloat32);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor);
        const std::string name = *fields[0].second.as<std::string>();
        const auto algorithm = AlgorithmRegistry::find(name)->create(table({fields.begin() + 1, fields.end()}), {});
        ASSERT_TRUE(algorithm) << algorithm.error().message;
        const at::NoGradGuard noGradients;
        const auto held = std::make_shared<HeldMemory>();
        const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, held);
        (*algorithm)->start(context);
        for (std::int64_t step = 1; step <= 12; ++step) {
            context.moveTo(step, 0.1);
            (*algorithm)->afterStep(context);
        }
        (*algorithm)->drain(context);
        if (comm.rank().value() == 0) kept = held->bytes() / static_cast<double>(params.parameters());
    });
    return kept;
}

TEST(MergeMemory, IsThatOfTheFormula) {
    const StateBytes state = stateOfOneType(4, 0);
    for (const std::int64_t delay : {0, 2}) {
        for (const double local : {0.0, 0.25}) {
            for (const double correction : {0.0, 1.0}) {
                const double expected = delayedMerge(state, 1, delay > 0, local > 0, correction > 0, false).copies;
                const double kept = keptBy({{"name", text("dasgd")},
                                            {"period", integer(4)},
                                            {"delay", integer(delay)},
                                            {"local_weight", number(local)},
                                            {"correction", number(correction)}});
                EXPECT_NEAR(kept, expected, 0.02) << "d " << delay << ", ξ " << local << ", c " << correction;
            }
        }
    }
    EXPECT_NEAR(keptBy({{"name", text("local_sgd")}, {"period", integer(4)}}), 0, 0.02);
}

}  // namespace
}  // namespace dasgd::test
