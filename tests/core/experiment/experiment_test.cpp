#include "core/experiment/experiment.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/base/schema/toml_reader.h"
#include "core/step/flat_params.h"
#include "tests/support/document.h"
#include "tests/support/small_experiments.h"
#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using test::array;
using test::integer;
using test::matrix;
using test::minimal;
using test::named;
using test::number;
using test::quadratic;
using test::section;
using test::table;
using test::text;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string errorOf(const Value& document) {
    const auto experiment = readExperiment(document);
    EXPECT_FALSE(experiment);
    return experiment ? "" : experiment.error().message;
}

TEST(ExperimentTest, TheLeastDocumentGetsTheDefaults) {
    const auto experiment = readExperiment(minimal());
    ASSERT_TRUE(experiment) << experiment.error().message;
    EXPECT_EQ(experiment->name, "independent-lenet");
    EXPECT_EQ(experiment->dataName, "mnist");
    EXPECT_EQ(experiment->optimizerName, "sgd");
    EXPECT_EQ(experiment->scheduleName, "constant");
    EXPECT_EQ(experiment->train.epochs, 1);
    EXPECT_EQ(experiment->cluster.workers, 2);
    EXPECT_EQ(experiment->scalarType(), at::kFloat);
    EXPECT_EQ(experiment->makeOptimizer()->learningRate(), 0.05);
    EXPECT_NE(experiment->makeAlgorithm(), nullptr);
}

// Five runs of a simulation that differed in train.seed alone had the same jitter, and times of "± 0".
TEST(ExperimentTest, SimulatedChanceFollowsTheSeedOfTheRunUnlessItHasItsOwn) {
    Value document = minimal();
    section(document, "train").set("seed", integer(5));
    section(document, "cluster") = table({{"backend", text("virtual")}, {"workers", integer(2)}});
    document.set("network", table({{"background", table({{"load", number(0.2)}})}}));
    document.set("faults", table({{"host_mtbf", text("1h")}, {"host_mttr", text("1s")}}));
    const auto followed = readExperiment(document);
    ASSERT_TRUE(followed) << followed.error().message;
    EXPECT_EQ(followed->compute.seed, 5);
    EXPECT_EQ(followed->faults->seed, 5);
    EXPECT_EQ(followed->network.background->seed, 5);
    const Value* recorded = followed->resolved.find("compute")->find("seed");
    EXPECT_EQ(*recorded->as<std::int64_t>(), -1) << "the record with another train.seed draws other times";
    section(document, "compute").set("seed", integer(3));
    EXPECT_EQ(readExperiment(document)->compute.seed, 3);
    EXPECT_EQ(readExperiment(document)->faults->seed, 5);
    section(document, "compute").set("seed", integer(-2));
    EXPECT_THAT(errorOf(document), HasSubstr("seed"));
}

TEST(ExperimentTest, ResolvedHoldsEveryFieldAndReadsBackToItself) {
    Value full = minimal();
    full.set("name", text("a \"quoted\" name"));
    section(full, "data") = table({{"name", text("synthetic")}, {"partition", text("dirichlet(0.5)")}});
    section(full, "train") = table({{"steps", integer(7)}, {"precision", text("float64")}});
    section(full, "schedule") = table({{"name", text("step")}, {"milestones", array<double>({0.25})}});
    section(full, "cluster").set("link", table({{"bandwidth", text("200Mbps")}}));
    for (const Value& document : {minimal(), quadratic(), full}) {
        const auto first = readExperiment(document);
        ASSERT_TRUE(first) << first.error().message;
        const auto second = readExperiment(first->resolved);
        ASSERT_TRUE(second) << second.error().message;
        EXPECT_TRUE(test::sameData(second->resolved, first->resolved)) << toTomlDocument(second->resolved);
    }
    const Value resolved = readExperiment(full)->resolved;
    EXPECT_EQ(*resolved.find("cluster")->find("link")->find("latency")->as<std::string>(), "0ms");
    EXPECT_EQ(*resolved.find("data")->find("partition")->as<std::string>(), "dirichlet(0.5)");
    EXPECT_EQ(*resolved.find("optimizer")->find("momentum")->as<double>(), 0.9);
    EXPECT_EQ(*resolved.find("schedule")->find("warmup_steps")->as<std::int64_t>(), 0);
}

// Every rank, and a run that is made from the record, has the rows themselves: where it is the file may be another.
TEST(ExperimentTest, AFileOfWeightsIsReadIntoTheRecord) {
    const test::TempDir folder;
    const auto file = folder.write("w.csv", "0.5, 0.5\n0.5, 0.5\n");
    const auto document = parseToml(
        "[algorithm]\nname = \"dpsgd\"\n[graph]\nname = \"matrix\"\npath = \"w.csv\"\n[model]\nname = "
        "\"quadratic\"\nmatrix = [[1]]\ntargets = [[1]]\n[train]\nsteps = 4\n",
        (folder / "e.toml").string());
    ASSERT_TRUE(document) << document.error().message;
    const auto first = readExperiment(*document);
    ASSERT_TRUE(first) << first.error().message;
    const Value& recorded = *first->resolved.find("graph");
    EXPECT_TRUE(test::sameData(
        recorded, table({{"name", text("matrix")}, {"matrix", matrix({{0.5, 0.5}, {0.5, 0.5}})}, {"path", text("")}})))
        << recorded.toToml();
    std::filesystem::remove(file);
    EXPECT_TRUE(test::sameData(readExperiment(first->resolved)->resolved, first->resolved));
    EXPECT_THAT(errorOf(*document), AllOf(HasSubstr("e.toml:5:8: "), HasSubstr("w.csv: cannot be read")));
}

TEST(ExperimentTest, NameOrMissingSectionsAreExplained) {
    Value document = minimal();
    document.erase("algorithm");
    EXPECT_THAT(errorOf(document), AllOf(HasSubstr("names no algorithm"), HasSubstr("dasgd")));
    document = minimal();
    document.erase("model");
    EXPECT_THAT(errorOf(document), AllOf(HasSubstr("names no model"), HasSubstr("resnet18")));
    document = minimal();
    section(document, "model") = Value();
    EXPECT_THAT(errorOf(document), HasSubstr("names no model"));
}

TEST(ExperimentTest, UnknownPluginsSuggestAndListAtTheirPlace) {
    Value document = minimal();
    Value name = text("dasdg");
    name.setPosition(test::at(3, 8));
    section(document, "algorithm").set("name", name);
    EXPECT_THAT(errorOf(document), AllOf(StartsWith("test.toml:3:8: unknown algorithm 'dasdg'; did you mean 'dasgd'?"),
                                         HasSubstr("Available: "), HasSubstr("local_sgd")));
    document = minimal();
    section(document, "optimizer") = named("shampoo");  // like no other's name
    EXPECT_THAT(errorOf(document), HasSubstr("unknown optimizer 'shampoo'. Available: adam, adamw, "));
}

TEST(ExperimentTest, UnknownKeysAndSectionsSuggestAtTheirPlace) {
    Value document = minimal();
    Value epochs = integer(3);
    epochs.setPosition(test::at(9, 10));
    epochs.setKeyPosition(test::at(9, 1));
    section(document, "train").set("epoch", epochs);
    EXPECT_THAT(errorOf(document), StartsWith("test.toml:9:1: unknown key 'epoch'; did you mean 'epochs'?"));

    document = minimal();
    document.set("trian", Value());
    EXPECT_THAT(errorOf(document), HasSubstr("unknown key 'trian'; did you mean 'train'?"));

    document = minimal();
    section(document, "data").set("pth", text("x"));
    EXPECT_THAT(errorOf(document), AllOf(HasSubstr("did you mean 'path'?"), HasSubstr("partition")));

    document = minimal();
    section(document, "model").set("hidden", array<std::int64_t>({1}));
    EXPECT_THAT(errorOf(document), HasSubstr("unknown key 'hidden'"));
}

TEST(ExperimentTest, WrongTypesAndRangesPointAtTheValue) {
    Value document = minimal();
    Value workers = integer(0);
    workers.setPosition(test::at(12, 11));
    section(document, "cluster").set("workers", workers);
    EXPECT_THAT(errorOf(document), StartsWith("test.toml:12:11: workers is 0; allowed: >= 1"));

    document = minimal();
    section(document, "train").set("batch_size", text("32"));
    EXPECT_THAT(errorOf(document), HasSubstr("batch_size must be an integer, found a string"));

    document = minimal();
    document.set("train", integer(3));
    EXPECT_THAT(errorOf(document), HasSubstr("train must be a table"));

    document = minimal();
    section(document, "model").set("name", integer(3));
    EXPECT_THAT(errorOf(document), HasSubstr("name must be a string"));

    document = minimal();
    section(document, "train").set("precision", text("float16"));
    EXPECT_THAT(errorOf(document), HasSubstr("allowed: float32, float64"));
}

TEST(ExperimentTest, NamesAreChecked) {
    for (const std::string& bad : {std::string(), std::string(201, 'x'), std::string("a\0b", 3), std::string("a\nb")}) {
        Value document = minimal();
        document.set("name", text(bad));
        EXPECT_THAT(errorOf(document), HasSubstr("name must have 1 to 200 bytes"));
    }
    Value document = minimal();
    document.set("name", integer(1));
    EXPECT_THAT(errorOf(document), HasSubstr("name must be a string"));
}

TEST(ExperimentTest, ConstraintsAcrossFieldsAreKept) {
    Value document = minimal();
    section(document, "train") = table({{"epochs", integer(1)}, {"steps", integer(5)}});
    EXPECT_THAT(errorOf(document), HasSubstr("epochs and steps are both given"));

    document = minimal();
    section(document, "cluster").set("link", table({{"bandwidth", text("fast")}}));
    EXPECT_THAT(errorOf(document), HasSubstr("as 200Mbps"));
    section(document, "cluster").set("link", table({{"latency", text("1")}}));
    EXPECT_THAT(errorOf(document), HasSubstr("as 1ms"));

    document = minimal();
    section(document, "data").set("partition", text("dirichlet(0)"));
    EXPECT_THAT(errorOf(document), HasSubstr("dirichlet takes one number above 0"));

    document = minimal();
    section(document, "algorithm") = table({{"name", text("dasgd")}, {"period", integer(4)}, {"delay", integer(9)}});
    EXPECT_THAT(errorOf(document), HasSubstr("delay"));
}

TEST(ExperimentTest, AGlobalShuffleNeedsAnIidPartition) {
    Value document = minimal();
    EXPECT_EQ(*readExperiment(document)->resolved.find("data")->find("shuffle")->as<std::string>(), "global");
    for (const char* partition : {"by-label", "dirichlet(0.5)"}) {
        document = minimal();
        section(document, "data").set("partition", text(partition));
        const auto experiment = readExperiment(document);
        ASSERT_TRUE(experiment) << experiment.error().message;
        EXPECT_EQ(*experiment->resolved.find("data")->find("shuffle")->as<std::string>(), "shard");
        EXPECT_TRUE(readExperiment(experiment->resolved)) << "the record can be read again";

        Value given = text("global");
        given.setPosition(test::at(7, 11));
        section(document, "data").set("shuffle", given);
        EXPECT_THAT(errorOf(document),
                    AllOf(StartsWith("test.toml:7:11: "), HasSubstr("undoes partition"), HasSubstr("\"shard\"")));
        section(document, "data").set("shuffle", text("none"));
        EXPECT_TRUE(readExperiment(document));
    }
}

TEST(ExperimentTest, AModelWithoutDataTakesNone) {
    const auto experiment = readExperiment(quadratic());
    ASSERT_TRUE(experiment) << experiment.error().message;
    EXPECT_EQ(experiment->dataset, nullptr);
    EXPECT_EQ(experiment->resolved.find("data"), nullptr);
    Value document = quadratic();
    document.set("data", named("mnist"));
    EXPECT_THAT(errorOf(document), HasSubstr("needs no data: remove [data]"));
}

TEST(ExperimentTest, LinkGivesBytesAndSeconds) {
    Value document = minimal();
    section(document, "cluster").set("link", table({{"bandwidth", text("250Mbps")}, {"latency", text("2ms")}}));
    const auto experiment = readExperiment(document);
    ASSERT_TRUE(experiment);
    EXPECT_DOUBLE_EQ(experiment->cluster.link->bytesPerSecond(), 31.25e6);
    EXPECT_DOUBLE_EQ(experiment->cluster.link->latencySeconds(), 0.002);
}

// Whole epochs, 20 steps and 4 rounds at least, unless the file says otherwise.
TEST(ExperimentTest, EvaluatesNoMoreOftenThanLeavesStepsToTime) {
    const auto evalEvery = [](test::Fields algorithm, std::int64_t workers, std::int64_t batch) {
        Value document = minimal();
        document.set("algorithm", table(std::move(algorithm)));
        section(document, "train") = table({{"epochs", integer(1)}, {"batch_size", integer(batch)}});
        section(document, "cluster").set("workers", integer(workers));
        return planSteps(readExperiment(document).value(), 4000).evalEvery;
    };
    EXPECT_EQ(evalEvery({{"name", text("independent")}}, 4, 32), 32) << "an epoch";
    EXPECT_EQ(evalEvery({{"name", text("sync_sgd")}}, 16, 32), 24) << "three epochs of 8 steps";
    EXPECT_EQ(evalEvery({{"name", text("sync_sgd")}}, 64, 64), 20) << "an epoch is a step";
    EXPECT_EQ(evalEvery({{"name", text("dasgd")}, {"period", integer(4)}}, 4, 32), 32);
    EXPECT_EQ(evalEvery({{"name", text("dasgd")}, {"period", integer(16)}}, 4, 32), 64) << "four rounds are two epochs";
    EXPECT_EQ(evalEvery({{"name", text("local_sgd")}, {"period", integer(16)}}, 64, 64), 64);
}

TEST(ExperimentTest, ATextIsGoneThroughInOrder) {
    Value document = minimal();
    section(document, "data") = table({{"name", text("text")}});
    const auto experiment = readExperiment(document);
    ASSERT_TRUE(experiment) << experiment.error().message;
    EXPECT_EQ(experiment->partition.kind, PartitionSpec::Kind::Contiguous);
    EXPECT_EQ(experiment->data.shuffle, "none");
    EXPECT_TRUE(experiment->data.dropLast);
    EXPECT_TRUE(readExperiment(experiment->resolved)) << "a run can be made from its record";
    for (const auto& [key, value] :
         test::Fields{{"partition", text("iid")}, {"shuffle", text("global")}, {"drop_last", test::boolean(false)}}) {
        section(document, "data") = table({{"name", text("text")}, {key, value}});
        EXPECT_THAT(errorOf(document), AllOf(HasSubstr("follow one another"), HasSubstr("leave " + key + " out")));
    }
}

// The accuracy of a text model is that of the next token, so it may be a target as well.
TEST(ExperimentTest, ATargetAccuracyNeedsSomethingToClassify) {
    const auto with = [](Value document, const char* key, double goal) {
        Value value = number(goal);
        value.setPosition(test::at(9, 19));
        section(document, "train").set(key, std::move(value));
        return document;
    };
    Value regression = minimal(), language = minimal();
    regression.set("model", named("random_features"));
    regression.set("data", named("synthetic"));
    language.set("model", named("gpt"));
    language.set("data", named("text"));
    for (const Value& document : {regression, quadratic()}) {
        EXPECT_THAT(errorOf(with(document, "target_accuracy", 0.9)),
                    AllOf(StartsWith("test.toml:9:19: target_accuracy cannot be reached"), HasSubstr("target_loss")));
        EXPECT_TRUE(readExperiment(with(document, "target_loss", 0.1)));
    }
    for (const Value& document : {minimal(), language}) {
        EXPECT_TRUE(readExperiment(with(document, "target_accuracy", 0.9)));
        EXPECT_TRUE(readExperiment(with(document, "target_loss", 0.1)));
    }
}

TEST(ExperimentTest, LabelSmoothingNeedsLabels) {
    Value document = quadratic();
    Value share = number(0.1);
    share.setPosition(test::at(9, 19));
    section(document, "train").set("label_smoothing", share);
    EXPECT_THAT(errorOf(document), StartsWith("test.toml:9:19: label_smoothing spreads the targets of samples"));
}

// The shortest way through everything here: digits, network, flat parameters, optimiser.
TEST(ExperimentTest, WhatItMakesLearnsTheDigits) {
    const auto experiment = readExperiment(minimal()).value();
    at::set_num_threads(1);
    torch::manual_seed(1);
    const auto model = experiment.makeModel();
    const Splits splits = experiment.dataset->load(model->naturalInput()).value();
    ASSERT_TRUE(model->build({.input = splits.input}));
    FlatParams flat(model->module(), experiment.scalarType());
    const auto optimizer = experiment.makeOptimizer();
    for (int k = 0; k < 120; ++k) {
        const at::Tensor pick = torch::randint(splits.train.count(), {32}, torch::kInt64);
        flat.gradients().zero_();
        model->loss(makeBatch(splits.train, pick, experiment.scalarType())).backward();
        optimizer->step(flat, optimizer->learningRate());
    }
    const at::Tensor all = torch::arange(splits.test.count(), torch::kInt64);
    const Evaluation test = model->evaluate(makeBatch(splits.test, all, experiment.scalarType()));
    EXPECT_GT(static_cast<double>(test.correct) / static_cast<double>(test.samples), 0.8);
}

}  // namespace
}  // namespace dasgd
