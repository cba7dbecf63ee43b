// Serial outer optimisers in plain doubles, for the algorithms with outer steps.
#pragma once

#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {

inline const QuadraticProblem kOuterProblem{.workers = 4, .steps = 200, .momentum = 0.9, .weightDecay = 0.01};

inline Trajectory trained(const QuadraticProblem& problem, Fields algorithm, Backend backend = Backend::Threads) {
    return recorded(train(problem.experiment(std::move(algorithm)), backend));
}
inline Trajectory localSgdOf(const QuadraticProblem& problem, std::int64_t period) {
    return trained(problem, {{"name", text("local_sgd")}, {"period", integer(period)}});
}

// torch.optim.SGD on weights of its own, element by element.
struct SerialOuter {
    double rate = 1, momentum = 0;
    bool nesterov = false;
    Vec theta;
    Vec velocity = Vec(theta.size(), 0);

    void step(std::size_t element, double gradient) {
        double& v = velocity[element];
        v = momentum * v + gradient;
        theta[element] -= rate * (nesterov ? gradient + momentum * v : v);
    }
};

}  // namespace dasgd::test
