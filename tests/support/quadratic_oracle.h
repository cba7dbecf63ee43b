// Slow serial training in plain doubles: P workers on f_i(w) = ½ (w − b_i)ᵀA(w − b_i) with PyTorch's SGD, and the same
// problem as an experiment. A rule is a function of all workers' weights after each local step.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "tests/support/training.h"

namespace dasgd::test {

using Vec = std::vector<double>;
using Workers = std::vector<Vec>;  // [P][N]

inline Vec mean(const Workers& all) {
    Vec out(all[0].size(), 0);
    for (const Vec& one : all) {
        for (std::size_t j = 0; j < out.size(); ++j) out[j] += one[j] / static_cast<double>(all.size());
    }
    return out;
}

struct QuadraticProblem {
    int workers = 4;
    std::int64_t steps = 200;
    double rate = 0.1;
    double momentum = 0.9;
    double dampening = 0;
    double weightDecay = 0;
    bool nesterov = false;
    bool equalTargets = false;
    std::vector<Vec> matrix{{2, 0.3, 0}, {0.3, 1, -0.2}, {0, -0.2, 0.5}};
    Vec start{1, -2, 3};

    [[nodiscard]] Vec target(int worker) const {
        const double i = equalTargets ? 0 : worker;
        return {std::sin(1 + i), 0.5 * i - 1, std::cos(2 * i)};
    }
    [[nodiscard]] Vec gradient(const Vec& w, const Vec& b) const {
        Vec g(w.size(), 0);
        for (std::size_t r = 0; r < w.size(); ++r) {
            for (std::size_t c = 0; c < w.size(); ++c) g[r] += matrix[r][c] * (w[c] - b[c]);
        }
        return g;
    }
    // Mean of the workers' losses.
    [[nodiscard]] double meanLoss(const Vec& w) const {
        double sum = 0;
        for (int i = 0; i < workers; ++i) {
            const Vec b = target(i), g = gradient(w, b);
            for (std::size_t j = 0; j < w.size(); ++j) sum += 0.5 * g[j] * (w[j] - b[j]) / workers;
        }
        return sum;
    }
    // Experiment with `algorithm` (its table, name included) on this problem, every weight recorded.
    [[nodiscard]] Value experiment(Fields algorithm) const {
        std::vector<Vec> targets;
        for (int i = 0; i < workers; ++i) targets.push_back(target(i));
        return table({{"name", text("oracle")},
                      {"algorithm", table(std::move(algorithm))},
                      {"model", table({{"name", text("quadratic")},
                                       {"matrix", test::matrix(matrix)},
                                       {"targets", test::matrix(targets)},
                                       {"start", vector(start)}})},
                      {"train", table({{"steps", integer(steps)}, {"precision", text("float64")}})},
                      {"optimizer", table({{"name", text("sgd")},
                                           {"learning_rate", number(rate)},
                                           {"momentum", number(momentum)},
                                           {"dampening", number(dampening)},
                                           {"weight_decay", number(weightDecay)},
                                           {"nesterov", Value(nesterov)}})},
                      {"cluster", table({{"backend", text("threads")}, {"workers", integer(workers)}})},
                      {"record", table({{"weights", Value(true)}})}});
    }
};

// [step][worker][element], step 0 = start.
using Trajectory = std::vector<Workers>;

// `afterStep(k, w)` changes the workers' weights after local step k; `gradients(g)` changes their gradients before it;
// `momentum(k, v)` changes their velocities after it: an empty one is as before the first step.
inline Trajectory serial(const QuadraticProblem& problem, const std::function<void(std::int64_t, Workers&)>& afterStep,
                         const std::function<void(Workers&)>& gradients = nullptr,
                         const std::function<void(std::int64_t, Workers&)>& momentum = nullptr) {
    Workers w(static_cast<std::size_t>(problem.workers), problem.start);
    Workers v(w.size());
    Trajectory all{w};
    for (std::int64_t k = 1; k <= problem.steps; ++k) {
        Workers g;
        for (int i = 0; i < problem.workers; ++i) {
            g.push_back(problem.gradient(w[static_cast<std::size_t>(i)], problem.target(i)));
        }
        if (gradients) gradients(g);
        for (std::size_t i = 0; i < w.size(); ++i) {
            for (std::size_t j = 0; j < w[i].size(); ++j) {
                double gradient = g[i][j] + problem.weightDecay * w[i][j];
                if (problem.momentum != 0) {
                    if (v[i].size() <= j)
                        v[i].push_back(gradient);
                    else
                        v[i][j] = problem.momentum * v[i][j] + (1 - problem.dampening) * gradient;
                    gradient = problem.nesterov ? gradient + problem.momentum * v[i][j] : v[i][j];
                }
                w[i][j] -= problem.rate * gradient;
            }
        }
        afterStep(k, w);
        if (momentum) momentum(k, v);
        all.push_back(w);
    }
    return all;
}

// Trajectory that the ranks recorded, in the same form.
inline Trajectory recorded(const std::vector<RankRecord>& records) {
    for (const RankRecord& record : records) EXPECT_EQ(record.outcome.error, "");
    const std::size_t elements = [&] {
        std::size_t n = 0;
        while (records[0].sink.metrics.contains("weight/" + std::to_string(n))) ++n;
        return n;
    }();
    const std::size_t steps = records[0].sink.metrics.at("weight/0").size();
    Trajectory all(steps, Workers(records.size(), Vec(elements)));
    for (std::size_t i = 0; i < records.size(); ++i) {
        for (std::size_t j = 0; j < elements; ++j) {
            const auto& points = records[i].sink.metrics.at("weight/" + std::to_string(j));
            for (std::size_t k = 0; k < steps; ++k) {
                EXPECT_EQ(points[k].step, static_cast<std::int64_t>(k));
                all[k][i][j] = points[k].value;
            }
        }
    }
    return all;
}

// Equal to the last bit, or to `tolerance` times the largest |weight| that this worker is to have after this step. An
// element by itself may pass through zero. The largest one does not: minimisers are of order 1, since a
// QuadraticProblem's targets are, and the serial rules' largest weights stay above 0.02 on their way there.
inline void expectSame(const Trajectory& got, const Trajectory& expected, double tolerance) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
        ASSERT_EQ(got[k].size(), expected[k].size());
        for (std::size_t i = 0; i < got[k].size(); ++i) {
            double largest = 0;
            for (const double weight : expected[k][i]) largest = std::max(largest, std::abs(weight));
            for (std::size_t j = 0; j < got[k][i].size(); ++j) {
                const double difference = std::abs(got[k][i][j] - expected[k][i][j]);
                const bool same =
                    tolerance == 0 ? got[k][i][j] == expected[k][i][j] : difference <= tolerance * largest;
                ASSERT_TRUE(same) << "step " << k << " worker " << i << " element " << j << ": " << got[k][i][j]
                                  << " but expected " << expected[k][i][j] << ", " << difference / largest
                                  << " of the largest weight";
            }
        }
    }
}

// Serial DaSGD, the general merge of algorithms.md A2, written from the formula alone.
struct SerialMerge {
    std::int64_t period = 4, delay = 1, offset = 0;
    double xi = 0.25, c = 0;
    bool snapshotAtZero = false;
    // Averages that are not merged yet, by the step at which they are due. There is no limit to how many: that
    // settings with two at a time are refused is the product's rule, not the formula's.
    struct InFlight {
        Workers snapshot;
        Vec average;
    };
    std::multimap<std::int64_t, InFlight> inFlight;

    // Takes and merges what is due before the first step.
    void start(Workers& w) {
        if (snapshotAtZero) take(0, w);
        mergeDue(0, w);
    }
    void take(std::int64_t k, const Workers& w) { inFlight.emplace(k + delay, InFlight{w, mean(w)}); }
    void mergeDue(std::int64_t k, Workers& w) {
        const auto [first, last] = inFlight.equal_range(k);
        for (auto due = first; due != last; ++due) merge(due->second, w);
        inFlight.erase(first, last);
    }
    void merge(const InFlight& from, Workers& w) const {
        for (std::size_t i = 0; i < w.size(); ++i) {
            for (std::size_t j = 0; j < w[i].size(); ++j) {
                const double u = w[i][j] - from.snapshot[i][j];
                w[i][j] = xi * w[i][j] + (1 - xi) * (from.average[j] + c * u);
            }
        }
    }
    void operator()(std::int64_t k, Workers& w) {
        mergeDue(k, w);
        if ((k - offset) % period != 0) return;
        take(k, w);
        mergeDue(k, w);
    }
};

}  // namespace dasgd::test
