// A quadratic problem on the parameter servers of server_oracle.h, whose rules are made anew for each run.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tests/support/quadratic_oracle.h"
#include "tests/support/server_oracle.h"

namespace dasgd::test {

inline constexpr std::int64_t kSecondNs = 1'000'000'000;
inline constexpr std::int64_t kStepNs = 100 * kSecondNs;  // of a worker whose factor is 1
inline constexpr std::int64_t kOneWayNs = kSecondNs;      // of a push, and of an answer

using MakeRule = std::function<std::unique_ptr<OracleRule>(int workers)>;

inline MakeRule asyncRule() {
    return [](int) { return std::make_unique<OracleAsync>(); };
}
inline MakeRule sspRule(std::int64_t staleness, bool perPush = false) {
    return [=](int) { return std::make_unique<OracleSsp>(staleness, perPush); };
}
inline MakeRule pspRule(const OraclePsp::Settings& settings) {
    return [=](int workers) { return std::make_unique<OraclePsp>(settings, workers); };
}
inline MakeRule dsspRule(const OracleDssp::Settings& settings) {
    return [=](int workers) { return std::make_unique<OracleDssp>(settings, workers); };
}
inline MakeRule syncSwitchRule(const OracleSyncSwitch::Settings& settings) {
    return [=](int) { return std::make_unique<OracleSyncSwitch>(settings); };
}
inline MakeRule kAsyncRule(const OracleKAsync::Settings& settings) {
    return [=](int) { return std::make_unique<OracleKAsync>(settings); };
}
inline MakeRule backupRule(std::int64_t backup) {
    return [=](int workers) { return std::make_unique<OracleBackup>(backup, workers); };
}
inline MakeRule elasticRule(const OracleElasticBsp::Settings& settings) {
    return [=](int workers) { return std::make_unique<OracleElasticBsp>(settings, workers); };
}

// The problem on a server, worker i computing `factors[i]` times 100 s a step.
inline ServedProblem onOracleServer(const QuadraticProblem& problem, const std::vector<double>& factors) {
    ServedProblem made{
        .gradient = [problem](int worker, const Vec& w) { return problem.gradient(w, problem.target(worker)); },
        .start = problem.start,
        .steps = problem.steps,
        .rate = problem.rate,
        .momentum = problem.momentum,
        .dampening = problem.dampening,
        .weightDecay = problem.weightDecay,
        .nesterov = problem.nesterov};
    for (const double factor : factors) made.computeNs.push_back(std::llround(factor * kStepNs));
    made.messageNs.assign(factors.size(), kOneWayNs);
    return made;
}

inline ServedRun servedWith(const ServedProblem& problem, const MakeRule& make) {
    const auto rule = make(problem.workers());
    return serveOracle(problem, *rule);
}

}  // namespace dasgd::test
