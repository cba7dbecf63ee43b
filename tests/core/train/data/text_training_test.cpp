// Training on a text: what is set apart of it, rows that go on from batch to batch, and the state of a recurrent
// network, which goes on with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/train/evaluation/evaluator.h"
#include "core/train/steps/local_step.h"
#include "tests/support/sim/networks.h"
#include "tests/support/temp_dir.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

constexpr double kRate = 0.5;

// 401 characters, none of which occurs twice, in the order of their codes: a token is its place in the text.
constexpr int kPlaces = 401;

std::string placesInOrder() {
    std::string utf8;
    for (int code = 0x100; code < 0x100 + kPlaces; ++code) {
        utf8 += static_cast<char>(0xC0 | code >> 6);
        utf8 += static_cast<char>(0x80 | (code & 0x3F));
    }
    return utf8;
}

Value charLstm() {
    return table({{"name", text("char_lstm")},
                  {"layers", integer(2)},
                  {"width", integer(6)},
                  {"embedding", integer(5)},
                  {"context", integer(4)}});
}

Value gpt() {
    return table({{"name", text("gpt")},
                  {"layers", integer(1)},
                  {"width", integer(8)},
                  {"heads", integer(2)},
                  {"context", integer(4)}});
}

// Runs in float64, so that a difference is not rounding. 40 places of the text are the test set; of the 90 samples of 4
// that the rest holds, 18 are for validation and 72 are trained on.
class TextTraining : public ::testing::Test {
protected:
    [[nodiscard]] Value document(Value model, std::int64_t workers, Fields train, double tests = 0.1) const {
        train.emplace_back("precision", text("float64"));
        return table({{"algorithm", table({{"name", text("independent")}})},
                      {"model", std::move(model)},
                      {"data", table({{"name", text("text")},
                                      {"path", text(path_)},
                                      {"test_fraction", number(tests)},
                                      {"validation", number(0.2)}})},
                      {"train", table(std::move(train))},
                      {"optimizer", table({{"learning_rate", number(kRate)}, {"momentum", number(0)}})},
                      {"cluster", table({{"backend", text("threads")}, {"workers", integer(workers)}})}});
    }

    TempDir folder_;
    std::string path_ = folder_.write("places.txt", placesInOrder()).string();
};

// A rank as it trains, with its own network.
class TrainingRank {
public:
    TrainingRank(const Experiment& experiment, const TrainingData& data, Rank rank)
        : batch_(experiment.train.batchSize),
          model_(std::move(buildModel(experiment, data, rank).value())),
          params_(model_->module(), experiment.scalarType()),
          optimizer_(experiment.makeOptimizer()),
          step_(makeLocalStep(experiment, data, *model_, params_, *optimizer_, rank)) {}

    // One step of `microBatches`; the weights stay. Answers its loss.
    double lossOfStep(std::int64_t microBatches = 1) {
        for (std::int64_t i = 0; i < microBatches; ++i) {
            const MicroBatch part{.samples = batch_, .before = i * batch_, .of = microBatches * batch_};
            step_->load(part);
            step_->forward(part);
            step_->backward();
        }
        return step_->loss().item<double>();
    }
    void update() { step_->update(kRate); }
    [[nodiscard]] Model& model() { return *model_; }
    [[nodiscard]] const at::Tensor& gradients() { return params_.gradients(); }

private:
    std::int64_t batch_;
    std::unique_ptr<Model> model_;
    FlatParams params_;
    std::unique_ptr<Optimizer> optimizer_;
    std::unique_ptr<LocalStep> step_;
};

Batch wholeOf(const Samples& samples) {
    return makeBatch(samples, torch::arange(samples.count(), torch::kInt64), torch::kDouble);
}

at::Tensor placesFrom(std::int64_t begin, std::int64_t end) { return torch::arange(begin, end, torch::kInt64); }

TEST_F(TextTraining, TheValidationPieceFollowsTheTrainingPieceAndSharesNoPlaceWithIt) {
    const Experiment experiment = readExperiment(document(charLstm(), 3, {{"batch_size", integer(2)}})).value();
    const TrainingData data = loadTrainingData(experiment).value();
    const Batch train = wholeOf(data.splits.train), validation = wholeOf(data.validation),
                test = wholeOf(data.splits.test);
    EXPECT_TRUE(train.inputs.flatten().equal(placesFrom(0, 288)));
    EXPECT_TRUE(validation.inputs.flatten().equal(placesFrom(288, 360)));
    EXPECT_TRUE(train.targets.flatten().equal(placesFrom(1, 289))) << "each place is predicted in one piece alone";
    EXPECT_TRUE(validation.targets.flatten().equal(placesFrom(289, 361)));
    EXPECT_EQ(test.inputs.min().item<std::int64_t>(), 361);
    EXPECT_TRUE(data.splits.train.continuous && data.validation.continuous && data.splits.test.continuous);

    std::vector<at::Tensor> drawn;
    for (int rank = 0; rank < 3; ++rank) drawn.push_back(passesOf(experiment, data, Rank{rank})(0));
    EXPECT_TRUE(std::get<0>(torch::cat(drawn).sort()).equal(placesFrom(0, 72)))
        << "the ranks go through the training piece, each sample once, and through nothing else";
}

// The validation piece begins where the training piece ends, so a state carried over from training would help on it.
TEST_F(TextTraining, NothingThatWasReadInTrainingIsKnownInEvaluation) {
    const Experiment experiment = readExperiment(document(charLstm(), 1, {{"batch_size", integer(2)}})).value();
    const TrainingData data = loadTrainingData(experiment).value();
    TrainingRank fresh(experiment, data, Rank{0}), trained(experiment, data, Rank{0});
    const TestShare validation = shareOf(data.validation, Rank{0}, 1, torch::kDouble);
    const TestShare test = shareOf(data.splits.test, Rank{0}, 1, torch::kDouble);
    const double expected = evaluateOn(fresh.model(), validation).lossSum;
    for (int i = 0; i < 5; ++i) (void)trained.lossOfStep();
    EXPECT_NEAR(evaluateOn(trained.model(), validation).lossSum, expected, 1e-9);
    (void)evaluateOn(trained.model(), test);
    EXPECT_NEAR(evaluateOn(trained.model(), validation).lossSum, expected, 1e-9) << "nor what the test set taught";
}

TEST_F(TextTraining, TrainingGoesOnAfterAnEvaluationWhereItWas) {
    const Experiment experiment = readExperiment(document(charLstm(), 1, {{"batch_size", integer(2)}})).value();
    const TrainingData data = loadTrainingData(experiment).value();
    TrainingRank undisturbed(experiment, data, Rank{0}), evaluated(experiment, data, Rank{0}),
        forgetful(experiment, data, Rank{0});
    for (TrainingRank* rank : {&undisturbed, &evaluated, &forgetful}) {
        for (int i = 0; i < 5; ++i) (void)rank->lossOfStep();
    }
    (void)evaluateOn(evaluated.model(), shareOf(data.validation, Rank{0}, 1, torch::kDouble));
    (void)evaluateOn(evaluated.model(), shareOf(data.splits.test, Rank{0}, 1, torch::kDouble));
    forgetful.model().beginPass(true);
    const double expected = undisturbed.lossOfStep();
    EXPECT_NEAR(evaluated.lossOfStep(), expected, 1e-12);
    EXPECT_GT(std::abs(forgetful.lossOfStep() - expected), 1e-6) << "the state makes a difference here";
}

// Two ranks in one process that evaluate together every other step, and each of them alone without any evaluation. An
// epoch is 18 steps: the state is forgotten between steps 18 and 19.
TEST_F(TextTraining, EachRankHasAStateOfItsOwn) {
    constexpr std::int64_t kSteps = 25;
    const Value whole =
        document(charLstm(), 2, {{"batch_size", integer(2)}, {"steps", integer(kSteps)}, {"eval_every", integer(2)}});
    const std::vector<RankRecord> records = train(whole);
    const Experiment experiment = readExperiment(whole).value();
    const TrainingData data = loadTrainingData(experiment).value();
    for (int r = 0; r < 2; ++r) {
        const RankRecord& record = records[static_cast<std::size_t>(r)];
        EXPECT_EQ(record.outcome.error, "");
        const auto& losses = record.sink.metrics.at("train/loss");
        ASSERT_EQ(losses.size(), static_cast<std::size_t>(kSteps));
        TrainingRank alone(experiment, data, Rank{r});
        for (std::size_t k = 0; k < losses.size(); ++k) {
            EXPECT_NEAR(losses[k].value, alone.lossOfStep(), 1e-9) << "rank " << r << ", step " << k + 1;
            alone.update();
        }
    }
}

// Rows go on from micro-batch to micro-batch: the samples of one step are 2 x 3 that follow one another. A transformer
// knows nothing of the samples before, so that they may as well be one batch of six.
TEST_F(TextTraining, AccumulatedRowsMakeTheGradientOfOneLargeBatch) {
    const Experiment experiment =
        readExperiment(document(gpt(), 2, {{"batch_size", integer(2)}, {"accumulate", integer(3)}})).value();
    const TrainingData data = loadTrainingData(experiment).value();
    const at::Tensor samples = passesOf(experiment, data, Rank{1})(0).slice(0, 0, 12).contiguous();
    const at::Tensor byMicroBatch = samples.view({6, 2});
    EXPECT_TRUE(byMicroBatch.slice(0, 1).equal(byMicroBatch.slice(0, 0, 5) + 1)) << "over the end of a step too";

    TrainingRank accumulating(experiment, data, Rank{1}), whole(experiment, data, Rank{1});
    for (const std::int64_t begin : {0, 6}) {
        const double loss = accumulating.lossOfStep(3);
        whole.model().module().zero_grad(false);
        const Batch batch = makeBatch(data.splits.train, samples.slice(0, begin, begin + 6), torch::kDouble);
        const at::Tensor expected = whole.model().loss(batch);
        expected.backward();
        EXPECT_NEAR(loss, expected.item<double>(), 1e-12);
        EXPECT_TRUE(torch::allclose(accumulating.gradients(), whole.gradients(), 1e-12, 1e-14));
    }
}

// A recurrent network reads the micro-batches of a step as one text: its loss is that of rows three times as long.
TEST_F(TextTraining, TheStateGoesOnFromMicroBatchToMicroBatch) {
    const Experiment experiment =
        readExperiment(document(charLstm(), 2, {{"batch_size", integer(2)}, {"accumulate", integer(3)}})).value();
    const TrainingData data = loadTrainingData(experiment).value();
    const at::Tensor samples = passesOf(experiment, data, Rank{1})(0).slice(0, 0, 12).contiguous();
    TrainingRank accumulating(experiment, data, Rank{1}), whole(experiment, data, Rank{1});
    for (const std::int64_t begin : {0, 6}) {
        const Batch batch = makeBatch(data.splits.train, samples.slice(0, begin, begin + 6), torch::kDouble);
        // [micro-batch, row, place] to [row, all places]
        const auto joined = [](const at::Tensor& places) {
            return places.view({3, 2, 4}).transpose(0, 1).reshape({2, 12});
        };
        const double expected = whole.model().loss({joined(batch.inputs), joined(batch.targets)}).item<double>();
        EXPECT_NEAR(accumulating.lossOfStep(3), expected, 1e-12) << "from sample " << begin;
    }
}

// Three ranks judge 9, 10 and 10 samples: each token counts the same, and not each rank.
TEST_F(TextTraining, PerplexityIsThatOfAllTokensTogether) {
    const Value whole =
        document(gpt(), 3, {{"batch_size", integer(2)}, {"steps", integer(8)}, {"eval_every", integer(4)}}, 0.3);
    const std::vector<RankRecord> records = train(whole);
    ASSERT_EQ(records[0].outcome.error, "");
    const auto& metrics = records[0].sink.metrics;
    const Experiment experiment = readExperiment(whole).value();
    const TrainingData data = loadTrainingData(experiment).value();
    ASSERT_EQ(data.splits.test.count(), 29);
    TrainingRank initial(experiment, data, Rank{0});
    initial.model().module().eval();
    const at::NoGradGuard noGrad;
    for (const auto& [name, set] :
         {std::pair("perplexity", &data.splits.test), std::pair("validation_perplexity", &data.validation)}) {
        const Batch batch = wholeOf(*set);
        const at::Tensor probabilities = outputsOf(initial.model(), batch.inputs).softmax(-1);
        const at::Tensor ofTargets = probabilities.gather(-1, batch.targets.unsqueeze(-1));
        const double expected = std::exp(-ofTargets.log().mean().item<double>());
        const auto& recorded = metrics.at(std::string("eval/") + name);
        ASSERT_EQ(recorded.size(), 3U);
        EXPECT_NEAR(recorded[0].value, expected, 1e-9 * expected) << name << " before the first step";
    }
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_DOUBLE_EQ(metrics.at("eval/perplexity")[i].value, std::exp(metrics.at("eval/loss")[i].value));
    }
}

}  // namespace
}  // namespace dasgd::test
