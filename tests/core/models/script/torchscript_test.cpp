#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/models/script/foreign_code.h"
#include "core/step/flat_params.h"
#include "tests/support/model_trials.h"
#include "tests/support/resumed_runs.h"
#include "tests/support/script_modules.h"
#include "tests/support/sim/networks.h"
#include "tests/support/temp_dir.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const InputSpec kScriptInput{.shape = {2, 3}, .classes = 4};

constexpr const char* kProduct = "    return x.flatten(1).matmul(self.weight.t())\n";
constexpr const char* kReturnsValues = "    return x.matmul(self.weight.t())\n";
constexpr const char* kBigrams = "    return torch.embedding(self.weight, x)\n";
constexpr const char* kLinear = "    return x.flatten(1).matmul(self.weight.t()) + self.bias\n";

class TorchScriptTest : public ::testing::Test {
protected:
    Value fieldsOf(const torch::jit::Module& script, const std::string& task = "classes") {
        script.save((folder_ / "net.pt").string());
        return table({{"path", text((folder_ / "net.pt").string())}, {"task", text(task)}});
    }
    std::string refusalOf(const torch::jit::Module& script, const InputSpec& input = kScriptInput,
                          const std::string& task = "classes") {
        return test::refusalOf("torchscript", input, fieldsOf(script, task));
    }
    // The same network as `logistic`, with its weights.
    Value logistic(const InputSpec& input, std::uint64_t seed) {
        at::manual_seed(seed);
        const auto model = createModel("logistic");
        EXPECT_TRUE(model->build({.input = input}));
        const auto parameters = model->module().parameters();
        return fieldsOf(scriptOf({{"weight", parameters[0].detach()}, {"bias", parameters[1].detach()}}, kLinear));
    }

    TempDir folder_;
};

TEST_F(TorchScriptTest, HasTheLossAndTheGradientsOfTheSameNetworkOfOurs) {
    const auto script = buildModel("torchscript", kScriptInput, logistic(kScriptInput, 3));
    const auto ours = buildModel("logistic", kScriptInput);
    const Batch batch = randomBatch(kScriptInput, 5);
    const at::Tensor theirLoss = script->loss(batch), ourLoss = ours->loss(batch);
    EXPECT_FLOAT_EQ(theirLoss.item<float>(), ourLoss.item<float>());
    theirLoss.backward();
    ourLoss.backward();
    const auto theirs = script->module().named_parameters();
    EXPECT_TRUE(theirs["weight"].grad().allclose(ours->module().parameters()[0].grad(), 1e-5, 1e-7));
    EXPECT_TRUE(theirs["bias"].grad().allclose(ours->module().parameters()[1].grad(), 1e-5, 1e-7));
    EXPECT_EQ(script->evaluate(batch).correct, ours->evaluate(batch).correct);
}

TEST_F(TorchScriptTest, ComputesWithTheFlatWeights) {
    const auto model = buildModel("torchscript", kScriptInput, logistic(kScriptInput, 3));
    FlatParams flat(model->module(), at::kDouble);
    ASSERT_EQ(flat.size(), 4 * 6 + 4);
    const Batch batch = randomBatch(kScriptInput, 5, at::kDouble);
    {
        const at::NoGradGuard noGrad;
        flat.weights().zero_();
        flat.weights().slice(0, 24).copy_(torch::tensor({1.0, 2.0, 3.0, 4.0}));
        const at::Tensor outputs = outputsOf(*model, batch.inputs);
        EXPECT_TRUE(outputs.equal(torch::tensor({1.0, 2.0, 3.0, 4.0}, at::kDouble).expand({5, 4})));
    }
    model->loss(batch).backward();
    EXPECT_GT(flat.gradients().abs().sum().item<double>(), 0);
    EXPECT_EQ(flat.slots()[1].parameter.grad().data_ptr(), flat.gradients().slice(0, 24).data_ptr());
}

TEST_F(TorchScriptTest, EveryRankHasACopyOfItsOwn) {
    const Value fields = logistic(kScriptInput, 3);
    const auto one = buildModel("torchscript", kScriptInput, fields),
               other = buildModel("torchscript", kScriptInput, fields);
    const Batch batch = randomBatch(kScriptInput, 5);
    const double before = other->evaluate(batch).lossSum;
    {
        const at::NoGradGuard noGrad;
        for (at::Tensor& parameter : one->module().parameters()) parameter.fill_(9);
    }
    EXPECT_EQ(other->evaluate(batch).lossSum, before);
}

TEST_F(TorchScriptTest, TrainsInThreadsAsOurOwnNetworkDoes) {
    const InputSpec digits{.shape = {1, 28, 28}, .classes = 10};
    const auto losses = [](Value model) {
        const auto records =
            train(table({{"algorithm", table({{"name", text("dasgd")}})},
                         {"model", std::move(model)},
                         {"train", table({{"steps", integer(12)}, {"batch_size", integer(16)}, {"seed", integer(5)}})},
                         {"cluster", table({{"backend", text("threads")}, {"workers", integer(2)}})}}));
        EXPECT_EQ(records[1].outcome.error, "");
        std::vector<double> values;
        for (const auto& point : records[1].sink.metrics.at("train/loss")) values.push_back(point.value);
        return values;
    };
    Value script = logistic(digits, 5);
    script.set("name", text("torchscript"));
    const auto theirs = losses(std::move(script)), ours = losses(table({{"name", text("logistic")}}));
    ASSERT_EQ(theirs.size(), ours.size());
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(theirs[i], ours[i], 1e-4) << "step " << i + 1;
    EXPECT_LT(ours.back(), ours.front());
}

TEST_F(TorchScriptTest, BuffersFollowTrainingAndNotEvaluation) {
    torch::jit::Module net("__torch__.Norm");
    net.register_attribute("training", c10::BoolType::get(), false);  // saved after net.eval()
    net.register_parameter("weight", torch::ones({4, 6}).requires_grad_(), false);
    net.register_buffer("mean", torch::zeros({6}));
    net.register_buffer("variance", torch::ones({6}));
    net.define(
        "def forward(self, x):\n"
        "    y = torch.batch_norm(x.flatten(1), None, None, self.mean, self.variance, self.training, 0.5, 1e-5, "
        "False)\n"
        "    return y.matmul(self.weight.t())\n");
    const auto model = buildModel("torchscript", kScriptInput, fieldsOf(net));
    const at::Tensor mean = model->module().named_buffers()["mean"];
    EXPECT_EQ(mean.abs().sum().item<float>(), 0) << "trying the script out leaves no trace";
    const Batch batch = randomBatch(kScriptInput, 8);
    model->evaluate(batch);
    EXPECT_EQ(mean.abs().sum().item<float>(), 0);
    (void)model->loss(batch);
    EXPECT_TRUE(mean.allclose(batch.inputs.flatten(1).mean(0) / 2, 1e-5, 1e-6));
}

// Attributes that a pass sets, for the next one to compute with, make a model stateful: they would be lost where a pass
// is captured, or wrong where one is made in addition.
TEST_F(TorchScriptTest, WhoSetsAnAttributeGoesOnWithIt) {
    const auto isStateful = [&](bool sets) {
        torch::jit::Module net =
            scriptOf({{"weight", torch::ones({4, 6})}}, "    return x.flatten(1).matmul(self.weight.t())\n");
        torch::jit::Module outer("__torch__.Counting");
        outer.register_attribute("training", c10::BoolType::get(), true);
        outer.register_attribute("calls", c10::IntType::get(), 0);
        outer.register_module("inner", net);
        outer.define(std::string("def forward(self, x):\n") + (sets ? "    self.calls += 1\n" : "") +
                     "    return self.inner.forward(x)\n");
        return buildModel("torchscript", kScriptInput, fieldsOf(outer))->isStateful();
    };
    EXPECT_TRUE(isStateful(true));
    EXPECT_FALSE(isStateful(false));
}

// A running mean that forward assigns, `assigned`, or changes in place, and whose network computes with it before.
torch::jit::Module runningMean(bool assigned, const std::string& more = "") {
    torch::jit::Module net("__torch__.Running");
    net.register_attribute("training", c10::BoolType::get(), true);
    net.register_attribute("calls", c10::IntType::get(), 0);
    at::manual_seed(4);
    net.register_parameter("weight", torch::randn({4, 6}).requires_grad_(), false);
    net.register_buffer("mean", torch::zeros({6}));
    const std::string next = "0.5 * self.mean + 0.5 * y.mean(0)";
    net.define("def forward(self, x):\n    y = x.flatten(1)\n    before = self.mean\n    if self.training:\n        " +
               (assigned ? "self.mean = " + next : "before = before.clone()\n        self.mean.copy_(" + next + ")") +
               "\n" + more + "    return ((y - self.mean) * (1.0 + before)).matmul(self.weight.t())\n");
    return net;
}

TEST_F(TorchScriptTest, ABufferThatIsAssignedIsTheRegisteredOne) {
    const Batch batch = randomBatch(kScriptInput, 8);
    const auto assigned = buildModel("torchscript", kScriptInput, fieldsOf(runningMean(true)));
    const at::Tensor mean = assigned->module().named_buffers()["mean"];
    const auto inPlace = buildModel("torchscript", kScriptInput, fieldsOf(runningMean(false)));
    for (int step = 0; step < 3; ++step) {
        const at::Tensor loss = assigned->loss(batch), other = inPlace->loss(batch);
        EXPECT_TRUE(loss.equal(other)) << step;
        loss.backward();
        other.backward();
        EXPECT_TRUE(mean.equal(inPlace->module().named_buffers()["mean"])) << step;
        EXPECT_TRUE(assigned->module().parameters()[0].grad().equal(inPlace->module().parameters()[0].grad())) << step;
    }
    EXPECT_TRUE(mean.allclose(batch.inputs.flatten(1).mean(0) * 0.875, 1e-5, 1e-6));
    // Buffers are set from outside too: the evaluation gives all ranks their mean, and a checkpoint restores them.
    const at::NoGradGuard noGrad;
    mean.fill_(3);
    inPlace->module().named_buffers()["mean"].fill_(3);
    EXPECT_TRUE(outputsOf(*assigned, batch.inputs).equal(outputsOf(*inPlace, batch.inputs)));
}

// The trial before the run makes a few passes only.
TEST_F(TorchScriptTest, ABufferWhoseTypeChangesLaterEndsTheRun) {
    torch::jit::Module net("__torch__.Late");
    net.register_attribute("training", c10::BoolType::get(), true);
    net.register_attribute("calls", c10::IntType::get(), 0);
    net.register_parameter("weight", torch::ones({4, 6}).requires_grad_(), false);
    net.register_buffer("mean", torch::zeros({6}));
    net.define(
        "def forward(self, x):\n    y = x.flatten(1)\n    self.calls += 1\n    self.mean = y.mean(0)\n"
        "    if self.calls > 20:\n        self.mean = self.mean.to(7)\n    return y.matmul(self.weight.t())\n");
    const auto model = buildModel("torchscript", kScriptInput, fieldsOf(net));
    const Batch batch = randomBatch(kScriptInput, 8);
    for (int step = 0; step < 20; ++step) (void)model->loss(batch);
    try {
        (void)model->loss(batch);
        FAIL() << "the buffer was given a value of another type";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("the script gives its buffer mean of type Float a value of type Double"));
    }
}

// Whole numbers that forward counts with go on where a checkpoint was.
TEST_F(TorchScriptTest, CountersAreAPartOfTheState) {
    const std::string counting = "    self.calls += 1\n    y = y * float(self.calls)\n";
    const Value fields = fieldsOf(runningMean(true, counting));
    const auto one = buildModel("torchscript", kScriptInput, fields);
    const Batch batch = randomBatch(kScriptInput, 8);
    for (int step = 0; step < 3; ++step) (void)one->loss(batch);
    const auto other = buildModel("torchscript", kScriptInput, fields);
    ASSERT_TRUE(other->setPassState(one->passState()));
    {
        const at::NoGradGuard noGrad;
        other->module().named_buffers()["mean"].copy_(one->module().named_buffers()["mean"]);
    }
    EXPECT_TRUE(other->loss(batch).equal(one->loss(batch)));
    EXPECT_FALSE(
        buildModel("torchscript", kScriptInput, fieldsOf(runningMean(true)))->setPassState({torch::ones({2})}));
    EXPECT_TRUE(buildModel("logistic", kScriptInput)->passState().empty());
}

TEST_F(TorchScriptTest, GoesOnWithTheSameBitsAfterAStop) {
    Value model = fieldsOf(runningMean(true, "    self.calls += 1\n    y = y * (1.0 + 0.01 * float(self.calls))\n"));
    model.set("name", text("torchscript"));
    const Value document =
        table({{"name", text("resumed")},
               {"algorithm", table({{"name", text("dasgd")}})},
               {"model", std::move(model)},
               {"data", table({{"name", text("synthetic")},
                               {"shape", array<std::int64_t>({6})},
                               {"classes", integer(4)},
                               {"train_samples", integer(60)},
                               {"test_samples", integer(12)}})},
               {"train", table({{"steps", integer(13)}, {"batch_size", integer(4)}, {"eval_every", integer(5)}})},
               {"cluster", table({{"backend", text("threads")}, {"workers", integer(2)}})}});
    expectSameModelAfterStops(TrainedOn::Threads, document, {6});
}

// Both networks are the same one, and so must be what is evaluated: with the mean of the buffers over the ranks.
TEST_F(TorchScriptTest, EvaluatesTheMeanOfBuffersThatAreAssigned) {
    const auto evaluated = [&](bool assigned) {
        Value model = fieldsOf(runningMean(assigned));
        model.set("name", text("torchscript"));
        const auto records = train(
            table({{"algorithm", table({{"name", text("local_sgd")}})},
                   {"model", std::move(model)},
                   {"data", table({{"name", text("synthetic")},
                                   {"shape", array<std::int64_t>({6})},
                                   {"classes", integer(4)},
                                   {"train_samples", integer(60)},
                                   {"test_samples", integer(12)}})},
                   {"train", table({{"steps", integer(12)}, {"batch_size", integer(4)}, {"eval_every", integer(4)}})},
                   {"cluster", table({{"backend", text("threads")}, {"workers", integer(2)}})}}));
        EXPECT_EQ(records[0].outcome.error, "");
        std::vector<double> losses;
        for (const auto& point : records[0].sink.metrics.at("eval/loss")) losses.push_back(point.value);
        return losses;
    };
    EXPECT_EQ(evaluated(true), evaluated(false));
}

// The code of a file is tried in another process before a run; building the model here computes nothing of it.
TEST_F(TorchScriptTest, LeavesItsTrialToWhoAsksForThat) {
    const Value fields =
        fieldsOf(scriptOf({{"weight", torch::ones({4, 6})}}, std::string("    assert False\n") + kProduct));
    EXPECT_THAT(test::refusalOf("torchscript", kScriptInput, fields), HasSubstr("cannot be trained"));
    const auto model = createModel("torchscript", fields);
    std::string asked;
    Status answer;
    dynamic_cast<RunsForeignCode&>(*model).tryWith([&](const ForeignCode& code) {
        asked = code.file + " " + code.task + " " + std::to_string(code.input.classes);
        return answer;
    });
    EXPECT_TRUE(model->build({.input = kScriptInput}));
    EXPECT_EQ(asked, (folder_ / "net.pt").string() + " classes 4");
    EXPECT_EQ(model->module().parameters().size(), 1U);
    answer = fail("net.pt: no");
    const Status built = model->build({.input = kScriptInput});
    ASSERT_FALSE(built);
    EXPECT_EQ(built.error().message, "net.pt: no");
}

TEST_F(TorchScriptTest, DrawsFromTheStreamOfItsRank) {
    const Value fields = fieldsOf(
        scriptOf({{"weight", torch::ones({4, 6})}},
                 "    return torch.dropout(x.flatten(1), 0.5, self.training).matmul(self.weight.t()) * 0.1\n"));
    const auto drawn = [&](std::uint64_t seed) {
        const auto model = createModel("torchscript", fields);
        EXPECT_TRUE(model->build({.input = kScriptInput, .random = at::detail::createCPUGenerator(seed)}));
        const Batch batch{torch::ones({64, 2, 3}), torch::arange(64, torch::kInt64).remainder(4)};
        const at::Tensor before = at::detail::getDefaultCPUGenerator().get_state();
        std::vector<at::Tensor> outputs;
        model->module().train();
        for (int i = 0; i < 2; ++i) outputs.push_back(outputsOf(*model, batch.inputs).detach());
        EXPECT_TRUE(before.equal(at::detail::getDefaultCPUGenerator().get_state()));
        EXPECT_FALSE(outputs[0].equal(outputs[1])) << "a new mask each time";
        return torch::stack(outputs);
    };
    const at::Tensor first = drawn(1);
    EXPECT_TRUE(first.equal(drawn(1)));
    EXPECT_FALSE(first.equal(drawn(2)));
}

TEST_F(TorchScriptTest, KeepsTiedParametersTied) {
    const at::Tensor shared = torch::randn({6, 6}).requires_grad_();
    torch::jit::Module script("__torch__.Tied");
    script.register_attribute("training", c10::BoolType::get(), true);
    for (const char* name : {"first", "second"}) {
        torch::jit::Module layer(std::string("__torch__.Layer_") + name);
        layer.register_parameter("weight", shared, false);
        layer.define("def forward(self, x):\n    return x.matmul(self.weight)\n");
        script.register_module(name, layer);
    }
    script.define("def forward(self, x):\n    return self.second.forward(self.first.forward(x.flatten(1)))[:, :4]\n");
    const auto model = buildModel("torchscript", kScriptInput, fieldsOf(script));
    EXPECT_THAT(model->module().named_parameters().keys(), ElementsAre("first.weight", "second.weight"));
    FlatParams flat(model->module(), at::kFloat);
    EXPECT_EQ(flat.size(), 36);
    const at::NoGradGuard noGrad;
    flat.weights().copy_(torch::eye(6).flatten() * 2);
    const at::Tensor x = torch::rand({1, 2, 3});
    EXPECT_TRUE(outputsOf(*model, x).allclose(4 * x.flatten(1).slice(1, 0, 4))) << "both layers double";
}

TEST_F(TorchScriptTest, LearnsValuesAndTextToo) {
    const InputSpec values{.shape = {3}, .classes = 2, .task = Task::kRegression};
    const auto regression = buildModel(
        "torchscript", values, fieldsOf(scriptOf({{"weight", torch::zeros({2, 3})}}, kReturnsValues), "values"));
    const Batch batch = randomBatch(values, 4);
    EXPECT_NEAR(regression->loss(batch).item<float>(), batch.targets.square().mean().item<float>(), 1e-6);

    const InputSpec words{.shape = {5}, .classes = 7, .task = Task::kLanguage};
    const auto language =
        buildModel("torchscript", words, fieldsOf(scriptOf({{"weight", torch::zeros({7, 7})}}, kBigrams), "text"));
    EXPECT_NEAR(language->loss(randomBatch(words, 4)).item<float>(), std::log(7.0), 1e-5);
}

// Metrics of rank 0 of a run of two ranks.
decltype(MemorySink::metrics) metricsOf(Value model, Value data, double rate, std::int64_t steps) {
    model.set("name", text("torchscript"));
    const auto records = train(table({{"algorithm", table({{"name", text("sync_sgd")}})},
                                      {"model", std::move(model)},
                                      {"data", std::move(data)},
                                      {"train", table({{"steps", integer(steps)}, {"batch_size", integer(8)}})},
                                      {"optimizer", table({{"learning_rate", number(rate)}, {"momentum", number(0)}})},
                                      {"schedule", table({{"name", text("constant")}})},
                                      {"cluster", table({{"backend", text("threads")}, {"workers", integer(2)}})}}));
    EXPECT_EQ(records[0].outcome.error, "");
    return records[0].sink.metrics;
}

// Data without noise that a linear map makes: nothing is left of the error.
TEST_F(TorchScriptTest, TrainsOnValuesFromTheDataOn) {
    const auto metrics =
        metricsOf(fieldsOf(scriptOf({{"weight", torch::zeros({1, 8})}}, kReturnsValues), "values"),
                  table({{"name", text("synthetic")}, {"noise", number(0)}, {"train_samples", integer(256)}}), 0.1, 40);
    const auto& losses = metrics.at("train/loss");
    EXPECT_GT(losses.front().value, 0.01);
    EXPECT_LT(losses.back().value, 1e-3 * losses.front().value);
}

// In this text the next letter of almost every letter is certain.
TEST_F(TorchScriptTest, TrainsOnATextFromTheDataOn) {
    std::string prose;
    for (int i = 0; i < 300; ++i) prose += "hello world\n";
    std::ofstream(folder_ / "prose.txt") << prose;
    const auto metrics = metricsOf(fieldsOf(scriptOf({{"weight", torch::zeros({256, 256})}}, kBigrams), "text"),
                                   table({{"name", text("text")},
                                          {"path", text((folder_ / "prose.txt").string())},
                                          {"tokens", text("bytes")},
                                          {"length", integer(16)}}),
                                   8, 24);
    const auto& losses = metrics.at("train/loss");
    EXPECT_NEAR(losses.front().value, std::log(256), 1e-4);
    EXPECT_LT(losses.back().value, losses.front().value / 2);
    const auto& perplexities = metrics.at("eval/perplexity");
    EXPECT_LT(perplexities.back().value, 16);
}

TEST_F(TorchScriptTest, RefusesDataOfAnotherTask) {
    const InputSpec values{.shape = {2, 3}, .classes = 4, .task = Task::kRegression};
    const auto net = scriptOf({{"weight", torch::ones({4, 6})}}, kProduct);
    EXPECT_THAT(refusalOf(net, values), HasSubstr("learns classes; the targets of the data are floating-point values"));
    EXPECT_THAT(refusalOf(net, kScriptInput, "values"),
                HasSubstr("learns floating-point values; the targets of the data are classes"));
    EXPECT_THAT(refusalOf(net, kScriptInput, "text"), HasSubstr("learns the tokens of a text"));
    EXPECT_EQ(refusalOf(net, values, "values"), "");
    const auto unknown =
        ModelRegistry::find("torchscript")->create(table({{"path", text("net.pt")}, {"task", text("ranking")}}), {});
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message, HasSubstr("classes"));
}

TEST_F(TorchScriptTest, RefusesWhatIsNoTorchScript) {
    const auto refused = [](const std::filesystem::path& path) {
        return test::refusalOf("torchscript", kScriptInput, table({{"path", text(path.string())}}));
    };
    EXPECT_THAT(refused(folder_ / "none.pt"), HasSubstr("none.pt: there is no such file"));
    std::filesystem::create_directory(folder_ / "folder.pt");
    EXPECT_THAT(refused(folder_ / "folder.pt"), HasSubstr("folder.pt: this is not a regular file"));
    std::filesystem::create_symlink("loop.pt", folder_ / "loop.pt");
    EXPECT_THAT(refused(folder_ / "loop.pt"), HasSubstr("loop.pt: it cannot be read (Too many levels"));
    std::ofstream(folder_ / "notes.pt") << "no archive at all";
    EXPECT_THAT(refused(folder_ / "notes.pt"), HasSubstr("notes.pt is no TorchScript file that this version"));
    EXPECT_THAT(refused(folder_ / "notes.pt"), HasSubstr("not a ZIP archive). Write it with torch.jit.script"));
    const auto made = ModelRegistry::find("torchscript")->create(table({}), {});
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("needs a path"));
}

TEST_F(TorchScriptTest, RefusesADamagedFile) {
    const Value fields = logistic(kScriptInput, 3);
    const std::filesystem::path file = folder_ / "net.pt";
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    EXPECT_THAT(test::refusalOf("torchscript", kScriptInput, fields), HasSubstr("is no TorchScript file"));
}

TEST_F(TorchScriptTest, RefusesWhatHasNothingToTrain) {
    EXPECT_THAT(refusalOf(scriptOf({}, "    return x.flatten(1)[:, :4]\n")),
                HasSubstr("no parameters that can be trained"));
    EXPECT_THAT(refusalOf(scriptOf({{"weight", torch::ones({4, 6})}, {"order", torch::arange(6)}}, kProduct)),
                HasSubstr("parameter order is of type Long"));
    EXPECT_THAT(refusalOf(scriptOf({{"weight", torch::ones({4, 6})}}, "    return x.flatten(1)[:, :4]\n")),
                HasSubstr("depend on no parameter"));
}

TEST_F(TorchScriptTest, RefusesOutputsOfAnotherShape) {
    EXPECT_THAT(refusalOf(scriptOf({{"weight", torch::ones({5, 6})}}, kProduct)),
                HasSubstr("makes 2x5 values of type Float of a batch of 2; the data ask for 2x4"));
    EXPECT_THAT(refusalOf(scriptOf({{"weight", torch::ones({4, 6})}},
                                   "    y = x.flatten(1).matmul(self.weight.t())\n    return y, y\n")),
                HasSubstr("returns Tuple; forward must return one tensor of 2x4"));
    EXPECT_THAT(refusalOf(scriptOf({{"weight", torch::ones({4, 7})}}, kProduct)),
                HasSubstr("cannot be trained on a batch of 2x2x3: mat1 and mat2 shapes cannot be multiplied"));
}

TEST_F(TorchScriptTest, RefusesToChangeTheData) {
    EXPECT_THAT(refusalOf(scriptOf({{"weight", torch::ones({4, 6})}},
                                   "    x.mul_(2.0)\n    return x.flatten(1).matmul(self.weight.t())\n")),
                HasSubstr("changes its inputs in place"));
}

const ModelTrial::Add kTorchScriptTrial{
    {.model = "torchscript", .leftOut = "its file is the network: torchscript_test.cpp trains and draws with some"}};

}  // namespace
}  // namespace dasgd::test
