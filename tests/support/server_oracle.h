// Parameter servers as events, in plain doubles and whole nanoseconds, without the engine. Their rules are those of
// server_oracle_rules.h.
//
// A worker computes its gradient on the weights that it read last, and its push takes `messageNs` to the server. The
// server takes pushes in order of arrival, equal instants by rank. It updates in no time, then answers every waiting
// worker that may start, by rank, and each answer takes `messageNs` back. Several servers with equal links take and
// answer at the same instants, each its share of the elements, so one stands for all of them.
//
// Where workers share the work, all of them together make a number of gradients. The first are the workers' by rank,
// and with each answer a worker is given the next number. When the last gradient has been taken, the rule may make a
// last update of what it holds, and every worker that waits is answered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/support/server_oracle_rules.h"

namespace dasgd::test {

// The types of quadratic_oracle.h, which includes torch.
using Vec = std::vector<double>;
using Workers = std::vector<Vec>;
using Trajectory = std::vector<Workers>;

// Training on a server: what is computed, and how long it takes.
struct ServedProblem {
    std::function<Vec(int worker, const Vec& weights)> gradient;
    Vec start;
    // Number of steps of each worker, which pushes no more after them. With shared work it is the mean over workers, or
    // the number of updates where the rule counts these.
    std::int64_t steps = 1;
    bool sharesWork = false;
    std::vector<std::int64_t> computeNs;  // of a step, for each worker
    std::vector<std::int64_t> messageNs;  // of a push, and of an answer, for each worker
    // Instead of `computeNs` where steps differ; they are counted from 1.
    std::function<std::int64_t(int worker, std::int64_t step)> stepNs = nullptr;
    // What the server steps along instead of a pushed gradient, or the mean of several.
    std::function<Vec(const Vec& gradient)> direction = nullptr;
    double rate = 0.1, momentum = 0, dampening = 0, weightDecay = 0;
    bool nesterov = false;

    [[nodiscard]] int workers() const { return static_cast<int>(computeNs.size()); }
};

// What happened on a server and its workers.
struct ServedRun {
    struct Push {
        int worker = 0;
        std::int64_t clock = 0;  // this worker's pushes, with this one
        std::int64_t atNs = 0;
        std::int64_t staleness = 0;  // updates since the weights were read
        std::int64_t number = 0;     // of the gradient among those of all workers, where they share the work
        std::int64_t version = 0;    // updates in the weights that were read
        friend bool operator==(const Push&, const Push&) = default;
    };
    struct Answer {
        int worker = 0;
        std::int64_t clock = 0;
        std::int64_t lead = 0;  // over the slowest
        std::int64_t atNs = 0;  // when it leaves the server
        friend bool operator==(const Answer&, const Answer&) = default;
    };
    std::vector<std::vector<Vec>> read;           // [worker][step], step 0 = start
    std::vector<std::vector<std::int64_t>> ends;  // [worker][step − 1]: instant at which the step's weights arrive
    std::vector<Push> pushes;                     // in the order in which they were taken
    std::vector<Answer> answers;                  // in order
    std::vector<std::vector<int>> updates;        // workers whose gradients made each
    Vec weights;                                  // of the server, at the end

    // Weights that each worker has read after each step, where all make as many.
    [[nodiscard]] Trajectory trajectory() const {
        Trajectory all(read[0].size());
        for (const std::vector<Vec>& worker : read) {
            for (std::size_t k = 0; k < all.size(); ++k) all[k].push_back(worker[k]);
        }
        return all;
    }
    [[nodiscard]] std::int64_t largestLead() const {
        std::int64_t largest = 0;
        for (const Answer& answer : answers) largest = std::max(largest, answer.lead);
        return largest;
    }
    // The least time between two pushes that the server takes.
    [[nodiscard]] std::int64_t closestPushesNs() const {
        std::int64_t closest = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 1; i < pushes.size(); ++i) {
            closest = std::min(closest, pushes[i].atNs - pushes[i - 1].atNs);
        }
        return closest;
    }
};

// One run, from the start to the last answer.
class OracleServer {
public:
    OracleServer(const ServedProblem& problem, OracleRule& rule)
        : problem_(problem),
          rule_(rule),
          clocks_{std::vector<std::int64_t>(problem.computeNs.size(), 0)},
          waits_(problem.computeNs.size(), false),
          versions_(problem.computeNs.size(), 0),
          numbers_(problem.computeNs.size(), 0),
          gradients_(problem.computeNs.size()) {
        run_.weights = problem.start;
        run_.read.assign(problem.computeNs.size(), {problem.start});
        run_.ends.resize(problem.computeNs.size());
    }

    ServedRun run() {
        for (int worker = 0; worker < problem_.workers(); ++worker) compute(worker, 0);
        while (!arrivals_.empty()) {
            const auto [atNs, worker] = arrivals_.top();
            arrivals_.pop();
            take(worker, atNs);
            const bool over = problem_.sharesWork && arrivals_.empty() && !isGradientLeft();
            if (over) update(rule_.last());
            answer(atNs, over);
        }
        if (std::count(waits_.begin(), waits_.end(), true) > 0) throw std::logic_error("a worker waits for ever");
        return std::move(run_);
    }

private:
    using Arrival = std::pair<std::int64_t, int>;  // instant, worker: equal instants by rank

    // True while shared work has further gradients to begin.
    [[nodiscard]] bool isGradientLeft() const {
        if (rule_.countsUpdates()) return version_ < problem_.steps;
        return begun_ < problem_.steps * problem_.workers();
    }

    // Begins the worker's next step, if any.
    void compute(int worker, std::int64_t fromNs) {
        const auto own = static_cast<std::size_t>(worker);
        const std::int64_t step = clocks_.taken[own] + 1;
        if (problem_.sharesWork ? !isGradientLeft() : step > problem_.steps) return;
        if (problem_.sharesWork) numbers_[own] = ++begun_;
        const std::int64_t took = problem_.stepNs ? problem_.stepNs(worker, step) : problem_.computeNs[own];
        arrivals_.emplace(fromNs + took + problem_.messageNs[own], worker);
    }

    void take(int worker, std::int64_t atNs) {
        const auto own = static_cast<std::size_t>(worker);
        gradients_[own] = problem_.gradient(worker, run_.read[own].back());
        ++clocks_.taken[own];
        waits_[own] = true;
        run_.pushes.push_back(
            {worker, clocks_.taken[own], atNs, version_ - versions_[own], numbers_[own], versions_[own]});
        update(rule_.push(clocks_, worker, atNs));
    }

    void update(const OracleUpdate& made) {
        if (made.gradients.empty()) return;
        Vec mean(problem_.start.size(), 0);
        for (const int worker : made.gradients) {
            const Vec& gradient = gradients_[static_cast<std::size_t>(worker)];
            for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += gradient[j];
        }
        for (double& each : mean) each /= static_cast<double>(made.gradients.size());
        if (problem_.direction) mean = problem_.direction(mean);
        step(mean, made.rateFactor * problem_.rate);
        if (made.resetsMomentum) velocity_.clear();
        run_.updates.push_back(made.gradients);
        ++version_;
    }

    // torch.optim.SGD.
    void step(const Vec& gradient, double rate) {
        const bool first = velocity_.empty();
        velocity_.resize(gradient.size());
        for (std::size_t j = 0; j < gradient.size(); ++j) {
            const double g = gradient[j] + problem_.weightDecay * run_.weights[j];
            double& v = velocity_[j];
            v = first ? g : problem_.momentum * v + (1 - problem_.dampening) * g;
            double descent = problem_.nesterov ? g + problem_.momentum * v : v;
            if (problem_.momentum == 0) descent = g;  // then torch keeps no velocity, and dampening is not used
            run_.weights[j] -= rate * descent;
        }
    }

    // `over`: no push follows for which a worker could wait.
    void answer(std::int64_t atNs, bool over) {
        for (int worker = 0; worker < problem_.workers(); ++worker) {
            const auto own = static_cast<std::size_t>(worker);
            if (!waits_[own] || (!over && !rule_.mayStart(clocks_, worker))) continue;
            waits_[own] = false;
            versions_[own] = version_;
            run_.answers.push_back({worker, clocks_.taken[own], clocks_.lead(worker), atNs});
            run_.read[own].push_back(run_.weights);
            run_.ends[own].push_back(atNs + problem_.messageNs[own]);
            compute(worker, run_.ends[own].back());
        }
    }

    const ServedProblem& problem_;
    OracleRule& rule_;
    ServedRun run_;
    ServerClocks clocks_;
    std::vector<bool> waits_;
    std::vector<std::int64_t> versions_;  // updates in the weights that each worker has read
    std::vector<std::int64_t> numbers_;   // of each worker's newest gradient among all of shared work
    std::vector<Vec> gradients_;          // newest of each worker
    std::int64_t begun_ = 0;              // gradients of shared work
    std::int64_t version_ = 0;
    Vec velocity_;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
};

inline ServedRun serveOracle(const ServedProblem& problem, OracleRule& rule) {
    return OracleServer(problem, rule).run();
}

}  // namespace dasgd::test
