#include "core/train/data/count_flops.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/conv.h>
#include <torch/types.h>

#include <functional>

#include "tests/support/document.h"
#include "tests/support/script_modules.h"
#include "tests/support/sim/networks.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

LayerWork counted(const std::string& name, const InputSpec& input, const Value& fields = {}) {
    auto model = buildModel(name, input, fields);
    return countFlops(*model, randomBatch(input, 2), 2);
}

// Multiply-adds of one sample by hand: outputs times what goes into each. The first convolution needs no gradient of
// its input; biases cost nothing.
TEST(CountFlops, FindsTheLayersOfLeNet) {
    const LayerWork work = counted("lenet", {.shape = {1, 28, 28}, .classes = 10});
    const double conv1 = 2.0 * 6 * 28 * 28 * 25, conv2 = 2.0 * 16 * 10 * 10 * 6 * 25;
    const double fc1 = 2.0 * 400 * 120, fc2 = 2.0 * 120 * 84, fc3 = 2.0 * 84 * 10;
    EXPECT_THAT(work.forward, ElementsAre(conv1, 0, conv2, 0, fc1, 0, fc2, 0, fc3, 0));
    EXPECT_THAT(work.backward, ElementsAre(conv1, 0, 2 * conv2, 0, 2 * fc1, 0, 2 * fc2, 0, 2 * fc3, 0));
    EXPECT_EQ(work.flops(), 3 * work.forwardFlops() - conv1);
}

TEST(CountFlops, CountsASingleLayer) {
    const LayerWork work = counted("logistic", {.shape = {1, 28, 28}, .classes = 10});
    EXPECT_THAT(work.forward, ElementsAre(2.0 * 7840, 0));
    EXPECT_THAT(work.backward, ElementsAre(2.0 * 7840, 0));
}

// The paper's ResNet-18 has 1.81 G multiply-adds on 224x224: 118.0 M in its stem, 0.5 M in its last layer, the rest in
// blocks of 56, 28, 14 and 7 pixels, which here are 32, 16, 8 and 4.
TEST(CountFlops, AgreesWithThePublishedResNet18) {
    const LayerWork work = counted("resnet18", {.shape = {3, 32, 32}, .classes = 10});
    const double blocks = (1.814e9 - 118.0e6 - 0.512e6) * 32 * 32 / (56 * 56);
    const double stem = 3.0 * 64 * 9 * 32 * 32, last = 512 * 10;
    EXPECT_NEAR(work.forwardFlops(), 2 * (blocks + stem + last), 0.002 * work.forwardFlops());
    EXPECT_DOUBLE_EQ(work.flops(), 3 * work.forwardFlops() - 2 * stem);
}

// Products without a module of their own: of a transposed parameter, and of two activations.
class Products final : public Model {
public:
    Status build(const BuildContext&) override { return {}; }
    torch::nn::Module& module() override { return *net_; }
    at::Tensor loss(const Batch& batch) override {
        const at::Tensor hidden = torch::addmm(net_->bias, batch.inputs, net_->weight.t());
        return torch::mm(hidden, hidden.t()).sum();
    }
    Evaluation evaluate(const Batch&) override { return {}; }
    [[nodiscard]] InputSpec naturalInput() const override { return {}; }

private:
    struct Net : torch::nn::Module {
        at::Tensor weight = register_parameter("weight", torch::ones({5, 3}));
        at::Tensor bias = register_parameter("bias", torch::zeros({5}));
    };
    std::shared_ptr<Net> net_ = std::make_shared<Net>();
};

TEST(CountFlops, CountsProductsOutsideModules) {
    Products model;
    const LayerWork work = countFlops(model, {torch::ones({4, 3}), {}}, 4);
    const double linear = 2.0 * 3 * 5, square = 2.0 * 4 * 5;
    EXPECT_THAT(work.forward, ElementsAre(linear + square, 0)) << "the square has no parameter of its own";
    EXPECT_THAT(work.backward, ElementsAre(linear + 2 * square, 0));
}

TEST(CountFlops, CountsATransposedConvolutionByItsInput) {
    struct Net : torch::nn::Module {
        torch::nn::ConvTranspose2d up =
            register_module("up", torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(3, 5, 4).stride(2)));
    };
    class Decoder final : public Model {
    public:
        Status build(const BuildContext&) override { return {}; }
        torch::nn::Module& module() override { return *net_; }
        at::Tensor loss(const Batch& batch) override { return net_->up(batch.inputs).sum(); }
        Evaluation evaluate(const Batch&) override { return {}; }
        [[nodiscard]] InputSpec naturalInput() const override { return {}; }

    private:
        std::shared_ptr<Net> net_ = std::make_shared<Net>();
    };
    Decoder model;
    const LayerWork work = countFlops(model, {torch::ones({1, 3, 6, 7}), {}}, 1);
    EXPECT_THAT(work.forward, ElementsAre(2.0 * 3 * 6 * 7 * 5 * 16, 0));
}

// A model that is one function of its parameters and its input.
class FunctionModel final : public Model {
public:
    using Function = std::function<at::Tensor(const std::vector<at::Tensor>& parameters, const at::Tensor& input)>;
    FunctionModel(const std::vector<std::vector<std::int64_t>>& shapes, Function function)
        : function_(std::move(function)) {
        for (const auto& shape : shapes) {
            std::string name("p");
            name += std::to_string(parameters_.size());
            parameters_.push_back(net_->register_parameter(name, torch::ones(shape)));
        }
    }
    Status build(const BuildContext&) override { return {}; }
    torch::nn::Module& module() override { return *net_; }
    at::Tensor loss(const Batch& batch) override { return function_(parameters_, batch.inputs).sum(); }
    Evaluation evaluate(const Batch&) override { return {}; }
    [[nodiscard]] InputSpec naturalInput() const override { return {}; }

private:
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    std::vector<at::Tensor> parameters_;
    Function function_;
};

// 2 heads of 3 queries over 5 keys of 4 numbers, with values of 6: 2·3·5·4 and 2·3·5·6 multiply-adds, whatever kernel
// makes them.
TEST(CountFlops, CountsBothProductsOfAttention) {
    for (const bool causal : {false, true}) {
        FunctionModel model({{1, 2, 5, 4}}, [&](const std::vector<at::Tensor>& p, const at::Tensor& x) {
            return torch::scaled_dot_product_attention(x, p[0], torch::ones({1, 2, 5, 6}), {}, 0.0, causal);
        });
        const LayerWork work = countFlops(model, {torch::ones({1, 2, 3, 4}), {}}, 1);
        EXPECT_THAT(work.forward, ElementsAre(2.0 * 2 * 3 * 5 * (4 + 6))) << causal;
        EXPECT_THAT(work.backward, ElementsAre(2.0 * 2 * 3 * 5 * (4 + 6))) << "the queries are the data";
    }
}

TEST(CountFlops, CountsProductsOfBatches) {
    FunctionModel model({{2, 4, 5}}, [](const std::vector<at::Tensor>& p, const at::Tensor& x) {
        return torch::baddbmm(torch::zeros({2, 3, 5}), x, p[0]);
    });
    EXPECT_THAT(countFlops(model, {torch::ones({2, 3, 4}), {}}, 1).forward, ElementsAre(2.0 * 2 * 3 * 4 * 5));
}

// In an LSTM layer the weights of each gate multiply every token; the weights that read the data need no gradient of
// it.
TEST(CountFlops, CountsAnLstmUnderItsWeights) {
    FunctionModel model({{12, 4}, {12, 3}, {12}, {12}}, [](const std::vector<at::Tensor>& p, const at::Tensor& x) {
        const at::Tensor zero = torch::zeros({1, 2, 3});
        return std::get<0>(torch::lstm(x, {zero, zero}, p, true, 1, 0.0, true, false, true));
    });
    const LayerWork work = countFlops(model, {torch::ones({2, 5, 4}), {}}, 2);
    EXPECT_THAT(work.forward, ElementsAre(2.0 * 5 * 48, 2.0 * 5 * 36, 0, 0));
    EXPECT_THAT(work.backward, ElementsAre(2.0 * 5 * 48, 2 * 2.0 * 5 * 36, 0, 0));
}

TEST(CountFlops, CountsTheExperimentsModelOnItsData) {
    const Experiment experiment = std::move(readExperiment(table({{"algorithm", table({{"name", text("independent")}})},
                                                                  {"model", table({{"name", text("lenet")}})},
                                                                  {"train", table({{"precision", text("float64")}})},
                                                                  {"cluster", table({{"backend", text("virtual")}})}}))
                                                .value());
    const LayerWork work = layerWorkOf(experiment, loadTrainingData(experiment).value()).value();
    EXPECT_EQ(work.forwardFlops(), 2.0 * 416'520);
}

// Other networks are built in float32, whatever the run's type.
TEST(CountFlops, CountsATorchScriptNetworkInTheTypeOfTheRun) {
    const TempDir folder;
    const std::string path = (folder / "net.pt").string();
    scriptOf({{"weight", torch::ones({10, 784})}}, "    return x.flatten(1).matmul(self.weight.t())\n").save(path);
    for (const char* type : {"float32", "float64"}) {
        const Experiment experiment =
            std::move(readExperiment(table({{"algorithm", table({{"name", text("independent")}})},
                                            {"model", table({{"name", text("torchscript")}, {"path", text(path)}})},
                                            {"train", table({{"precision", text(type)}})},
                                            {"cluster", table({{"backend", text("virtual")}})}}))
                          .value());
        const auto work = layerWorkOf(experiment, loadTrainingData(experiment).value());
        ASSERT_TRUE(work) << work.error().message;
        EXPECT_EQ(work->forwardFlops(), 2.0 * 7840) << type;
    }
}

}  // namespace
}  // namespace dasgd::test
