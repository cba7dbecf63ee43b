// Configuration fields of the optimisers with Adam's moments.
#pragma once

#include "core/optimizers/parameter_groups.h"

namespace dasgd {

struct AdamFields {
    double learningRate = 0.001;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double weightDecay = 0;
    NoDecay noDecay;

    void visitWith(auto&& f, const char* decayHelp, const char* rateHelp = "Step size before the schedule") {
        f(learningRate, "learning_rate", {.min = 0, .max = 1e6, .symbol = "η", .help = rateHelp});
        f(beta1, "beta1", {.min = 0, .max = 1, .maxOpen = true, .symbol = "β1", .help = "Decay of the mean gradient"});
        f(beta2, "beta2", {.min = 0, .max = 1, .maxOpen = true, .symbol = "β2", .help = "Decay of the mean square"});
        f(epsilon, "epsilon", {.min = 0, .max = 1, .symbol = "ε", .help = "Keeps the division away from zero"});
        f(weightDecay, "weight_decay", {.min = 0, .max = 1e6, .symbol = "λ", .help = decayHelp});
        noDecay.visit(f);
    }
};

}  // namespace dasgd
