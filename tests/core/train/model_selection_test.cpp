#include "core/train/model_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/quadratic_oracle.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

constexpr double kNone = EvaluationReport::kNone;

EvaluationReport judged(ModelSelection& selection, double accuracy, double validation, double loss = 1,
                        double validationLoss = 1) {
    EvaluationReport report;
    report.loss = loss;
    report.accuracy = accuracy;
    report.validationLoss = validation == validation ? validationLoss : kNone;
    report.validationAccuracy = validation;
    selection.judge(report);
    return report;
}

TEST(ModelSelection, ReportsTheTestAccuracyOfTheBestOnTheValidationSet) {
    ModelSelection selection;
    std::vector<double> chosen;
    // The largest test accuracy, 0.95, is that of a model that validation would not choose.
    for (const auto& [accuracy, validation] :
         {std::pair(0.3, 0.2), std::pair(0.7, 0.8), std::pair(0.95, 0.75), std::pair(0.6, 0.8), std::pair(0.9, 0.85)}) {
        chosen.push_back(judged(selection, accuracy, validation).chosenAccuracy.value());
    }
    EXPECT_THAT(chosen, ElementsAre(0.3, 0.7, 0.7, 0.7, 0.9));
    EXPECT_FALSE(selection.mayStop());
}

TEST(ModelSelection, ChoosesNothingWithoutAValidationSet) {
    ModelSelection selection;
    EXPECT_FALSE(judged(selection, 0.9, kNone).chosenAccuracy);
}

TEST(ModelSelection, StopsAfterSoManyEvaluationsThatAreNoBetterByTheDelta) {
    ModelSelection selection(TrainParams{.patience = 2, .minDelta = 0.01});
    EXPECT_TRUE(selection.mayStop());
    std::vector<bool> stops;
    for (const double validation : {0.5, 0.6, 0.605, 0.62, 0.625, 0.629}) {
        stops.push_back(judged(selection, 0.1, validation).stop);
    }
    EXPECT_THAT(stops, ElementsAre(false, false, false, false, false, true));
}

// Where nothing is classified the loss decides.
TEST(ModelSelection, TakesTheLossWhereThereIsNoAccuracy) {
    ModelSelection selection(TrainParams{.patience = 1});
    EvaluationReport report;
    report.accuracy = kNone;
    report.validationLoss = 2;
    selection.judge(report);
    EXPECT_FALSE(report.stop);
    report.validationLoss = 1;
    selection.judge(report);
    EXPECT_FALSE(report.stop);
    EXPECT_FALSE(report.chosenAccuracy);
    report.validationLoss = 1.5;
    selection.judge(report);
    EXPECT_TRUE(report.stop);
}

TEST(ModelSelection, ATargetIsReachedOnceOnTheValidationSet) {
    ModelSelection selection(TrainParams{.targetAccuracy = 0.8});
    EXPECT_FALSE(selection.mayStop());
    EXPECT_FALSE(judged(selection, 0.9, 0.7).targetReached) << "the test set does not count";
    const EvaluationReport reached = judged(selection, 0.1, 0.82);
    EXPECT_EQ(reached.targetReached, 0.82);
    EXPECT_FALSE(reached.stop);
    EXPECT_FALSE(judged(selection, 0.9, 0.9).targetReached) << "it was reached before";
}

TEST(ModelSelection, WithoutAValidationSetTheTargetIsOfTheTestSet) {
    ModelSelection selection(TrainParams{.targetLoss = 0.5, .stopAtTarget = true});
    EXPECT_TRUE(selection.mayStop());
    EXPECT_FALSE(judged(selection, 0.9, kNone, 0.6).stop);
    const EvaluationReport reached = judged(selection, 0.9, kNone, 0.4);
    EXPECT_EQ(reached.targetReached, 0.4);
    EXPECT_TRUE(reached.stop);
}

// Two workers that learn nothing: the first evaluation, before the first step, stays the best.
Value stuck(const char* algorithm, const char* backend) {
    return table({{"algorithm", table({{"name", text(algorithm)}})},
                  {"model", table({{"name", text("logistic")}})},
                  {"data", table({{"name", text("mnist")}, {"validation", number(0.1)}})},
                  {"train", table({{"steps", integer(100)},
                                   {"batch_size", integer(8)},
                                   {"eval_every", integer(5)},
                                   {"patience", integer(2)}})},
                  {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0)}})},
                  {"cluster", table({{"backend", text(backend)}, {"workers", integer(2)}})}});
}

void expectEvaluatedTwiceMore(const std::vector<RankRecord>& records) {
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.outcome.error, "");
        EXPECT_EQ(record.outcome.kind, WorkerOutcome::Kind::Finished);
        EXPECT_EQ(record.outcome.step, records[0].outcome.step) << "one step for all ranks";
    }
    const auto& metrics = records[0].sink.metrics;
    for (const char* name : {"eval/loss", "eval/validation_loss", "eval/validation_accuracy", "eval/chosen_accuracy"}) {
        ASSERT_EQ(metrics.at(name).size(), 3U) << name;
        EXPECT_EQ(metrics.at(name).back().step, 10) << name;
    }
    EXPECT_EQ(metrics.at("eval/chosen_accuracy").back().value, metrics.at("eval/accuracy").front().value);
}

TEST(EarlyStop, AllRanksEndWithTheEvaluationThatExhaustsThePatience) {
    for (const char* algorithm : {"dasgd", "sync_sgd", "independent"}) {
        for (const Backend backend : {Backend::Threads, Backend::Gloo}) {
            const auto records = train(stuck(algorithm, "threads"), backend);
            EXPECT_EQ(records[0].outcome.step, 10) << algorithm;
            expectEvaluatedTwiceMore(records);
        }
    }
}

// Nobody waits for an evaluation there: the end is the furthest step that a rank was making when the last one was
// at 10.
class EarlyStopInSimulatedTime : public ::testing::TestWithParam<const char*> {};

TEST_P(EarlyStopInSimulatedTime, TheFurthestRankSaysWhere) {
    Value document = stuck(GetParam(), "virtual");
    document.set("compute", table({{"step_time", text("3ms")}, {"rank_factors", vector({1, 1.2})}}));
    const auto records = trainVirtually(document);
    EXPECT_GE(records[0].outcome.step, 10);
    EXPECT_LE(records[0].outcome.step, 14);
    expectEvaluatedTwiceMore(records);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EarlyStopInSimulatedTime, ::testing::Values("dasgd", "sync_sgd", "independent"));

TEST(Target, IsRecordedOnceAndEndsTheRunWhereThatIsAskedFor) {
    for (const bool stops : {false, true}) {
        const QuadraticProblem problem{.workers = 2, .steps = 40, .rate = 0.05, .momentum = 0, .equalTargets = true};
        Value document = problem.experiment({{"name", text("sync_sgd")}});
        document.set("train", table({{"steps", integer(40)},
                                     {"precision", text("float64")},
                                     {"eval_every", integer(4)},
                                     {"target_loss", number(1)},
                                     {"stop_at_target", boolean(stops)}}));
        const auto records = train(document);
        const auto& metrics = records[0].sink.metrics;
        const auto& losses = metrics.at("eval/loss");
        const auto first = std::ranges::find_if(losses, [](const auto& loss) { return loss.value <= 1; });
        ASSERT_NE(first, losses.end());
        ASSERT_NE(first, losses.begin());
        const auto& reached = metrics.at("run/target_reached");
        ASSERT_EQ(reached.size(), 1U);
        EXPECT_EQ(reached[0].step, first->step);
        EXPECT_EQ(reached[0].value, first->value);
        EXPECT_EQ(reached[0].samples, first->samples);
        EXPECT_EQ(reached[0].bytesSent, first->bytesSent);
        EXPECT_EQ(records[0].outcome.step, stops ? first->step : 40);
        EXPECT_EQ(records[1].outcome.step, records[0].outcome.step);
    }
}

TEST(TrainParams, RefusesWhatHasNothingToJudge) {
    const auto errorOf = [](Fields trained, Fields data) {
        Value document = stuck("dasgd", "threads");
        document.set("train", table(std::move(trained)));
        document.set("data", table(std::move(data)));
        const auto experiment = readExperiment(document);
        return experiment ? std::string() : experiment.error().message;
    };
    EXPECT_THAT(errorOf({{"patience", integer(3)}}, {}), ::testing::HasSubstr("set validation in [data]"));
    EXPECT_THAT(errorOf({{"stop_at_target", boolean(true)}}, {}), ::testing::HasSubstr("needs target_accuracy"));
    EXPECT_THAT(errorOf({{"target_accuracy", number(0.9)}, {"target_loss", number(1)}}, {}),
                ::testing::HasSubstr("keep one of them"));
    EXPECT_THAT(errorOf({{"min_delta", number(0.1)}}, {}), ::testing::HasSubstr("needs patience"));
    EXPECT_EQ(errorOf({{"patience", integer(3)}}, {{"validation", number(0.2)}}), "");
}

}  // namespace
}  // namespace dasgd::test
