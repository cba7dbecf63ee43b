#include "core/train/evaluation/model_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/quadratic_oracle.h"
#include "tests/support/sim/virtual_cluster.h"
#include "tests/support/temp_dir.h"

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
    report.classifies = true;
    selection.judge(report);
    return report;
}

// Judges the report of a text model, whose accuracies are of tokens, or of a regression, which has none.
EvaluationReport judgedByLoss(ModelSelection& selection, double loss, double validationLoss, double accuracy = kNone,
                              double validationAccuracy = kNone) {
    EvaluationReport report;
    report.loss = loss;
    report.accuracy = accuracy;
    report.validationLoss = validationLoss;
    report.validationAccuracy = validationAccuracy;
    selection.judge(report);
    return report;
}

TEST(ModelSelection, GoesOnFromItsState) {
    const TrainParams train{.patience = 3, .targetAccuracy = 0.8};
    ModelSelection one(train), other(train);
    static_cast<void>(judged(one, 0.5, 0.6));
    static_cast<void>(judged(one, 0.9, 0.55));
    other.setState(one.state());
    EXPECT_EQ(other.judged(), 2);
    for (const double validation : {0.58, 0.85, 0.81}) {
        const EvaluationReport expected = judged(one, 0.7, validation), got = judged(other, 0.7, validation);
        EXPECT_EQ(got.chosenAccuracy, expected.chosenAccuracy);
        EXPECT_EQ(got.targetReached, expected.targetReached);
        EXPECT_EQ(got.stop, expected.stop);
    }
    // Ranks of one thread each bring theirs: the one that has judged most counts.
    ModelSelection behind(train);
    static_cast<void>(judged(behind, 0.1, 0.1));
    other.setState(behind.state());
    EXPECT_EQ(other.judged(), 5);
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
    const EvaluationReport report = judged(selection, 0.9, kNone);
    EXPECT_FALSE(report.chosenAccuracy || report.chosenLoss);
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

TEST(ModelSelection, OfAClassifierTheLossIsThatOfTheMostAccurate) {
    ModelSelection selection;
    EXPECT_EQ(judged(selection, 0.5, 0.5, 1.5, 1.4).chosenLoss, 1.5);
    EXPECT_EQ(judged(selection, 0.6, 0.7, 1.6, 1.7).chosenLoss, 1.6) << "more accurate, though its loss is larger";
    EXPECT_EQ(judged(selection, 0.7, 0.6, 0.1, 0.1).chosenLoss, 1.6);
}

// A language model is judged by its loss: more tokens can be right while the rest become less probable.
TEST(ModelSelection, OfATextTheSmallestValidationLossDecidesAndNotTheAccuracyOfTokens) {
    ModelSelection selection(TrainParams{.patience = 2});
    const EvaluationReport first = judgedByLoss(selection, 2, 2.1, 0.30, 0.30);
    EXPECT_EQ(first.chosenLoss, 2);
    EXPECT_EQ(first.chosenAccuracy, 0.30);
    const EvaluationReport second = judgedByLoss(selection, 1.8, 1.9, 0.28, 0.29);
    EXPECT_EQ(second.chosenLoss, 1.8);
    EXPECT_EQ(second.chosenAccuracy, 0.28) << "of the same model";
    const EvaluationReport third = judgedByLoss(selection, 1.7, 2.0, 0.40, 0.45);
    EXPECT_EQ(third.chosenLoss, 1.8) << "the smallest test loss is not asked for";
    EXPECT_FALSE(third.stop);
    EXPECT_TRUE(judgedByLoss(selection, 1.6, 1.95, 0.50, 0.50).stop) << "patience looks at the loss too";
}

TEST(ModelSelection, OfValuesTheLossDecides) {
    ModelSelection selection(TrainParams{.patience = 1});
    EXPECT_FALSE(judgedByLoss(selection, 3, 2).stop);
    const EvaluationReport better = judgedByLoss(selection, 2.5, 1);
    EXPECT_FALSE(better.stop);
    EXPECT_FALSE(better.chosenAccuracy);
    EXPECT_EQ(better.chosenLoss, 2.5);
    const EvaluationReport worse = judgedByLoss(selection, 1, 1.5);
    EXPECT_TRUE(worse.stop);
    EXPECT_EQ(worse.chosenLoss, 2.5);
}

TEST(ModelSelection, ALossThatIsNoNumberIsNeverTheBest) {
    ModelSelection selection;
    EXPECT_EQ(judgedByLoss(selection, 2, 2).chosenLoss, 2);
    EvaluationReport diverged;
    diverged.loss = diverged.validationLoss = kNone;
    diverged.validationAccuracy = 0.9;
    selection.judge(diverged);
    EXPECT_EQ(diverged.chosenLoss, 2);
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
    for (const char* name : {"eval/loss", "eval/validation_loss", "eval/validation_accuracy", "eval/chosen_accuracy",
                             "eval/chosen_loss"}) {
        ASSERT_EQ(metrics.at(name).size(), 3U) << name;
        EXPECT_EQ(metrics.at(name).back().step, 10) << name;
    }
    EXPECT_EQ(metrics.at("eval/chosen_accuracy").back().value, metrics.at("eval/accuracy").front().value);
    EXPECT_EQ(metrics.at("eval/chosen_loss").back().value, metrics.at("eval/loss").front().value);
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

// In simulated time nobody waits for an evaluation: the run ends at the furthest step that a rank was making when the
// last rank was at 10.
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

// A text of 3,000 letters that changes towards its end, where the validation set is.
TEST(Language, TheModelWithTheSmallestValidationLossIsReportedOnTheTestSet) {
    const TempDir folder;
    std::string prose;
    for (int i = 0; i < 3000; ++i) prose += static_cast<char>('a' + i * i % 17 % (1 + i / 500));
    std::ofstream(folder / "prose.txt") << prose;
    for (const char* backend : {"threads", "virtual"}) {
        Value document = stuck("sync_sgd", backend);
        document.set("model", table({{"name", text("gpt")},
                                     {"layers", integer(1)},
                                     {"width", integer(16)},
                                     {"heads", integer(2)},
                                     {"context", integer(16)}}));
        document.set("data", table({{"name", text("text")},
                                    {"path", text((folder / "prose.txt").string())},
                                    {"length", integer(16)},
                                    {"validation", number(0.2)}}));
        document.set("train", table({{"steps", integer(40)}, {"batch_size", integer(4)}, {"eval_every", integer(5)}}));
        document.set("optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.1)}}));
        const bool real = std::string(backend) == "threads";
        if (!real) document.set("compute", table({{"step_time", text("3ms")}}));
        const auto records = real ? train(document) : trainVirtually(document);
        ASSERT_EQ(records[0].outcome.error, "") << backend;
        const auto& metrics = records[0].sink.metrics;
        const auto &losses = metrics.at("eval/loss"), &chosen = metrics.at("eval/chosen_loss");
        const auto& validation = metrics.at("eval/validation_loss");
        ASSERT_EQ(validation.size(), 9U);
        ASSERT_EQ(chosen.size(), validation.size());
        std::size_t best = 0;
        for (std::size_t i = 0; i < validation.size(); ++i) {
            if (validation[i].value < validation[best].value) best = i;
            EXPECT_EQ(chosen[i].value, losses[best].value) << backend << ", evaluation " << i;
            EXPECT_EQ(metrics.at("eval/chosen_accuracy")[i].value, metrics.at("eval/accuracy")[best].value);
        }
        EXPECT_EQ(metrics.contains("eval/trained_s"), real) << "simulated instants say it themselves";
    }
}

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
