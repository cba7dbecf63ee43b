#include "core/algorithms/slow/pseudo_gradient_penalty.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <cmath>
#include <vector>

#include "core/exec/cpu_executor.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

// The definition with all norms and scores kept, W of which come first.
struct SerialScreen {
    std::size_t warmup;
    std::vector<double> norms = {}, scores = {};

    [[nodiscard]] double score(double norm) const {
        double mean = 0, variance = 0;
        for (const double each : norms) {
            const double before = each - mean;
            mean += 0.02 * before;
            variance = 0.98 * (variance + 0.02 * before * (each - mean));
        }
        return norms.size() < std::max<std::size_t>(warmup, 2) || variance == 0 ? 0
                                                                                : (norm - mean) / std::sqrt(variance);
    }
    [[nodiscard]] bool standsOut(double norm, double threshold) const {
        if (norms.size() < warmup) return false;
        const std::size_t from = scores.size() > warmup ? scores.size() - warmup : 0;
        double mean = 0, squares = 0;
        const auto n = static_cast<double>(scores.size() - from);
        for (std::size_t i = from; i < scores.size(); ++i) mean += scores[i] / n;
        for (std::size_t i = from; i < scores.size(); ++i) squares += (scores[i] - mean) * (scores[i] - mean);
        return score(norm) > threshold * std::max(1.0, std::sqrt(squares / (n - 1)));
    }
    void add(double norm) {
        norms.push_back(norm);
        scores.push_back(score(norm));
    }
};

TEST(NormScreen, FindsWhatItsDefinitionFinds) {
    for (const std::int64_t warmup : {2, 5, 12}) {
        NormScreen screen(warmup, 3), resumed(warmup, 3);
        SerialScreen expected{static_cast<std::size_t>(warmup)};
        int found = 0;
        for (int k = 0; k < 200; ++k) {
            const double norm = 1 + 0.3 * std::sin(1.7 * k) + (k % 31 == 30 ? 5 + 40.0 * (k % 2) : 0);
            ASSERT_EQ(screen.standsOut(norm), expected.standsOut(norm, 3)) << warmup << " " << k;
            if (screen.standsOut(norm)) {
                ++found;
                continue;
            }
            screen.add(norm);
            expected.add(norm);
            if (k != 100) continue;
            const std::vector<double> state = screen.state();
            EXPECT_EQ(std::ssize(state), NormScreen::stateLength(warmup));
            resumed.setState(state.data());
            EXPECT_EQ(resumed.state(), state);
        }
        EXPECT_GT(found, 0);
    }
}

TEST(NormScreen, KnowsNoOutlierAtFirst) {
    NormScreen screen(3, 3);
    for (const double norm : {1.0, 1000.0, 1.0}) {
        EXPECT_FALSE(screen.standsOut(norm));
        screen.add(norm);
    }
    EXPECT_FALSE(screen.standsOut(0)) << "a small norm is none";
}

struct Weighed {
    std::vector<double> delta;  // sum over the ranks: of the weight and of the bias
    std::vector<bool> moves;
};

// Rank r is `distances[r]` from θ in the only element of each of two parameters, after rounds at a distance of 1 ± 0.1.
Weighed weighedAt(const std::vector<double>& distances, const PseudoGradientPenaltyParams& params, int roundsBefore) {
    Weighed found;
    runRanks(Backend::Threads, static_cast<int>(distances.size()), [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(1, 1);
        FlatParams weights(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, weights, executor);
        const at::NoGradGuard guard;
        PseudoGradientPenalty penalty(params);
        penalty.start(context);
        const at::Tensor outer = at::full({2}, 3.0, at::kDouble);
        for (int k = 0; k < roundsBefore; ++k) {
            weights.weights().copy_(outer - (1 + 0.1 * (k % 2)));
            penalty.meet(context, outer);
        }
        weights.weights().copy_(outer - distances[static_cast<std::size_t>(comm.rank().value())]);
        penalty.meet(context, outer);
        at::Tensor delta = at::empty_like(outer);
        penalty.weigh(outer, weights.weights(), delta);
        Pending sum = comm.allReduce(delta, Reduce::Sum);
        sum.wait();
        penalty.clip(delta);
        if (comm.rank() != Rank{0}) return;
        found = {{delta[0].item<double>(), delta[1].item<double>()}, {penalty.moves(0), penalty.moves(1)}};
    });
    return found;
}

TEST(PseudoGradientPenalty, WeighsWorkersByTheirNorms) {
    const double a = std::exp(-1.0), b = std::exp(-2.5), c = std::exp(-0.5);
    const double expected = (a * 1 + b * 2.5 + c * 0.5) / (a + b + c);
    EXPECT_NEAR(weighedAt({1, 2.5, 0.5}, {.on = true}, 0).delta[0], expected, 1e-14);
    EXPECT_NEAR(weighedAt({1, -2.5, 0.5}, {.on = true}, 0).delta[1], (a * 1 - b * 2.5 + c * 0.5) / (a + b + c), 1e-14);
    EXPECT_NEAR(weighedAt({1, 2.5, 0.5}, {.on = true, .temperature = 1e9}, 0).delta[0], 4.0 / 3, 1e-8)
        << "a plain mean";
    EXPECT_NEAR(weighedAt({800, 900}, {.on = true}, 0).delta[0], 800, 1e-9) << "no exponential is lost";
}

TEST(PseudoGradientPenalty, LeavesOutWhatStandsOutOfItsPast) {
    const PseudoGradientPenaltyParams params{.on = true, .warmup = 20};
    EXPECT_NEAR(weighedAt({1, 50}, params, 60).delta[0], 1, 1e-12);
    EXPECT_NEAR(weighedAt({1, 1.05}, params, 60).delta[0],
                (std::exp(-1.0) + 1.05 * std::exp(-1.05)) / (std::exp(-1.0) + std::exp(-1.05)), 1e-12);
    const Weighed all = weighedAt({40, 50}, params, 60);
    EXPECT_EQ(all.delta, (std::vector<double>{0, 0}));
    EXPECT_EQ(all.moves, (std::vector<bool>{false, false}));
    EXPECT_TRUE(weighedAt({1, 50}, params, 60).moves[0]);
}

TEST(PseudoGradientPenalty, CutsTheNormOff) {
    const PseudoGradientPenaltyParams params{.on = true, .clip = 0.5};
    EXPECT_NEAR(std::hypot(weighedAt({3}, params, 0).delta[0], weighedAt({3}, params, 0).delta[1]), 0.5, 1e-6);
    EXPECT_NEAR(weighedAt({0.1}, params, 0).delta[0], 0.1, 1e-15);
}

}  // namespace
}  // namespace dasgd::test
