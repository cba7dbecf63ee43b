// Experiments and policies of parameter servers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/algorithms/server/parameter_server.h"
#include "tests/support/quadratic_oracle.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {

// `algorithm` on the problem's workers and `servers` servers behind them.
inline Value servedBy(const QuadraticProblem& problem, const std::string& algorithm, Fields fields,
                      std::int64_t servers = 1) {
    Fields all{{"name", text(algorithm)}, {"servers", integer(servers)}};
    for (auto& field : fields) all.push_back(std::move(field));
    Value document = problem.experiment(all);
    document.set("cluster", table({{"backend", text("threads")}, {"workers", integer(problem.workers + servers)}}));
    return document;
}

// The same in simulated time, where rank i takes `factors[i]` times 3 ms a step.
inline Value servedVirtuallyBy(const QuadraticProblem& problem, const std::string& algorithm, Fields fields,
                               const std::vector<double>& factors, std::int64_t servers = 1) {
    Value document = servedBy(problem, algorithm, std::move(fields), servers);
    document.find("cluster")->set("backend", text("virtual"));
    document.set("network", gigabit());
    document.set("compute", table({{"step_time", text("3ms")}, {"rank_factors", vector(factors)}}));
    return document;
}

// Trajectory of the workers, without the servers.
inline Trajectory workersOf(const std::vector<RankRecord>& records, const QuadraticProblem& problem) {
    for (const RankRecord& record : records) EXPECT_EQ(record.outcome.error, "");
    Trajectory all = recorded(records);
    for (Workers& step : all) step.resize(static_cast<std::size_t>(problem.workers));
    return all;
}

// SGD on the mean gradient: with momentum, decay and Nesterov, which are the server's.
inline Trajectory synchronous(const QuadraticProblem& problem) {
    return serial(
        problem, [](std::int64_t, Workers&) {}, [](Workers& g) { g.assign(g.size(), mean(g)); });
}

// The policy of `algorithm` with these fields.
inline std::unique_ptr<ServerPolicy> policyOf(const std::string& algorithm, const Fields& fields,
                                              const ServerPolicy::Facts& facts) {
    const auto made = AlgorithmRegistry::find(algorithm)->create(table(fields), {}).value();
    return dynamic_cast<const ParameterServer&>(*made).makePolicy(facts);
}

// A policy and the gradients that it has been told of.
class TriedPolicy {
public:
    TriedPolicy(std::unique_ptr<ServerPolicy> policy, const ServerPolicy::Facts& facts)
        : policy_(std::move(policy)), clocks_(static_cast<std::size_t>(facts.workers), facts.completed) {}

    // Updates that a gradient of `worker` makes.
    std::vector<ServerPolicy::Update> push(int worker, Ns at = 0) {
        policy_->take({.worker = worker, .clock = ++clocks_[static_cast<std::size_t>(worker)], .at = at});
        std::vector<ServerPolicy::Update> made;
        while (const auto update = policy_->nextUpdate()) made.push_back(*update);
        return made;
    }
    // The same, and whether the worker may start at once.
    bool startsAfterPush(int worker, Ns at = 0) {
        static_cast<void>(push(worker, at));
        return policy_->mayStart(worker);
    }
    [[nodiscard]] bool mayStart(int worker) { return policy_->mayStart(worker); }
    [[nodiscard]] const std::vector<std::int64_t>& clocks() const { return clocks_; }
    [[nodiscard]] ServerPolicy& policy() { return *policy_; }

private:
    std::unique_ptr<ServerPolicy> policy_;
    std::vector<std::int64_t> clocks_;
};

}  // namespace dasgd::test
