// Saving and restoring every algorithm of the registry: a run that was saved between two steps and went on in new
// objects takes the same way, to the last bit, as one that was not.
#include "core/algorithms/extensions.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"
#include "core/train/steps/local_step.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

constexpr int kRanks = 3;
constexpr std::int64_t kSteps = 23;

// One rank's objects between two steps, as a resumed process makes them.
class Replica {
public:
    Replica(const Experiment& experiment, HostedRank& rank)
        : data_(loadTrainingData(experiment).value()),
          model_(std::move(buildModel(experiment, data_, rank.comm.rank(), deviceOf(rank)).value())),
          params_(model_->module(), experiment.scalarType(), flatLayoutOf(experiment, deviceOf(rank))),
          executor_(rank.executor(rank.clock, sink_, TraceLevel::Full, {})),
          optimizer_(experiment.makeOptimizer()),
          context_(rank.comm, rank.clock, params_, *executor_, 1,
                   {.optimizer = optimizer_.get(), .device = rank.device}),
          algorithm_(experiment.makeAlgorithm()) {
        const Roles roles = experiment.roles();
        if (!roles.trains(rank.comm.rank())) return;
        const Rank trainer(roles.trainerIndex(rank.comm.rank()));
        step_ = makeLocalStep(experiment, data_, *model_, params_, *optimizer_, trainer, {.device = rank.device});
    }

    void start() { algorithm_->start(context_); }
    void make(std::int64_t k) {
        const double rate = optimizer_->learningRate();
        context_.moveTo(k, rate);
        if (!step_) return dynamic_cast<HasRoles&>(*algorithm_).serve(context_);
        step_->forward({});
        step_->backward();
        algorithm_->afterBackward(context_);
        if (auto* own = dynamic_cast<OwnUpdate*>(algorithm_.get())) {
            own->update(context_, *optimizer_);
        } else {
            step_->update(rate);
        }
        context_.noteLoss(step_->loss());
        algorithm_->afterStep(context_);
    }
    // The optimiser has no momentum, so that it has no state.
    void save(Archive& archive) {
        dynamic_cast<Checkpointed&>(*algorithm_).save(context_, archive);
        archive.put("test/weights", params_.weights());
        archive.put("test/step", context_.step());
    }
    void load(const Archive& archive) {
        context_.moveTo(archive.integer("test/step").value(), optimizer_->learningRate());
        ASSERT_TRUE(archive.read("test/weights", params_.weights()));
        const Status loaded = dynamic_cast<Checkpointed&>(*algorithm_).load(context_, archive);
        ASSERT_TRUE(loaded) << loaded.error().message;
    }
    void drain() { algorithm_->drain(context_); }
    [[nodiscard]] at::Tensor weights() {
        return params_.withoutPadding(params_.weights().detach()).to(at::kCPU).clone();
    }

private:
    static at::Device deviceOf(const HostedRank& rank) { return rank.device ? rank.device->device() : at::kCPU; }

    MemorySink sink_;
    TrainingData data_;
    std::unique_ptr<Model> model_;
    FlatParams params_;
    std::unique_ptr<Executor> executor_;
    std::unique_ptr<Optimizer> optimizer_;
    StepContext context_;
    std::unique_ptr<LocalStep> step_;  // null: the rank serves
    std::unique_ptr<Algorithm> algorithm_;
};

using Way = std::vector<at::Tensor>;  // of one rank, after each step

// Interruption of a run.
struct Save {
    std::int64_t after = 0;  // step; 0: it is not
    bool goesOn = false;     // the objects that were saved go on themselves
};

Way wayOf(const Experiment& experiment, HostedRank& rank, const Save& saved) {
    Way way;
    auto replica = std::make_unique<Replica>(experiment, rank);
    replica->start();
    for (std::int64_t k = 1; k <= kSteps; ++k) {
        replica->make(k);
        way.push_back(replica->weights());
        if (k != saved.after) continue;
        Archive archive;
        replica->save(archive);
        if (saved.goesOn) continue;
        auto fresh = std::make_unique<Replica>(experiment, rank);
        fresh->load(archive);
        replica = std::move(fresh);
    }
    replica->drain();
    return way;
}

// The ways of all ranks, run by run: one after the other over the same communicator, which takes long to make on GPUs.
std::vector<std::vector<Way>> trained(const Value& document, const std::vector<Save>& runs) {
    const Experiment experiment = std::move(readExperiment(document).value());
    const auto ranks = static_cast<std::size_t>(experiment.cluster.ranks());
    std::vector<std::vector<Way>> ways(runs.size(), std::vector<Way>(ranks));
    hostRanks(experiment.cluster, [&](HostedRank& rank) {
        const auto number = static_cast<std::size_t>(rank.comm.rank().value());
        if (rank.device) rank.device->enter();
        for (std::size_t i = 0; i < runs.size(); ++i) ways[i][number] = wayOf(experiment, rank, runs[i]);
    });
    return ways;
}

void expectSameWays(const std::vector<Way>& got, const std::vector<Way>& expected) {
    for (std::size_t rank = 0; rank < expected.size(); ++rank) {
        ASSERT_EQ(got[rank].size(), static_cast<std::size_t>(kSteps));
        ASSERT_EQ(expected[rank].size(), static_cast<std::size_t>(kSteps));
        for (std::size_t k = 0; k < got[rank].size(); ++k) {
            ASSERT_TRUE(torch::equal(got[rank][k], expected[rank][k])) << "rank " << rank << " step " << k + 1;
        }
    }
}

Value bowl(Fields algorithm, int ranks = kRanks) {
    Value document = quadratic("independent", ranks, "threads");
    document.set("algorithm", table(std::move(algorithm)));
    document.set("optimizer", table({{"momentum", number(0)}}));
    return document;
}

Value bowlOf(const AlgorithmTrial& trial) {
    Value document = bowl({}, trial.acceptedRanks(kRanks));
    trial.putInto(document);
    return document;
}

// Saves after each of `steps`, in a run of its own, and expects every run to go the same way as one that was not saved.
void expectSurvivesASaveAfter(const std::vector<std::int64_t>& steps, const Value& document) {
    std::vector<Save> runs{{}};
    for (const std::int64_t step : steps) {
        for (const bool goesOn : {false, true}) runs.push_back({step, goesOn});
    }
    const auto ways = trained(document, runs);
    for (std::size_t i = 1; i < runs.size(); ++i) {
        SCOPED_TRACE("saved after step " + std::to_string(runs[i].after) + (runs[i].goesOn ? ", goes on itself" : ""));
        expectSameWays(ways[i], ways[0]);
    }
}
std::vector<std::int64_t> firstSteps(std::int64_t count) {
    std::vector<std::int64_t> steps;
    for (std::int64_t step = 1; step <= count; ++step) steps.push_back(step);
    return steps;
}

// A save may fall anywhere: with an average in flight, between the launch of a fragment and its outer step, a round
// before the next exchange, on either side of the last synchronous step.
class EverySave : public ::testing::TestWithParam<AlgorithmTrial> {};

TEST_P(EverySave, GoesOnInNewObjectsAsIfNothingHadHappened) {
    expectSurvivesASaveAfter(firstSteps(kSteps - 1), bowlOf(GetParam()));
}
INSTANTIATE_TEST_SUITE_P(Registry, EverySave, ::testing::ValuesIn(trialsThatRepeat()), trialName);

// Snapshots after steps 6, 12, 18 are merged 4 steps later: after step 14 one is in flight.
class InFlight : public ::testing::TestWithParam<std::pair<double, double>> {};

TEST_P(InFlight, AnAverageIsMergedWhenItIsDueAllTheSame) {
    const Value document = bowl({{"name", text("dasgd")},
                                 {"period", integer(6)},
                                 {"delay", integer(4)},
                                 {"local_weight", number(GetParam().first)},
                                 {"correction", number(GetParam().second)}});
    expectSurvivesASaveAfter({12, 14, 16}, document);
}
INSTANTIATE_TEST_SUITE_P(LocalWeightAndCorrection, InFlight,
                         ::testing::Values(std::pair(0.0, 0.0), std::pair(0.25, 0.0), std::pair(0.0, 1.0),
                                           std::pair(0.25, 0.5)));

TEST(Overlapped, ASharePushedIsAddedAllTheSame) {
    for (const std::int64_t peers : {1, 2}) {
        const Value document = bowl({{"name", text("sgp")}, {"peers", integer(peers)}, {"overlap", boolean(true)}});
        expectSurvivesASaveAfter({1, 2, 5}, document);
    }
}

// Saves fall on either side of the last synchronous step, and in the rounds behind it, which are counted from there.
class BehindSyncSteps : public ::testing::TestWithParam<AlgorithmTrial> {};

TEST_P(BehindSyncSteps, EveryStepIsGoodForASave) {
    Value document = bowlOf(GetParam());
    document.find("algorithm")->set("sync_steps", integer(3));
    expectSurvivesASaveAfter(firstSteps(9), document);
}
INSTANTIATE_TEST_SUITE_P(Registry, BehindSyncSteps, ::testing::ValuesIn(trialsBehindSyncSteps()), trialName);

// An algorithm that models time only has nothing but what it has in flight; it still has to be resumable.
TEST(AllAlgorithms, AreCheckpointed) {
    for (const auto& [name, entry] : AlgorithmRegistry::entries()) {
        const auto algorithm = entry.create(Value(), {}).value();
        EXPECT_NE(dynamic_cast<Checkpointed*>(algorithm.get()), nullptr) << name;
    }
}

// State saved with another model is refused with an error that names the tensor.
TEST(AllAlgorithms, StateOfAnotherModelIsRefused) {
    const Experiment experiment = std::move(readExperiment(bowl({{"name", text("dasgd")}})).value());
    runRanks(Backend::Threads, kRanks, [&](Communicator& comm, Clock& clock) {
        FlatParams shapes = FlatParams::shapesOf({{5}}, {}, torch::kDouble);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, shapes, executor);
        Archive archive;
        archive.put("in_flight", 1);
        archive.put("launched_at", 4);
        archive.put("tensors", 1);
        archive.put("mean", torch::zeros({2}));
        const auto algorithm = experiment.makeAlgorithm();
        const Status loaded = dynamic_cast<Checkpointed&>(*algorithm).load(context, archive);
        ASSERT_FALSE(loaded);
        EXPECT_NE(loaded.error().message.find("'mean'"), std::string::npos);
    });
}

}  // namespace
}  // namespace dasgd::test
