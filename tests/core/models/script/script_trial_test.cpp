// Networks that would train, but not what their author means, are refused with what to change.
#include "core/models/script/script_trial.h"

#include <gmock/gmock.h>
#include <torch/csrc/jit/serialization/import.h>

#include "core/step/flat_params.h"
#include "tests/support/document.h"
#include "tests/support/script_modules.h"
#include "tests/support/sim/networks.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const InputSpec kSmall{.shape = {2, 3}, .classes = 4};
const InputSpec kSmallValues{.shape = {2, 3}, .classes = 4, .task = Task::kRegression};

const std::vector<std::pair<std::string, at::Tensor>>& oneWeight() {
    static const std::vector<std::pair<std::string, at::Tensor>> kWeight{{"weight", torch::ones({4, 6})}};
    return kWeight;
}

// Models are written to files and read again: the file decides which tensors share memory.
class ScriptTrialTest : public ::testing::Test {
protected:
    Value saved(const torch::jit::Module& script, const std::string& task = "classes") {
        script.save((folder_ / "net.pt").string());
        return table({{"path", text((folder_ / "net.pt").string())}, {"task", text(task)}});
    }
    std::string refusal(const torch::jit::Module& script, at::ScalarType type = at::kFloat,
                        const InputSpec& input = kSmall, Rank rank = Rank(0)) {
        const auto model =
            createModel("torchscript", saved(script, input.task == Task::kRegression ? "values" : "classes"));
        const Status built =
            model->build({.input = input, .rank = rank, .type = type, .random = at::detail::createCPUGenerator(3)});
        return built ? "" : built.error().message;
    }
    std::string refusalOfBody(const std::string& body, at::ScalarType type = at::kFloat,
                              const InputSpec& input = kSmall) {
        return refusal(scriptOf(oneWeight(), body), type, input);
    }

    TempDir folder_;
};

// torch.jit.trace writes the mode as the constant that it was, behind calls of functions too.
TEST_F(ScriptTrialTest, RefusesAModeThatIsAConstant) {
    for (const char* mode : {"True", "False"}) {
        EXPECT_THAT(refusalOfBody(std::string("    return torch.dropout(x.flatten(1), 0.5, ") + mode +
                                  ").matmul(self.weight.t())\n"),
                    AllOf(HasSubstr("net.pt calls dropout in a mode that is a constant, as torch.jit.trace leaves it"),
                          HasSubstr("save it with torch.jit.script(net).save(path)")))
            << mode;
    }
    torch::jit::Module net("__torch__.Norm");
    net.register_parameter("weight", torch::ones({4, 6}).requires_grad_(), false);
    net.register_buffer("mean", torch::zeros({6}));
    net.register_buffer("variance", torch::ones({6}));
    net.define(
        "def normalised(self, x, training: bool):\n"
        "    return torch.batch_norm(x, None, None, self.mean, self.variance, training, 0.1, 1e-5, False)\n"
        "def forward(self, x):\n"
        "    y = x.flatten(1)\n"
        "    if y.size(0) > 0:\n"
        "        y = self.normalised(y, True)\n"
        "    return y.matmul(self.weight.t())\n");
    EXPECT_THAT(refusal(net), HasSubstr("calls batch_norm in a mode that is a constant"));
    EXPECT_EQ(refusalOfBody("    return torch.dropout(x.flatten(1), 0.0, True).matmul(self.weight.t())\n"), "")
        << "drops nothing in any mode";
    EXPECT_EQ(refusalOfBody("    return torch.dropout(x.flatten(1), 0.5, self.training).matmul(self.weight.t())\n"),
              "");
}

// The second as torch.nn.MultiheadAttention has it.
TEST_F(ScriptTrialTest, AModeMayBeDecidedBeforeTheCall) {
    const auto dropping = [](const std::string& dropout) {
        return "    y = x.flatten(1)\n" + dropout + "    return y.matmul(self.weight.t())\n";
    };
    EXPECT_EQ(refusalOfBody(dropping("    if self.training:\n        y = torch.dropout(y, 0.5, True)\n")), "");
    EXPECT_EQ(refusalOfBody(dropping("    p = 0.5\n    if not self.training:\n        p = 0.0\n"
                                     "    if p > 0.0:\n        y = torch.dropout(y, p, True)\n")),
              "");
    EXPECT_EQ(refusalOfBody(dropping("    p = 0.5 if self.training else 0.0\n    y = torch.dropout(y, p, True)\n")),
              "");
    for (const char* other : {"    p = 0.5 if x.size(0) > 0 else 0.0\n    y = torch.dropout(y, p, True)\n",
                              "    if torch.dropout(y, 0.0, self.training).size(0) > 0:\n"
                              "        y = torch.dropout(y, 0.5, True)\n"}) {
        EXPECT_THAT(refusalOfBody(dropping(other)), HasSubstr("calls dropout in a mode that is a constant")) << other;
    }
}

TEST_F(ScriptTrialTest, RefusesProbabilitiesWhereTheLossTakesTheSoftmax) {
    const std::string softmax = "    return torch.softmax(x.flatten(1).matmul(self.weight.t()), 1)\n";
    EXPECT_THAT(refusalOfBody(softmax), AllOf(HasSubstr("net.pt makes probabilities, rows that sum to 1"),
                                              HasSubstr("return what comes before it")));
    EXPECT_EQ(refusalOfBody(softmax, at::kFloat, kSmallValues), "") << "values may be what they like";
    EXPECT_EQ(refusalOfBody("    return torch.log_softmax(x.flatten(1).matmul(self.weight.t()), 1)\n"), "")
        << "has the same cross entropy";
    EXPECT_THAT(refusalOfBody("    y = x.flatten(1).matmul(self.weight.t())\n"
                              "    if self.training:\n        return y\n    return torch.softmax(y, 1)\n"),
                HasSubstr("itself: return what comes before it, in evaluation (after net.eval())"));
}

TEST_F(ScriptTrialTest, TriesEvaluationToo) {
    EXPECT_THAT(refusalOfBody("    y = x.flatten(1).matmul(self.weight.t())\n"
                              "    if self.training:\n        return y\n    return y[:, :3]\n"),
                HasSubstr("makes 2x3 values of type Float of a batch of 2; the data ask for 2x4 floating-point values, "
                          "in evaluation"));
    EXPECT_THAT(refusalOfBody("    y = x.flatten(1).matmul(self.weight.t())\n"
                              "    if self.training:\n        return y\n    return y.view(5, 5)\n"),
                HasSubstr("cannot be evaluated on a batch of 2x2x3: shape '[5, 5]' is invalid"));
    EXPECT_THAT(refusalOfBody("    if not self.training:\n        x.mul_(2.0)\n"
                              "    return x.flatten(1).matmul(self.weight.t())\n"),
                HasSubstr("changes its inputs in place"));
}

// A change by way of x.data is not counted as a version of x.
TEST_F(ScriptTrialTest, ComparesTheValuesOfTheBatch) {
    EXPECT_THAT(refusalOfBody("    x.data.mul_(2.0)\n    return x.flatten(1).matmul(self.weight.t())\n"),
                HasSubstr("changes its inputs in place, which are the data"));
}

TEST_F(ScriptTrialTest, TriesBatchesOfTwoSizes) {
    EXPECT_THAT(refusalOfBody("    return x.view(2, 6).matmul(self.weight.t())\n"),
                HasSubstr("cannot be trained on a batch of 3x2x3: shape '[2, 6]' is invalid for input of size 18"));
}

TEST_F(ScriptTrialTest, TriesTheTypeOfTheRun) {
    const std::string mixed =
        "    y = x.flatten(1) + torch.zeros([6], dtype=x.dtype)\n"
        "    return y.matmul(self.weight.t())\n";
    const std::string single = "    return x.flatten(1).float().matmul(self.weight.t())\n";
    EXPECT_EQ(refusalOfBody(mixed, at::kDouble), "");
    EXPECT_EQ(refusalOfBody(single), "");
    EXPECT_THAT(refusalOfBody(single, at::kDouble),
                HasSubstr("cannot be trained on a batch of 2x2x3 in a run of type Double: expected"));
}

TEST_F(ScriptTrialTest, KeepsWhatIsFrozenInTheTypeOfTheRun) {
    torch::jit::Module net("__torch__.Frozen");
    net.register_attribute("training", c10::BoolType::get(), true);
    net.register_parameter("weight", torch::ones({4, 6}).requires_grad_(), false);
    net.register_parameter("scale", torch::full({6, 6}, 2.0), false);
    net.define("def forward(self, x):\n    return x.flatten(1).matmul(self.scale).matmul(self.weight.t())\n");
    EXPECT_EQ(refusal(net, at::kDouble), "");
}

TEST_F(ScriptTrialTest, RefusesTrainedTensorsThatAreNoParameters) {
    const auto listed = [&](bool trained, bool registered) {
        torch::jit::Module net("__torch__.Listed");
        const at::Tensor weight = torch::ones({4, 6}).set_requires_grad(trained);
        const at::Tensor other = torch::ones({4}).requires_grad_();
        net.register_parameter("bias", other, false);
        if (registered) net.register_parameter("weight", weight, false);
        net.register_attribute("layers", c10::ListType::ofTensors(), c10::List<at::Tensor>({weight}));
        net.define("def forward(self, x):\n    return x.flatten(1).matmul(self.layers[0].t()) + self.bias\n");
        return net;
    };
    EXPECT_THAT(refusal(listed(true, false)),
                AllOf(HasSubstr("net.pt keeps tensors that ask for a gradient in layers, which is no parameter"),
                      HasSubstr("torch.nn.ParameterList")));
    EXPECT_EQ(refusal(listed(false, false)), "") << "constants";

    // torch.nn.LSTM keeps its parameters this way: the tensors of the list are the parameters, and change with them.
    const auto model = buildModel("torchscript", kSmall, saved(listed(true, true)));
    FlatParams flat(model->module(), at::kFloat);
    EXPECT_EQ(flat.size(), 4 + 24);
    const at::NoGradGuard noGrad;
    flat.weights().fill_(2);
    EXPECT_TRUE(outputsOf(*model, torch::ones({1, 2, 3})).equal(torch::full({1, 4}, 6 * 2.0 + 2)));
}

TEST_F(ScriptTrialTest, NamesParametersThatGetNoGradient) {
    const auto weights = [](int unused) {
        auto all = oneWeight();
        for (int i = 0; i < unused; ++i) all.emplace_back("idle" + std::to_string(i), torch::ones({2}));
        return all;
    };
    const std::string product = "    return x.flatten(1).matmul(self.weight.t())\n";
    EXPECT_THAT(refusal(scriptOf(weights(1), product)),
                AllOf(HasSubstr("makes its outputs without parameter idle0, which would not be trained"),
                      HasSubstr("requires_grad_(False)")));
    EXPECT_THAT(refusal(scriptOf(weights(6), product)),
                HasSubstr("without parameters idle0, idle1, idle2, idle3 and 2 more"));
    EXPECT_EQ(refusal(scriptOf({{"weight", torch::ones({4, 6})}, {"dead", torch::full({4}, -100.0)}},
                               "    return x.flatten(1).matmul(self.weight.t()) + torch.relu(self.dead)\n")),
              "")
        << "a gradient of zero is one";
}

// Ranks that are threads build one after the other: a step for each would make the start of a run long.
TEST_F(ScriptTrialTest, OneRankTriesStepsForAll) {
    auto weights = oneWeight();
    weights.emplace_back("idle", torch::ones({2}));
    const auto idle = scriptOf(weights, "    return x.flatten(1).matmul(self.weight.t())\n");
    EXPECT_THAT(refusal(idle), HasSubstr("without parameter idle"));
    EXPECT_EQ(refusal(idle, at::kFloat, kSmall, Rank(1)), "") << "what only a step shows";
    const auto narrow = scriptOf(oneWeight(), "    return x.flatten(1).matmul(self.weight.t())[:, :3]\n");
    EXPECT_THAT(refusal(narrow, at::kFloat, kSmall, Rank(1)), HasSubstr("makes 2x3 values")) << "another file";

    const auto seenBy = [&](const std::string& body, Rank rank) {
        const auto script = scriptOf(oneWeight(), body);
        script.save((folder_ / "net.pt").string());
        ScriptTrial trial{.path = "net.pt", .input = kSmall, .repeated = rank != Rank(0)};
        EXPECT_TRUE(trial.run(torch::jit::load((folder_ / "net.pt").string())));
        return trial.drawsRandomNumbers;
    };
    for (const Rank rank : {Rank(0), Rank(3)}) {
        EXPECT_TRUE(
            seenBy("    return torch.dropout(x.flatten(1), 0.5, self.training).matmul(self.weight.t())\n", rank));
        EXPECT_FALSE(seenBy("    return x.flatten(1).matmul(self.weight.t())\n", rank));
    }
}

// The registered buffer would be given the value in its own type: another one than the network went on with.
TEST_F(ScriptTrialTest, RefusesABufferWhoseTypeChanges) {
    const auto assigning = [&](const at::Tensor& buffer, const std::string& value, at::ScalarType type = at::kFloat) {
        torch::jit::Module net("__torch__.Counting");
        net.register_attribute("training", c10::BoolType::get(), true);
        net.register_parameter("weight", torch::ones({4, 6}).requires_grad_(), false);
        net.register_buffer("count", buffer);
        net.define("def forward(self, x):\n    self.count = " + value +
                   "\n    return x.flatten(1).matmul(self.weight.t())\n");
        return refusal(net, type);
    };
    const at::Tensor whole = torch::zeros({}, at::kLong), real = torch::zeros({});
    EXPECT_THAT(assigning(whole, "self.count + 0.5"),
                AllOf(HasSubstr("net.pt gives its buffer count of type Long a value of type Float"),
                      HasSubstr("value.to(self.count.dtype)")));
    EXPECT_THAT(assigning(real, "self.count.to(7)"), HasSubstr("of type Float a value of type Double"));
    EXPECT_THAT(assigning(real, "self.count > 0"), HasSubstr("of type Float a value of type Bool"));
    EXPECT_EQ(assigning(whole, "self.count + 1"), "");
    EXPECT_EQ(assigning(whole, "(self.count + 0.5).to(self.count.dtype)"), "");
    EXPECT_EQ(assigning(real, "self.count + x.mean()"), "");
    EXPECT_EQ(assigning(real, "self.count + x.mean()", at::kBFloat16), "");
}

// State that a rank keeps for itself would be neither averaged nor saved.
TEST_F(ScriptTrialTest, RefusesStateThatIsNoBuffer) {
    const auto keeping = [&](const char* name, const c10::TypePtr& type, const c10::IValue& value,
                             const std::string& statement) {
        torch::jit::Module net("__torch__.Keeping");
        net.register_attribute("training", c10::BoolType::get(), true);
        net.register_parameter("weight", torch::ones({4, 6}).requires_grad_(), false);
        net.register_buffer("mean", torch::zeros({6}));
        net.register_attribute(name, type, value);
        net.define("def forward(self, x):\n    y = x.flatten(1)\n" + statement +
                   "    return y.matmul(self.weight.t())\n");
        return refusal(net);
    };
    const auto optional = c10::OptionalType::ofTensor();
    EXPECT_THAT(keeping("seen", optional, {}, "    self.seen = y.mean(0)\n"),
                AllOf(HasSubstr("net.pt keeps seen from batch to batch, which is no buffer"),
                      HasSubstr("register_buffer() it in __init__")))
        << "made in the first step";
    EXPECT_THAT(keeping("seen", optional, {}, "    if not self.training:\n        self.seen = y.mean(0)\n"),
                HasSubstr("keeps seen"))
        << "in evaluation";
    EXPECT_THAT(keeping("past", c10::ListType::ofTensors(), c10::List<at::Tensor>(), "    self.past.append(y)\n"),
                HasSubstr("keeps past"));
    EXPECT_THAT(keeping("rate", c10::FloatType::get(), 1.0, "    self.rate = float(y.mean())\n"),
                HasSubstr("keeps rate"));
    EXPECT_EQ(keeping("calls", c10::IntType::get(), 0, "    self.calls += 1\n"), "") << "is saved";
    EXPECT_EQ(keeping("rate", c10::FloatType::get(), 1.0, "    self.mean = self.mean * self.rate + y.mean(0)\n"), "");
    EXPECT_THAT(
        keeping("rate", c10::FloatType::get(), 1.0, "    self.mean = y\n"),
        AllOf(HasSubstr("gives its buffer mean of 6 a value of 3x6"), HasSubstr("begin with one of the shape")));
    EXPECT_THAT(
        keeping("rate", c10::FloatType::get(), 1.0,
                "    y = y + self.weight.sum()\n    if not self.training:\n        self.weight = self.weight * 2\n"),
        HasSubstr("assigns its parameter weight"));
}

TEST_F(ScriptTrialTest, RefusesMemoryThatIsSharedInAnotherShape) {
    const auto sharing = [](const at::Tensor& first, const at::Tensor& second) {
        torch::jit::Module net("__torch__.Sharing");
        net.register_parameter("first", first.detach().requires_grad_(), false);
        net.register_parameter("second", second.detach().requires_grad_(), false);
        net.define(
            "def forward(self, x):\n"
            "    return x.flatten(1).matmul(self.first)[:, :4] + self.second.sum() * 0.1\n");
        return net;
    };
    const at::Tensor square = torch::randn({6, 6});
    for (const at::Tensor& other : {square.t(), square.view({36}), square.slice(0, 1, 3)}) {
        EXPECT_THAT(refusal(sharing(square, other)), AllOf(HasSubstr("first of 6x6 and second of "),
                                                           HasSubstr("share memory"), HasSubstr("Keep one parameter")))
            << other.sizes();
    }
    EXPECT_EQ(refusal(sharing(square, square)), "") << "tied";
    const at::Tensor halves = torch::randn({12, 6});
    EXPECT_EQ(refusal(sharing(halves.slice(0, 0, 6), halves.slice(0, 6, 12))), "") << "side by side";
}

}  // namespace
}  // namespace dasgd::test
