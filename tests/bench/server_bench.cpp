// server_bench: three figures of a parameter server on this machine. Prints one line of JSON.
//   fast_by_slow   gradients of a worker ÷ those of one that is half as fast, of shared work over Gloo (async_sgd). A
//                  worker's step is a sleep, so that two cores will do.
//   pushes_per_s   gradients of 1 kB that one server takes from three workers over Gloo, beside round trips of 1 kB
//                  between two ranks (ping_pong_per_s); both from one run, alternately, the median of kTurns turns.
//   update_passes  time of the server's update of 25 M float32 parameters (SGD without momentum) ÷ that of moving the
//                  same bytes, two read and one written, by a copy.
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "core/optimizers/optimizer.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

constexpr int kTurns = 5;

double secondsOf(const std::function<void()>& work) {
    const auto begun = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
    return values[values.size() / 2];
}

// Worker i sleeps (i + 1) times 50 ms before each gradient.
class Sleeps final : public StepGate {
public:
    [[nodiscard]] bool mayContinue(Rank, std::int64_t) override { return true; }
    [[nodiscard]] bool stopAsked(Rank rank, std::int64_t) override {
        if (rank.value() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(50 * (rank.value() + 1)));
        return false;
    }
    void leave(Rank) override {}
};

Value shared(const QuadraticProblem& problem) {
    Value document = servedBy(problem, "async_sgd", {});
    document.find("train")->set("work", text("shared"));
    document.find("train")->set("eval_every", integer(1'000'000));
    document.find("record")->set("weights", boolean(false));
    return document;
}

double fastBySlow() {
    Sleeps gate;
    const auto records = train(shared({.workers = 2, .steps = 100, .rate = 0.001, .momentum = 0}), Backend::Gloo,
                               nullptr, {.gate = &gate});
    const auto steps = [&](std::size_t rank) {
        return static_cast<double>(records[rank].sink.metrics.at("train/loss").size());
    };
    return steps(0) / steps(1);
}

constexpr std::int64_t kElements = 128;  // of float64: 1 kB

double pushesPerSecond() {
    QuadraticProblem problem{.workers = 3, .steps = 2000, .rate = 1e-4, .momentum = 0};
    problem.matrix.assign(kElements, Vec(kElements, 0));
    problem.start.assign(kElements, 0);
    for (std::size_t i = 0; i < kElements; ++i) problem.matrix[i][i] = 1;
    Value document = shared(problem);
    document.find("model")->set("targets", matrix(std::vector<Vec>(3, Vec(kElements, 1))));
    const auto records = train(document, Backend::Gloo);
    const auto& gradients = records.back().sink.metrics.at("algorithm/gradients");
    // Between the first and the last step of the server: without start and end.
    const double seconds = static_cast<double>(gradients.back().wall - gradients.front().wall) * 1e-9;
    return static_cast<double>(3 * (gradients.size() - 1)) / seconds;
}

double pingPongsPerSecond() {
    constexpr int kRoundTrips = 6000;
    double seconds = 0;
    runRanks(Backend::Gloo, 2, [&](Communicator& comm, Clock&) {
        at::Tensor mine = at::ones({kElements}, at::kDouble), other = at::zeros({kElements}, at::kDouble);
        const Rank peer(1 - comm.rank().value());
        const double took = secondsOf([&] {
            for (int i = 0; i < kRoundTrips; ++i) {
                Pending in = comm.receive(other, peer, 0);
                if (comm.rank() == Rank{0}) comm.send(mine, peer, 0).wait();
                in.wait();
                if (comm.rank() == Rank{1}) comm.send(mine, peer, 0).wait();
            }
        });
        if (comm.rank() == Rank{0}) seconds = took;
    });
    return kRoundTrips / seconds;
}

double updatePasses() {
    constexpr std::int64_t kParameters = 25'000'000;
    torch::nn::Linear layer(torch::nn::LinearOptions(5000, kParameters / 5000).bias(false));
    FlatParams params(*layer, torch::kFloat32);
    params.gradients().normal_();
    const auto sgd = OptimizerRegistry::find("sgd")
                         ->create(table({{"learning_rate", number(1e-3)}, {"momentum", number(0)}}), {})
                         .value();
    at::Tensor copy = params.weights().clone();
    const at::NoGradGuard guard;
    sgd->step(params, 1e-3);
    std::vector<double> updates, copies;
    for (int turn = 0; turn < 3 * kTurns; ++turn) {
        updates.push_back(secondsOf([&] { sgd->step(params, 1e-3); }));
        copies.push_back(secondsOf([&] { copy.copy_(params.weights()); }));
    }
    return median(updates) / (1.5 * median(copies));
}

}  // namespace
}  // namespace dasgd::test

int main() {
    using namespace dasgd::test;
    std::vector<double> pushes, pingPongs;
    for (int turn = 0; turn < kTurns; ++turn) {
        pushes.push_back(pushesPerSecond());
        pingPongs.push_back(pingPongsPerSecond());
    }
    std::printf(
        "{\"fast_by_slow\": %.3f, \"pushes_per_s\": %.0f, \"ping_pong_per_s\": %.0f, \"update_passes\": %.2f}\n",
        fastBySlow(), median(pushes), median(pingPongs), updatePasses());
}
