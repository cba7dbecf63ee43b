// Time of a training step, from the time T_c of its computation and T_m of one communication of the payload: closed
// forms, no simulation. Seconds throughout; steady state; pure functions.
#pragma once

namespace dasgd {

// Largest contention κ: computation all but stops beside a transfer. Larger values cannot be told apart by measuring.
constexpr double kMostContention = 100;

// DaSGD (arXiv 2006.00441): T_c + max(0, T_m − d·T_c)/τ, for 0 ≤ d ≤ τ. With contention κ, computation takes (1+κ)
// times as long while a collective transfers, and T_m stays: T_c + max(T_m·κ/(1+κ), T_m − d·T_c)/τ.
[[nodiscard]] double dasgdStepSeconds(double compute, double communication, int period, int delay,
                                      double contention = 0);
// The smallest delay that hides T_m: ⌈T_m/T_c⌉; the part of d·T_c beyond T_m absorbs jitter, so that it is ⌈(T_m +
// jitter)/T_c⌉ where workers arrive `jitter` apart. A billionth of a step too long still counts as hidden. At most the
// largest int.
[[nodiscard]] int minimumDelay(double communication, double compute, double jitter = 0);

// An exchange of one or two stages: seconds of their transfers, and of the rank's own work before, between and after
// them, in which it computes nothing else.
struct ExchangeSeconds {
    double first = 0, second = 0;  // second: 0 where there is one stage
    double encode = 0, recode = 0, decode = 0;
    [[nodiscard]] double transfers() const { return first + second; }
    [[nodiscard]] double coding() const { return encode + recode + decode; }
};
// Steps of the delay that pass beside each stage. The second begins when the first has been awaited: half-way, after
// ⌈d/2⌉ steps, or where d ≤ 1 not before the merge.
struct StageDelays {
    int first = 0, second = 0;
};
[[nodiscard]] StageDelays stageDelays(const ExchangeSeconds& exchange, int delay);
// dasgdStepSeconds() of each stage with its own part of d, and the work:
// T_c + (max(T₁κ/(1+κ), T₁ − d₁·T_c) + max(T₂κ/(1+κ), T₂ − d₂·T_c) + work)/τ.
[[nodiscard]] double exchangeStepSeconds(double compute, const ExchangeSeconds& exchange, int period, int delay,
                                         double contention = 0);
// The smallest delay that hides both stages.
[[nodiscard]] int minimumDelay(const ExchangeSeconds& exchange, double compute, double jitter = 0);

// E[max] of n independent normal workers: by quadrature, good to 1e-9 σ.
[[nodiscard]] double expectedMaximumNormal(double mean, double deviation, int n);

}  // namespace dasgd
