// Gossip in plain doubles: the merge family's rule with m = Σⱼ Wᵢⱼ·sⱼ, W as the graph has it in each round.
#pragma once

#include <string>
#include <vector>

#include "tests/support/graph_trials.h"
#include "tests/support/quadratic_oracle.h"
#include "tests/support/serial_rule.h"

namespace dasgd::test {

struct GossipSetting {
    std::int64_t period = 1, delay = 1;
    double xi = 0, c = 1;
    bool atZero = true;
};

inline Workers mixedBy(const Rows& w, const Workers& x) {
    Workers out(x.size(), Vec(x[0].size(), 0));
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < x.size(); ++j) {
            for (std::size_t e = 0; e < x[j].size(); ++e) out[i][e] += w[i][j] * x[j][e];
        }
    }
    return out;
}

// What all ranks merge of what left them, x, by W.
using Mixing = std::function<Workers(const Rows& w, const Workers& x)>;

// CHOCO-SGD's, in the paper's lines: q = C(x − h); h += q; h_w += Wq; m = x + γ(h_w − h). h and h_w are at first the
// common start.
inline Mixing choco(const Workers& start, double gamma, std::function<Vec(const Vec&)> code) {
    struct Copies {
        Workers own, mixed;
    };
    return [=, state = std::make_shared<Copies>(Copies{start, start})](const Rows& w, const Workers& x) {
        Workers q = x, m = x;
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t e = 0; e < x[i].size(); ++e) q[i][e] = x[i][e] - state->own[i][e];
            q[i] = code(q[i]);
        }
        const Workers wq = mixedBy(w, q);
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t e = 0; e < x[i].size(); ++e) {
                state->own[i][e] += q[i][e];
                state->mixed[i][e] += wq[i][e];
                m[i][e] = x[i][e] + gamma * (state->mixed[i][e] - state->own[i][e]);
            }
        }
        return m;
    };
}

// The rule after each local step; draws are those of `seed`.
inline std::function<void(std::int64_t, Workers&)> gossips(const GossipSetting& s, std::shared_ptr<const Graph> graph,
                                                           const Workers& start, std::uint64_t seed,
                                                           const Mixing& mixes = mixedBy) {
    struct State {
        Workers left, mixture;
        std::int64_t due = -1, exchanges = 0;
    };
    auto state = std::make_shared<State>();
    const auto leave = [=](const Workers& x, std::int64_t k) {
        state->left = x;
        state->mixture = mixes(
            matrixOf(*graph, {.number = state->exchanges++, .size = static_cast<int>(x.size()), .seed = seed}), x);
        state->due = k + s.delay;
    };
    const auto merge = [=](Workers& x) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t e = 0; e < x[i].size(); ++e) {
                const double merged = state->mixture[i][e] + s.c * (x[i][e] - state->left[i][e]);
                x[i][e] = s.xi * x[i][e] + (1 - s.xi) * merged;
            }
        }
        state->due = -1;
    };
    if (s.atZero) leave(start, 0);
    return [=](std::int64_t k, Workers& x) {
        if (state->due == k) merge(x);
        if (k % s.period != 0) return;
        leave(x, k);
        if (s.delay == 0) merge(x);
    };
}

// The same for a model of any size, on a graph with its defaults; draws are those of the default seed.
inline SerialRule gossipsOn(const std::string& graph, const GossipSetting& s, const SerialView& view) {
    struct State {
        Vectors left, mixture;
        std::int64_t due = -1, exchanges = 0;
    };
    auto state = std::make_shared<State>();
    const auto leave = [=](const Vectors& x, std::int64_t k) {
        const GraphRound round{.number = state->exchanges++, .size = static_cast<int>(x.size()), .seed = 1};
        const Rows w = matrixOf(*graphOf(graph), round);
        state->left = x;
        state->mixture.clear();
        for (std::size_t i = 0; i < x.size(); ++i) {
            at::Tensor m = torch::zeros_like(x[i]);
            for (std::size_t j = 0; j < x.size(); ++j) m = m + x[j] * w[i][j];
            state->mixture.push_back(m);
        }
        state->due = k + s.delay;
    };
    const auto merge = [=](Vectors& x) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = x[i] * s.xi + (state->mixture[i] + (x[i] - state->left[i]) * s.c) * (1 - s.xi);
        }
        state->due = -1;
    };
    if (s.atZero) leave(Vectors(view.workers, view.start), 0);
    return {.weights = [=](std::int64_t k, Vectors& x) {
        if (state->due == k) merge(x);
        if (k % s.period != 0) return;
        leave(x, k);
        if (s.delay == 0) merge(x);
    }};
}

}  // namespace dasgd::test
