// Time of one LeNet training step on one thread: gather a batch of 32, forward, backward, SGD with momentum. Prints one
// line a round of 50 steps: wall and processor time of a step in ms. tests/bench/lenet_step.py runs it beside PyTorch's
// Python loop.
#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "core/base/value.h"
#include "core/experiment/experiment.h"
#include "core/step/flat_params.h"

namespace {

constexpr std::int64_t kBatch = 32;
constexpr int kStepsPerRound = 50;
constexpr int kWarmUpSteps = 20;

dasgd::Value named(const char* name) {
    dasgd::Value table;
    table.set("name", dasgd::Value(std::string(name)));
    return table;
}

}  // namespace

int main(int argc, char** argv) {
    using Clock = std::chrono::steady_clock;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
    at::set_num_threads(1);
    torch::manual_seed(1);
    dasgd::Value document;
    document.set("algorithm", named("independent"));
    document.set("model", named("lenet"));
    const auto experiment = dasgd::readExperiment(document);
    if (!experiment || rounds < 1) {
        std::fprintf(stderr, "%s\n",
                     experiment ? "usage: lenet_step_bench [ROUNDS]" : experiment.error().message.c_str());
        return 2;
    }
    const auto model = experiment->makeModel();
    const dasgd::Splits data = experiment->dataset->load(model->naturalInput()).value();
    if (!model->build({.input = data.input})) return 1;
    dasgd::FlatParams flat(model->module(), torch::kFloat32);
    const auto optimizer = experiment->makeOptimizer();

    const auto step = [&] {
        const at::Tensor pick = torch::randint(data.train.count(), {kBatch}, torch::kInt64);
        flat.gradients().zero_();
        const at::Tensor loss = model->loss(dasgd::makeBatch(data.train, pick, torch::kFloat32));
        loss.backward();
        optimizer->step(flat, optimizer->learningRate());
        return loss.item<double>();
    };
    for (int k = 0; k < kWarmUpSteps; ++k) step();
    for (int round = 0; round < rounds; ++round) {
        const auto begin = Clock::now();
        const std::clock_t processor = std::clock();
        for (int k = 0; k < kStepsPerRound; ++k) step();
        const double used = 1e3 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
        const double passed = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        std::printf("%.4f %.4f\n", passed / kStepsPerRound, used / kStepsPerRound);
    }
    return 0;
}
