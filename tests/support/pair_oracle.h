// Exchanges of pairs without rounds as events, in plain doubles and whole nanoseconds, without the engine: from the
// text of algorithms.md C5 alone.
//
// A rank's step takes its computing time, and changes its weights at the end. Then, in no time: the rank adds half the
// difference that has come back, if any; answers the questions that have come, in the order of arrival, equal instants
// by rank; and asks, if it may and has no question under way. A message takes `messageNs`. A rank that has made its
// steps answers, and takes its own answer, at the instant of arrival. Half the difference is that of C(x) and C(s),
// where weights are coded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {

struct PairProblem {
    QuadraticProblem training;            // its momentum is heavy-ball, without dampening and decay
    std::vector<std::int64_t> computeNs;  // of a step of each rank
    std::int64_t messageNs = 0;
    std::int64_t period = 1;             // own steps between two questions, at least
    std::function<bool(int rank)> asks;  // whether the rank ever asks
    // Partner of the rank's next question.
    std::function<int(int rank)> partner;
    std::function<double(double)> code = [](double weight) { return weight; };  // C
};

struct PairRun {
    struct Exchange {
        int asker = 0, answerer = 0;
        std::int64_t askedAfter = 0;  // step of the asker
        std::int64_t addedAfter = 0;  // its step at which it has the answer, or its last
        bool late = false;            // the answer came after its last step
    };
    Trajectory weights;                           // [step][rank][element], step 0 = start
    std::vector<std::vector<std::int64_t>> ends;  // of each step of each rank
    std::vector<Exchange> exchanges;              // in the order in which answers are added
    Workers atTheEnd;                             // weights when nothing is under way
    std::int64_t closestNs = INT64_MAX;  // least distance of a message's arrival from a step's end at the same rank
};

class PairOracle {
public:
    explicit PairOracle(const PairProblem& problem) : problem_(problem), ranks_(problem.computeNs.size()) {
        for (Rank& rank : ranks_) rank.x = problem.training.start;
        run_.weights.assign(static_cast<std::size_t>(problem.training.steps) + 1,
                            Workers(ranks_.size(), problem.training.start));
        run_.ends.resize(ranks_.size());
    }

    PairRun run() {
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            at(problem_.computeNs[i], kStepEnd, i, [this, i](std::int64_t now) { endStep(i, now); });
        }
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            event.happen(std::get<0>(event.key));
        }
        for (const Rank& rank : ranks_) run_.atTheEnd.push_back(rank.x);
        return std::move(run_);
    }

private:
    static constexpr int kArrival = 0, kStepEnd = 1;  // of equal instants arrivals come first
    struct Event {
        std::tuple<std::int64_t, int, std::size_t> key;  // instant, kind, rank
        std::function<void(std::int64_t now)> happen;
        bool operator>(const Event& other) const { return key > other.key; }
    };
    struct Rank {
        Vec x, v;
        std::int64_t step = 0;
        bool ended = false;
        std::optional<PairRun::Exchange> underWay;
        std::optional<Vec> back;                         // answer that has arrived
        std::vector<std::pair<std::size_t, Vec>> asked;  // questions that have arrived, with whose they are
        std::vector<std::int64_t> arrivals;              // since the last step's end
    };

    void at(std::int64_t instant, int kind, std::size_t rank, std::function<void(std::int64_t)> happen) {
        events_.push({{instant, kind, rank}, std::move(happen)});
    }

    void endStep(std::size_t i, std::int64_t now) {
        Rank& rank = ranks_[i];
        descend(i);
        ++rank.step;
        for (const std::int64_t arrival : rank.arrivals) run_.closestNs = std::min(run_.closestNs, now - arrival);
        rank.arrivals.clear();
        exchange(i, now);
        const QuadraticProblem& training = problem_.training;
        rank.ended = rank.step == training.steps;
        if (rank.step % problem_.period == 0 && problem_.asks(static_cast<int>(i)) && !rank.underWay) ask(i, now);
        run_.weights[static_cast<std::size_t>(rank.step)][i] = rank.x;
        run_.ends[i].push_back(now);
        if (rank.ended) return;
        at(now + problem_.computeNs[i], kStepEnd, i, [this, i](std::int64_t then) { endStep(i, then); });
    }

    void descend(std::size_t i) {
        Rank& rank = ranks_[i];
        const QuadraticProblem& training = problem_.training;
        const Vec g = training.gradient(rank.x, training.target(static_cast<int>(i)));
        rank.v.resize(g.size(), 0);
        for (std::size_t j = 0; j < g.size(); ++j) {
            rank.v[j] = training.momentum * rank.v[j] + g[j];
            rank.x[j] -= training.rate * rank.v[j];
        }
    }

    // What has arrived at rank i.
    void exchange(std::size_t i, std::int64_t now) {
        Rank& rank = ranks_[i];
        if (rank.back) {
            for (std::size_t j = 0; j < rank.x.size(); ++j) rank.x[j] += (*rank.back)[j];
            rank.back.reset();
            rank.underWay->addedAfter = rank.step;
            rank.underWay->late = rank.ended;
            run_.exchanges.push_back(*rank.underWay);
            rank.underWay.reset();
        }
        for (const auto& [asker, s] : std::exchange(rank.asked, {})) {
            Vec half(s.size());
            for (std::size_t j = 0; j < s.size(); ++j) {
                half[j] = (problem_.code(rank.x[j]) - problem_.code(s[j])) / 2;
                rank.x[j] -= half[j];
            }
            at(now + problem_.messageNs, kArrival, asker, [this, asker = asker, half](std::int64_t then) {
                ranks_[asker].back = half;
                arrived(asker, then);
            });
        }
    }

    void ask(std::size_t i, std::int64_t now) {
        Rank& rank = ranks_[i];
        const int partner = problem_.partner(static_cast<int>(i));
        rank.underWay = PairRun::Exchange{.asker = static_cast<int>(i), .answerer = partner, .askedAfter = rank.step};
        // Equal instants go by the asker's rank.
        at(now + problem_.messageNs, kArrival, i, [this, i, partner, s = rank.x](std::int64_t then) {
            const auto to = static_cast<std::size_t>(partner);
            ranks_[to].asked.emplace_back(i, s);
            arrived(to, then);
        });
    }

    void arrived(std::size_t at, std::int64_t now) {
        ranks_[at].arrivals.push_back(now);
        if (ranks_[at].ended) exchange(at, now);
    }

    const PairProblem& problem_;
    std::vector<Rank> ranks_;
    PairRun run_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace dasgd::test
