// How long a training step takes under each algorithm's way of waiting, from the time T_c of its computation and T_m of
// one communication of the payload: closed forms, no simulation. Seconds throughout; steady state; pure functions.
//
// Where no source is given the form follows from the algorithm's rule by counting what is waited for (derived here).
#pragma once

#include <span>

namespace dasgd {

// Blocking synchronous SGD: E[maxᵢ Xᵢ] + T_m; `slowestStep` is the expected maximum over workers.
[[nodiscard]] double blockingSgdStepSeconds(double slowestStep, double communication);

// Synchronous SGD in buckets, reduced one after the other while the backward pass goes on (Li et al., "PyTorch
// Distributed", VLDB 2020): e_j = max(r_j, e_{j−1}) + T_m(b_j), step T_f + max(T_b, e_last). `readyTimes` r_j count
// from the beginning of the backward pass, in the order of launch; `bucketTimes` has one T_m(b_j) for each.
[[nodiscard]] double bucketedSgdStepSeconds(std::span<const double> readyTimes, std::span<const double> bucketTimes,
                                            double forward, double backward);

// Local SGD (arXiv 1805.09767): (X̄ + T_m)/τ with X̄ = `slowestRound`, the expected maximum over workers of τ steps' sum.
[[nodiscard]] double localSgdStepSeconds(double slowestRound, double communication, int period);

// DaSGD (arXiv 2006.00441): T_c + max(0, T_m − d·T_c)/τ, for 0 ≤ d ≤ τ. With contention κ, computation takes (1+κ)
// times as long while a collective runs, and T_m stays: T_c + max(T_m·κ/(1+κ), T_m − d·T_c)/τ.
[[nodiscard]] double dasgdStepSeconds(double compute, double communication, int period, int delay,
                                      double contention = 0);
// Worker i's wait in one round of it: max(0, max_j t_j(k) + T_m − t_i(k+d)). `launches` holds every worker's t_j(k),
// the end of the step whose weights leave; `ownMerge` is t_i(k+d).
[[nodiscard]] double dasgdWaitSeconds(std::span<const double> launches, double communication, double ownMerge);
// The smallest delay that hides T_m: ⌈T_m/T_c⌉; what d·T_c has to spare beyond T_m absorbs jitter, so that it is
// ⌈(T_m + jitter)/T_c⌉ where workers arrive `jitter` apart. A billionth of a step too long still counts as hidden.
[[nodiscard]] int minimumDelay(double communication, double compute, double jitter = 0);

// A round's communication hidden behind the whole next round, as CoCoD-SGD (IJCAI 2019), Overlap-Local-SGD (arXiv
// 2002.09539) and CO2 (arXiv 2401.16265) do: max(T_c, T_m/τ).
[[nodiscard]] double overlappingStepSeconds(double compute, double communication, int period);

// Streaming DiLoCo (arXiv 2501.18512): F fragments in turn, each once every H steps, δ steps under way, δ < H/F:
// T_c + max(0, T_m/F − δT_c)·F/H.
[[nodiscard]] double streamingStepSeconds(double compute, double communication, int fragments, int syncPeriod,
                                          int delay);

// Asynchronous push and pull, AD-PSGD: max(T_c, T_x), T_x the time one worker's exchange holds the busiest link or
// server.
[[nodiscard]] double asynchronousStepSeconds(double compute, double exchange);

// Whether hiding pays: what contention costs, κT_m, is less than the wait it saves.
[[nodiscard]] bool overlapPays(double contention, double communication, double savedSeconds);

// Order statistics of n independent workers.
// H_n = 1 + 1/2 + … + 1/n.
[[nodiscard]] double harmonicNumber(int n);
// Shifted exponential a + Exp(mean θ): E[max of n] = a + θH_n, and the k-th to finish of n at a + θ(H_n − H_{n−k}),
// which is what K of n with backups wait for (Rényi; Chen et al., arXiv 1604.00981).
[[nodiscard]] double expectedMaximumShiftedExponential(double shift, double scale, int n);
[[nodiscard]] double expectedFinishShiftedExponential(double shift, double scale, int k, int n);
// Normal: by quadrature, good to 1e-9 σ. And the usual shorthand T + σ√(2 ln n), an upper bound that is far off for few
// workers: 1.18 σ instead of 0.56 σ for two.
[[nodiscard]] double expectedMaximumNormal(double mean, double deviation, int n);
[[nodiscard]] double boundOfMaximumNormal(double mean, double deviation, int n);
// X̄ of localSgdStepSeconds for near-normal steps: τ steps sum to mean τT and deviation σ√τ, so that a barrier costs
// 1/√τ as much per step.
[[nodiscard]] double expectedSlowestRound(double mean, double deviation, int period, int workers);

}  // namespace dasgd
