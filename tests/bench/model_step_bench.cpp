// Time of a model's training step on one thread: gather a batch, forward, backward, SGD with momentum. With a merge,
// DaSGD of one rank that averages every second step: what its buffers add to the memory, whose values it leaves alone.
// Prints one line a round, wall and processor time of a step in ms, and last the largest memory of the process in MB.
// tests/bench/model_step.py runs it beside PyTorch's Python loop.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <sys/resource.h>
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

#include "core/base/schema/value.h"
#include "core/comm/threads.h"
#include "core/exec/cpu_executor.h"
#include "core/experiment/experiment.h"
#include "core/step/step_context.h"

namespace {

dasgd::Value named(const char* name) {
    dasgd::Value table;
    table.set("name", dasgd::Value(std::string(name)));
    return table;
}

// Steps enough for a snapshot and a merge: the first leaves after step 2, and step 3 merges it.
std::optional<dasgd::Value> algorithmOf(const std::string& merge) {
    if (merge == "none") return named("independent");
    if (merge != "blend" && merge != "delta") return std::nullopt;
    const bool delta = merge == "delta";
    dasgd::Value dasgd = named("dasgd");
    dasgd.set("period", dasgd::Value(std::int64_t{2}));
    dasgd.set("delay", dasgd::Value(std::int64_t{1}));
    dasgd.set("local_weight", dasgd::Value(delta ? 0.0 : 0.25));
    dasgd.set("correction", dasgd::Value(delta ? 1.0 : 0.0));
    return dasgd;
}

class Nowhere final : public dasgd::EventSink {
public:
    void span(const dasgd::Span&) override {}
    void metric(const dasgd::Metric&) override {}
    void state(dasgd::RankState, std::int64_t, std::string_view) override {}
};

struct Size {
    std::int64_t batch, samples;
    int stepsPerRound, rounds, warmUpSteps;
};

double largestMemoryMb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

void run(const dasgd::Experiment& experiment, dasgd::Model& model, const dasgd::InputSpec& input, const Size& size) {
    using Clock = std::chrono::steady_clock;
    std::vector<std::int64_t> shape = input.shape;
    shape.insert(shape.begin(), size.samples);
    const at::Tensor inputs = torch::randn(shape);
    const at::Tensor targets = torch::randint(input.classes, {size.samples}, torch::kInt64);
    dasgd::FlatParams flat(model.module(), torch::kFloat32);
    const auto optimizer = experiment.makeOptimizer();
    const auto algorithm = experiment.makeAlgorithm();
    dasgd::MonotonicClock clock;
    dasgd::ThreadsGroup group(1, std::chrono::seconds(60), clock);
    const auto comm = group.communicator(dasgd::Rank(0));
    Nowhere sink;
    dasgd::CpuExecutor executor(clock, sink, dasgd::TraceLevel::Off);
    dasgd::StepContext context(*comm, clock, flat, executor, size.batch, {.optimizer = optimizer.get()});
    algorithm->start(context);
    const auto step = [&] {
        context.moveTo(context.step() + 1, optimizer->learningRate());
        const at::Tensor pick = torch::randint(size.samples, {size.batch}, torch::kInt64);
        flat.gradients().zero_();
        const at::Tensor loss = model.loss({inputs.index_select(0, pick), targets.index_select(0, pick)});
        loss.backward();
        algorithm->afterBackward(context);
        optimizer->step(flat, optimizer->learningRate());
        algorithm->afterStep(context);
        return loss.item<double>();
    };
    for (int k = 0; k < size.warmUpSteps; ++k) step();
    for (int round = 0; round < size.rounds; ++round) {
        const auto begin = Clock::now();
        const std::clock_t processor = std::clock();
        for (int k = 0; k < size.stepsPerRound; ++k) step();
        const double used = 1e3 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
        const double passed = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        std::printf("%.4f %.4f\n", passed / size.stepsPerRound, used / size.stepsPerRound);
    }
    algorithm->drain(context);
    std::printf("%.1f\n", largestMemoryMb());
}

}  // namespace

int main(int argc, char** argv) {
    at::set_num_threads(1);
    torch::manual_seed(1);
    const std::optional<dasgd::Value> algorithm = algorithmOf(argc == 8 ? argv[7] : "none");
    if (argc < 7 || argc > 8 || !algorithm) {
        std::fprintf(stderr,
                     "usage: model_step_bench MODEL BATCH SAMPLES STEPS_PER_ROUND ROUNDS WARM_UP_STEPS "
                     "[none|blend|delta]\n");
        return 2;
    }
    const Size size{std::atoll(argv[2]), std::atoll(argv[3]), std::atoi(argv[4]), std::atoi(argv[5]),
                    std::atoi(argv[6])};
    dasgd::Value document;
    document.set("algorithm", *algorithm);
    document.set("model", named(argv[1]));
    const auto experiment = dasgd::readExperiment(document);
    if (!experiment) {
        std::fprintf(stderr, "%s\n", experiment.error().message.c_str());
        return 2;
    }
    const auto model = experiment->makeModel();
    const dasgd::InputSpec input = model->naturalInput();
    if (const auto built = model->build({.input = input, .random = at::detail::createCPUGenerator(1)}); !built) {
        std::fprintf(stderr, "%s\n", built.error().message.c_str());
        return 1;
    }
    run(*experiment, *model, input, size);
    return 0;
}
