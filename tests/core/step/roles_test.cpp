// Ranks that serve: a parameter server, known to this test alone, through the ordinary worker loop.
#include "core/step/roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/algorithms/extensions.h"
#include "core/optimizers/optimizer.h"
#include "core/step/step_context.h"
#include "core/train/evaluation/evaluator.h"
#include "tests/support/in_child_process.h"
#include "tests/support/quadratic_oracle.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Synchronous parameter server on the last rank: trainers push their gradients and pull the weights that the server has
// made of the mean with its own optimiser. Serially: SGD on the mean of the trainers' gradients.
class SynchronousParameterServer final : public Algorithm, public HasRoles, public OwnUpdate, public NamesWeights {
public:
    explicit SynchronousParameterServer(const NoParams&) {}

    [[nodiscard]] Roles roles(int ranks) const override { return {ranks, {ranks - 1}}; }

    void afterBackward(StepContext& context) override {
        push_ = context.comm().send(context.params().gradients(), server(context), kPush);
        pull_ = context.comm().receive(context.params().weights(), server(context), kPull);
    }
    void update(StepContext& context, Optimizer& optimizer) override {
        EXPECT_EQ(&optimizer, &context.optimizer());
        context.executor().waitFor(push_, context.step(), context.params().bytes());
        context.executor().waitFor(pull_, context.step(), context.params().bytes());
    }
    void afterStep(StepContext& context) override { context.metric("seen_loss", context.loss().item<double>()); }
    void serve(StepContext& context) override {
        const int trainers = context.comm().size() - 1;
        const std::int64_t bytes = context.params().bytes();
        at::Tensor& sum = context.params().gradients();
        at::Tensor received = at::empty_like(sum);
        sum.zero_();
        for (int trainer = 0; trainer < trainers; ++trainer) {
            Pending pushed = context.comm().receive(received, Rank(trainer), kPush);
            context.executor().waitFor(pushed, context.step(), bytes);
            sum.add_(received);
        }
        sum.div_(trainers);
        context.optimizer().step(context.params(), context.learningRate());
        context.metric("served", static_cast<double>(trainers));
        for (int trainer = 0; trainer < trainers; ++trainer) {
            Pending pulled = context.comm().send(context.params().weights(), Rank(trainer), kPull);
            context.executor().waitFor(pulled, context.step(), bytes);
        }
    }
    at::Tensor namedWeights(StepContext& context) override {
        return context.comm().rank() == server(context) ? context.params().weights() : at::Tensor();
    }
    void drain(StepContext&) override {}

private:
    static constexpr int kPush = 1, kPull = 2;
    static Rank server(StepContext& context) { return Rank(context.comm().size() - 1); }
    Pending push_, pull_;
};
const AlgorithmRegistry::Add<SynchronousParameterServer> kSynchronousServerEntry{"parameter_server", "Of a test"};

// Takes no part in anything: to see what a serving rank is left out of by default.
class Bystander final : public Algorithm, public HasRoles {
public:
    explicit Bystander(const NoParams&) {}
    [[nodiscard]] Roles roles(int ranks) const override { return {ranks, {0}}; }
    void serve(StepContext& context) override { context.params().weights().fill_(1000); }
    void afterStep(StepContext&) override {}
    void drain(StepContext&) override {}
    [[nodiscard]] std::int64_t roundSteps() const override { return 0; }
};
const AlgorithmRegistry::Add<Bystander> kBystanderEntry{"bystander", "Of a test"};

TEST(Roles, CountAndNumberThoseThatTrain) {
    const Roles roles(4, {0, 2});
    EXPECT_EQ(roles.trainers(), 2);
    EXPECT_FALSE(roles.everyoneTrains());
    EXPECT_FALSE(roles.trains(Rank{2}));
    EXPECT_EQ(roles.firstTrainer(), Rank{1});
    EXPECT_EQ(roles.trainerIndex(Rank{1}), 0);
    EXPECT_EQ(roles.trainerIndex(Rank{3}), 1);
    EXPECT_TRUE(Roles::allTrain(3).everyoneTrains());
    EXPECT_EQ(Roles::allTrain(3).trainerIndex(Rank{2}), 2);
}

TEST(Roles, OfStagesAreThoseOfReplicas) {
    const Roles roles = Roles::ofStages(6, 3);
    EXPECT_EQ(roles.trainers(), 2);
    for (int rank = 0; rank < 6; ++rank) EXPECT_EQ(roles.trains(Rank(rank)), rank == 2 || rank == 5);
    EXPECT_EQ(roles.trainerIndex(Rank(5)), 1);
    EXPECT_FALSE(roles.wholeReplicas());
    EXPECT_TRUE(Roles::allTrain(6).wholeReplicas());
}

// Two trainers and the server, with momentum, which lives on the server.
class ServedRun : public ::testing::Test {
protected:
    [[nodiscard]] Value document(const std::string& backend) const {
        Value document = problem_.experiment({{"name", text("parameter_server")}});
        document.set("cluster", table({{"backend", text(backend)}, {"workers", integer(3)}}));
        return document;
    }
    [[nodiscard]] Trajectory expected() const {
        Trajectory all = serial(
            problem_, [](std::int64_t, Workers&) {}, [](Workers& gradients) { gradients.assign(2, mean(gradients)); });
        for (Workers& step : all) step.push_back(step.front());
        return all;
    }
    // Mean over the trainers of ½ (w − b_i)ᵀA(w − b_i).
    [[nodiscard]] double loss(const Vec& w) const {
        double sum = 0;
        for (int i = 0; i < 2; ++i) {
            const Vec gradient = problem_.gradient(w, problem_.target(i));
            for (std::size_t j = 0; j < w.size(); ++j) sum += 0.25 * (w[j] - problem_.target(i)[j]) * gradient[j];
        }
        return sum;
    }
    QuadraticProblem problem_{.workers = 2};
};

TEST_F(ServedRun, IsSgdOnTheMeanGradientOnThreads) {
    const auto records = train(document("threads"));
    for (const RankRecord& record : records) EXPECT_EQ(record.outcome.error, "");
    const Trajectory way = expected();
    expectSame(recorded(records), way, 1e-12);
    const auto& evaluated = records[0].sink.metrics.at("eval/loss");
    EXPECT_NEAR(evaluated.front().value, loss(way.front()[0]), 1e-12);
    EXPECT_NEAR(evaluated.back().value, loss(way.back()[0]), 1e-12);
    EXPECT_NEAR(records[0].sink.metrics.at("consensus/distance").back().value, 0, 1e-20);
}

TEST_F(ServedRun, TheServerHasNoStepLossOrThroughputOfItsOwn) {
    const auto records = train(document("threads"));
    const MemorySink& server = records[2].sink;
    EXPECT_FALSE(server.metrics.contains("train/loss"));
    EXPECT_EQ(server.metrics.at("algorithm/served").size(), static_cast<std::size_t>(problem_.steps));
    EXPECT_EQ(server.metrics.at("algorithm/served").back().step, problem_.steps);
    for (const Span& span : server.spans) {
        EXPECT_NE(span.kind, SpanKind::Forward);
        EXPECT_NE(span.kind, SpanKind::Backward);
    }
    const MemorySink& trainer = records[1].sink;
    EXPECT_EQ(trainer.metrics.at("train/loss").size(), static_cast<std::size_t>(problem_.steps));
    const auto& seen = trainer.metrics.at("algorithm/seen_loss");
    const auto& losses = trainer.metrics.at("train/loss");
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(problem_.steps));
    for (std::size_t k = 0; k < seen.size(); ++k) EXPECT_EQ(seen[k].value, losses[k].value) << "step " << k + 1;
}

TEST_F(ServedRun, IsTheSameInSimulatedTimeAndTheServerComputesNothing) {
    Value simulated = document("virtual");
    simulated.set("network", gigabit());
    simulated.set("compute", table({{"step_time", text("3ms")}}));
    const auto records = trainVirtually(simulated);
    for (const RankRecord& record : records) EXPECT_EQ(record.outcome.error, "");
    expectSame(recorded(records), expected(), 1e-12);
    // Push, sum and pull stand between two steps: a step takes its 3 ms and two messages of 50 µs at least.
    const auto& metrics = records[0].sink.metrics;
    ASSERT_GT(metrics.at("timing/steps").back().value, 0);
    const double stepMs = 1e3 * metrics.at("timing/seconds").back().value / metrics.at("timing/steps").back().value;
    EXPECT_GE(stepMs, 3.1);
    EXPECT_LT(stepMs, 4);
}

// The server of `bystander` is rank 0, whose weights are far off.
TEST(ServingRank, IsNoPartOfMeansAndHasNoData) {
    const Value document = table({{"algorithm", table({{"name", text("bystander")}})},
                                  {"model", table({{"name", text("logistic")}})},
                                  {"data", table({{"name", text("mnist")}, {"shuffle", text("shard")}})},
                                  {"train", table({{"epochs", integer(1)}, {"batch_size", integer(400)}})},
                                  {"cluster", table({{"backend", text("threads")}, {"workers", integer(3)}})}});
    const auto experiment = readExperiment(document);
    ASSERT_TRUE(experiment) << experiment.error().message;
    const TrainingData data = loadTrainingData(*experiment).value();
    EXPECT_THAT(data.shards, SizeIs(2));
    const std::int64_t steps = planSteps(*experiment, data.splits.train.count()).stepsPerEpoch;
    EXPECT_EQ(steps, data.splits.train.count() / 800) << "samples of two ranks in a step";

    const auto records = train(document);
    EXPECT_FALSE(records[0].sink.metrics.contains("train/loss"));
    EXPECT_FALSE(records[0].sink.metrics.contains("timing/samples_per_s"));
    EXPECT_TRUE(records[1].sink.metrics.contains("timing/samples_per_s"));
    EXPECT_GT(records[0].sink.metrics.at("eval/accuracy").back().value, 0.5);
    EXPECT_LT(records[0].sink.metrics.at("consensus/distance").back().value, 1);
}

TEST(ServingRank, AnExperimentThatLeavesNobodyToTrainIsRefused) {
    Value document = QuadraticProblem{.workers = 1}.experiment({{"name", text("parameter_server")}});
    EXPECT_THAT(readExperiment(document).error().message, HasSubstr("leaves none of 1 ranks to train"));
}

// The server of `bystander` has done all its steps before the trainers, of which one is slow, have made their first.
TEST(ServingRank, HoldsUpNoRankForAnEvaluationInSimulatedTime) {
    QuadraticProblem problem{.workers = 2, .steps = 17};
    Value document = problem.experiment({{"name", text("bystander")}});
    document.set("cluster", table({{"backend", text("virtual")}, {"workers", integer(3)}}));
    document.set("network", gigabit());
    document.set("compute", table({{"step_time", text("3ms")}, {"rank_factors", vector({1, 1, 3})}}));
    document.find("train")->set("eval_every", integer(4));
    // Seconds per step of both trainers, then what the evaluations found.
    const auto numbers = [&] {
        return inChildProcess([&] {
            std::vector<double> all;
            const auto records = trainVirtually(document);
            for (const std::size_t trainer : {1, 2}) {
                const auto& metrics = records[trainer].sink.metrics;
                all.push_back(metrics.at("timing/seconds").back().value / metrics.at("timing/steps").back().value);
            }
            if (records[0].sink.metrics.contains("eval/loss")) return std::vector<double>();
            for (const auto& each : records[1].sink.metrics.at("eval/loss")) all.push_back(each.value);
            return all;
        });
    };
    const auto unlike = numbers();
    ASSERT_GT(unlike.size(), 5U);
    EXPECT_NEAR(unlike[0], 0.003, 1e-6);
    EXPECT_NEAR(unlike[1], 0.009, 1e-6);
    document.find("compute")->set("rank_factors", vector({1}));
    const auto alike = numbers();
    EXPECT_NEAR(alike[1], 0.003, 1e-6);
    EXPECT_EQ(std::vector(unlike.begin() + 2, unlike.end()), std::vector(alike.begin() + 2, alike.end()));
}

// The mean and its distance are over ranks 1 and 2; rank 0 gets the mean too.
TEST(ServingRank, GetsTheMeanOfTheOthers) {
    runRanks(Backend::Threads, 3, [](Communicator& comm, Clock&) {
        const Roles roles(3, {0});
        const Experiment experiment = std::move(readExperiment(quadratic("independent", 3, "threads")).value());
        const TrainingData data = loadTrainingData(experiment).value();
        const auto model = std::move(buildModel(experiment, data, comm.rank()).value());
        FlatParams params(model->module(), torch::kFloat64);
        {
            const at::NoGradGuard guard;
            params.weights().fill_(comm.rank().value() == 0 ? 1000 : comm.rank().value());
        }
        Evaluator evaluator(*model, params, comm, {}, roles);
        EXPECT_DOUBLE_EQ(evaluator.evaluate().consensusDistance, 0.5);  // two weights, each half off
        EXPECT_EQ(params.weights()[0].item<double>(), comm.rank().value() == 0 ? 1000 : comm.rank().value());
        evaluator.takeModel();
        EXPECT_EQ(params.weights()[1].item<double>(), 1.5);
    });
}

}  // namespace
}  // namespace dasgd::test
