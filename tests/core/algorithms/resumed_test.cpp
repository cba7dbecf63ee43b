// Every trial of an algorithm, stopped and resumed in new objects: it ends with the same bits as a run that was not
// stopped.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>

#include "tests/support/algorithm_trials.h"
#include "tests/support/resumed_runs.h"

namespace dasgd::test {
namespace {

class EveryAlgorithm : public ::testing::TestWithParam<std::tuple<AlgorithmTrial, TrainedOn>> {};

TEST_P(EveryAlgorithm, EndsWithTheSameBitsAfterAStop) {
    const auto& [trial, on] = GetParam();
    std::mt19937 random(static_cast<unsigned>(std::hash<std::string>()(trial.name())) + static_cast<unsigned>(on));
    const std::int64_t stop = std::uniform_int_distribution<std::int64_t>(1, kResumedSteps - 1)(random);
    SCOPED_TRACE("stopped after step " + std::to_string(stop));
    const Value document = resumedExperiment(trial.table(), on, droppingMlp(), momentum());
    if (trial.repeats || on == TrainedOn::Virtual) return expectSameModelAfterStops(on, document, {stop});
    // Where it depends on who comes first, the resumed run ends, with other bits.
    const TempDir dir;
    const CheckpointEnvironment stopped = checkpointsIn(dir / "stopped");
    trainOn(on, document, stopped, stop);
    CheckpointEnvironment resumed = checkpointsIn(dir / "resumed");
    resumed.from = CheckpointFolder(stopped.place.folder).at(stop).value();
    trainOn(on, document, resumed);
    EXPECT_FALSE(bytesOf(dir / "resumed" / "model.safetensors").empty());
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryAlgorithm,
                         ::testing::Combine(::testing::ValuesIn(trialsThatTrain()),
                                            ::testing::Values(TrainedOn::Virtual, TrainedOn::Threads, TrainedOn::Gloo)),
                         [](const auto& info) {
                             return std::get<0>(info.param).name() + "_" + nameOf(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace dasgd::test
