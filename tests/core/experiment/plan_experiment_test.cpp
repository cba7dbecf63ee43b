#include "core/experiment/plan_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_experiments.h"
#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using test::array;
using test::integer;
using test::minimal;
using test::quadratic;
using test::section;
using test::table;
using test::text;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string planErrorOf(const Value& document) {
    const auto experiment = readExperiment(document);
    EXPECT_TRUE(experiment) << experiment.error().message;
    const auto plan = planExperiment(*experiment);
    EXPECT_FALSE(plan);
    return plan ? "" : plan.error().message;
}

TEST(PlanExperiment, StepsFollowSamplesWorkersAndBatch) {
    Value document = minimal();
    section(document, "train") = table({{"epochs", integer(3)}, {"batch_size", integer(32)}});
    section(document, "cluster").set("workers", integer(4));
    const auto plan = planExperiment(readExperiment(document).value());
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->stepsPerEpoch, 32);  // ⌈1000 / 32⌉
    EXPECT_EQ(plan->totalSteps, 96);
    EXPECT_EQ(plan->evalEvery, 32);
    EXPECT_EQ(plan->samplesAfter(96), 3 * 4000);
    EXPECT_EQ(plan->parameters, 61'706);

    section(document, "data").set("drop_last", test::boolean(true));
    const auto dropping = planExperiment(readExperiment(document).value());
    ASSERT_TRUE(dropping);
    EXPECT_EQ(dropping->stepsPerEpoch, 31);  // ⌊1000 / 32⌋
    EXPECT_EQ(dropping->samplesAfter(93), 93 * 128);

    section(document, "train") =
        table({{"steps", integer(7)}, {"batch_size", integer(3000)}, {"eval_every", integer(2)}});
    const auto few = planExperiment(readExperiment(document).value());
    ASSERT_TRUE(few);
    EXPECT_EQ(few->stepsPerEpoch, 1);
    EXPECT_EQ(few->totalSteps, 7);
    EXPECT_EQ(few->evalEvery, 2);
}

TEST(PlanExperiment, GradientSharesMustFitTheModel) {
    Value document = quadratic();
    document.set("cluster", table({{"backend", text("virtual")}, {"workers", integer(2)}}));
    document.set("compute", table({{"gradient_shares", array(std::vector<double>{0.5, 0.5})}}));
    EXPECT_THAT(planErrorOf(document), HasSubstr("gradient_shares has 2 numbers and the model 1 parameters"));
}

TEST(PlanExperiment, WithoutDataAnEpochIsAStep) {
    const auto plan = planExperiment(readExperiment(quadratic()).value());
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->totalSteps, 50);
    EXPECT_EQ(plan->stepsPerEpoch, 1);
    EXPECT_EQ(plan->parameters, 2);
}

TEST(PlanExperiment, RefusesBeforeAnyRankStarts) {
    Value document = quadratic();
    section(document, "model").setPosition(test::at(4, 1));
    section(document, "cluster").set("workers", integer(3));
    EXPECT_THAT(planErrorOf(document), AllOf(StartsWith("test.toml:4:1: "), HasSubstr("2 targets for 3 workers")));

    document = minimal();
    section(document, "data") = table({{"name", text("synthetic")}, {"train_samples", integer(3)}});
    section(document, "cluster").set("workers", integer(4));
    EXPECT_THAT(planErrorOf(document), HasSubstr("3 samples for 4 workers"));

    document = minimal();
    section(document, "data") = table({{"name", text("synthetic")}, {"shape", array<std::int64_t>({20})}});
    EXPECT_THAT(planErrorOf(document), HasSubstr("lenet takes images"));

    document = minimal();
    section(document, "data") = table({{"name", text("mnist")}, {"path", text("/nonexistent")}});
    EXPECT_THAT(planErrorOf(document), HasSubstr("/nonexistent/train-images-idx3-ubyte"));
}

TEST(PlanExperiment, KnowsTheSizeOfTheTrainingSet) {
    EXPECT_EQ(planExperiment(readExperiment(minimal()).value())->trainSamples, 4000);
    EXPECT_EQ(planExperiment(readExperiment(quadratic()).value())->trainSamples, 0);
}

TEST(PlanExperiment, SaysWhatDataDoWithout) {
    const test::TempDir folder;
    const std::string file = folder.write("a.svm", "1 1:1\n0 -1:1\n0 2:1\n1 1:2\n0 x\n0 2:2\n").string();
    Value document = minimal();
    section(document, "model") = table({{"name", text("logistic")}});
    section(document, "data") = table({{"name", text("libsvm")}, {"path", text(file)}, {"on_damage", text("skip")}});
    section(document, "cluster").set("workers", integer(1));
    section(document, "train") = table({{"batch_size", integer(1)}});
    const auto plan = planExperiment(readExperiment(document).value());
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->leftOut, "2 damaged parts of the data are left out; the first: " + file +
                                 ":2:3: the index is -1; indices begin with 0 or 1");
    EXPECT_EQ(planExperiment(readExperiment(minimal()).value())->leftOut, "");
}

TEST(PlanExperiment, AModelThatNoMemoryHoldsIsRefusedNotThrown) {
    Value document = minimal();
    section(document, "model") =
        table({{"name", text("mlp")}, {"hidden", array<std::int64_t>({1'000'000, 1'000'000})}});
    section(document, "model").setPosition(test::at(4, 1));
    EXPECT_THAT(planErrorOf(document),
                AllOf(StartsWith("test.toml:4:1: mlp of these sizes, for these data, takes 4003 GB of memory"),
                      HasSubstr("make it smaller")));
}

class WithLabels final : public Dataset {
public:
    explicit WithLabels(std::vector<std::int64_t> labels) : labels_(std::move(labels)) {}
    Result<Splits> load(const InputSpec&) const override {
        const auto count = std::ssize(labels_);
        Splits splits{.input = {.shape = {1, 28, 28}, .classes = 10}};
        splits.train.inputs = torch::zeros({count, 1, 28, 28});
        splits.train.targets = torch::tensor(labels_, torch::kInt64);
        splits.test = splits.train;
        return splits;
    }

private:
    std::vector<std::int64_t> labels_;
};

TEST(PlanExperiment, ALabelOutOfRangeIsNamedWithItsSample) {
    const auto said = [](const std::vector<std::int64_t>& labels, const std::string& path = "") {
        Value document = minimal();
        section(document, "data") = table({{"name", text("mnist")}, {"path", text(path)}});
        Experiment experiment = readExperiment(document).value();
        experiment.dataset = std::make_unique<WithLabels>(labels);
        experiment.cluster.workers = 1;
        const auto plan = planExperiment(experiment);
        return plan ? "" : plan.error().message;
    };
    EXPECT_THAT(said({1, 2, -1, 3}),
                StartsWith("mnist: sample 2 of its training set has label -1, and its classes are 0 to 9"));
    EXPECT_THAT(said({1, -1}, "/data/digits"), StartsWith("/data/digits: sample 1 of its training set has label -1"));
    EXPECT_THAT(said({1, 10, 2, 3}), HasSubstr("sample 1 of its training set has label 10"));
    EXPECT_EQ(said({0, 9}), "");
}

// Only the model knows its loss: values have no classes among which to share a target out, nor has the hinge loss.
TEST(PlanExperiment, LabelSmoothingNeedsCrossEntropy) {
    const auto smoothed = [](const char* model, const char* data) {
        Value document = minimal();
        document.set("model", table({{"name", text(model)}}));
        document.set("data", table({{"name", text(data)}}));
        document.set("train", table({{"label_smoothing", test::number(0.1)}, {"steps", integer(10)}}));
        return document;
    };
    for (const char* model : {"random_features", "linear_svm"}) {
        EXPECT_THAT(planErrorOf(smoothed(model, "synthetic")),
                    AllOf(HasSubstr("label smoothing is of cross entropy"), HasSubstr("leave label_smoothing out")))
            << model;
    }
    for (const auto& [model, data] : {std::pair("logistic", "mnist"), std::pair("gpt", "text")}) {
        const auto plan = planExperiment(readExperiment(smoothed(model, data)).value());
        EXPECT_TRUE(plan) << model << ": " << (plan ? "" : plan.error().message);
    }
}

// Data of the right shape need not name rows of tables: those of synthetic are no whole numbers.
TEST(PlanExperiment, SamplesNameRowsThatTheTablesHave) {
    Value document = minimal();
    document.set("model", table({{"name", text("dlrm")}, {"rows", integer(20)}}));
    EXPECT_THAT(planErrorOf(document), HasSubstr("those of the data have 784: set name = \"clicks\" in [data]"));
    document.set("data", table({{"name", text("synthetic")}}));
    EXPECT_THAT(planErrorOf(document),
                AllOf(StartsWith("synthetic: sample 0 of its training set names row "),
                      HasSubstr(" of a table, and rows are whole numbers from 0 to 19: set rows in [model]")));
    document.set("data", table({{"name", text("clicks")}}));
    const auto plan = planExperiment(readExperiment(document).value());
    EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
}

}  // namespace
}  // namespace dasgd
