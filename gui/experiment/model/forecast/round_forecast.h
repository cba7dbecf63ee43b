// One round of an algorithm in steady state, by formula (core/cost): computation, transfers, waits. Times are in
// seconds. Not modelled: variation between ranks and steps, snapshots and merges but for coding, evaluations. Pure; any
// thread.
#pragma once

#include <QtGlobal>
#include <optional>
#include <vector>

#include "core/base/event.h"
#include "core/base/result.h"
#include "core/cost/step_time.h"

namespace dasgd::gui {

struct RoundInput {
    int period = 1;            // τ, local steps between averages
    int delay = 0;             // d, steps between the launch of an average and its merge
    double compute = 0;        // T_c of one local step without a transfer under way
    double forwardShare = 0;   // fraction of T_c; 0: not known, and a step is one undivided span
    ExchangeSeconds exchange;  // T_m of one average, or of the stages of a compressed one, and coding
    double contention = 0;     // κ: computing takes 1+κ times as long during a transfer
};

struct RoundSpan {
    SpanKind kind{};
    Lane lane{};
    qint64 step = 0;  // from 1, the first step of a block; for a transfer the step after which it left
    int steps = 1;    // number of steps in a block
    double start = 0, end = 0;
};

// From the launch of an average to its merge, after a wait if there is one.
struct RoundLink {
    double launch = 0, use = 0;
};

struct RoundForecast {
    RoundInput input;
    // A round of more steps is drawn in blocks of `block` steps, which limits the number of spans.
    static constexpr int kMostBlocks = 64;
    std::vector<RoundSpan> spans;  // spans of two rounds, ordered by start
    int block = 1;
    std::vector<RoundLink> links;
    int steps = 1;       // steps per round
    double seconds = 0;  // duration of a round
    double blocked = 0;  // part of a round's transfers that no computation covers

    [[nodiscard]] double stepSeconds() const { return seconds / steps; }
    [[nodiscard]] double blockedPerStep() const { return blocked / steps; }
    // Fraction of the transfers covered by computation; nullopt without a transfer.
    [[nodiscard]] std::optional<double> hidden() const;
    // Step time ÷ time of a step without communication.
    [[nodiscard]] double slowdown() const { return stepSeconds() / input.compute; }
};

// Errors: a period below 1, a delay outside 0..period, T_c not above 0, a time of the exchange negative or not finite.
[[nodiscard]] Result<RoundForecast> forecastRound(const RoundInput& input);

// The smallest delay at which nothing waits for an average.
[[nodiscard]] int hidingDelay(const RoundInput& input);

}  // namespace dasgd::gui
