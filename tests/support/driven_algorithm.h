// An algorithm without a worker loop: weights, learning rate and loss of every step are what the test sets.
#pragma once

#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <functional>

#include "core/algorithms/algorithm.h"
#include "core/exec/cpu_executor.h"
#include "core/step/step_context.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {

// Calls `body` on each of `ranks`, with three weights in float64 and the algorithm of `fields`, not started.
inline void driveAlgorithm(const Fields& fields, int ranks, const std::function<void(StepContext&, Algorithm&)>& body) {
    const std::string name = *fields[0].second.as<std::string>();
    const Value values = table({fields.begin() + 1, fields.end()});
    runRanks(Backend::Threads, ranks, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(2, 1);
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor);
        const auto algorithm = AlgorithmRegistry::find(name)->create(values, {});
        ASSERT_TRUE(algorithm) << algorithm.error().message;
        const at::NoGradGuard guard;
        body(context, **algorithm);
        (*algorithm)->drain(context);
    });
}

}  // namespace dasgd::test
