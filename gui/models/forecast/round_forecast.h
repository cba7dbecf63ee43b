// One round of an algorithm in steady state, by formula (core/cost): what computes, what is on the link, what waits.
// Seconds throughout. Left out: scatter between ranks and steps, snapshots, merges, evaluations. Pure; any thread.
#pragma once

#include <QtGlobal>
#include <optional>
#include <vector>

#include "core/base/event.h"
#include "core/base/result.h"

namespace dasgd::gui {

struct RoundInput {
    int period = 1;            // τ, local steps from one average to the next
    int delay = 0;             // d, the average is merged so many steps after it left
    double compute = 0;        // T_c of one local step, with nothing on the link
    double forwardShare = 0;   // of T_c; 0: not known, and a step is one undivided span
    double communication = 0;  // T_m of one average
    double contention = 0;     // κ: computing takes 1+κ times as long while a transfer is under way
};

struct RoundSpan {
    SpanKind kind{};
    Lane lane{};
    qint64 step = 0;  // from 1, the first of a block; of a transfer the step after which it left
    int steps = 1;    // of a block
    double start = 0, end = 0;
};

// From the launch of an average to the end of the wait, or to the instant, where it is merged.
struct RoundLink {
    double launch = 0, use = 0;
};

struct RoundForecast {
    RoundInput input;
    // A longer round is laid out in blocks of `block` steps: so many spans are all that a picture can show.
    static constexpr int kMostBlocks = 64;
    std::vector<RoundSpan> spans;  // of two rounds, by start
    int block = 1;
    std::vector<RoundLink> links;
    int steps = 1;       // of a round
    double seconds = 0;  // of a round
    double blocked = 0;  // of a round: the transfer that no computing covers

    [[nodiscard]] double stepSeconds() const { return seconds / steps; }
    [[nodiscard]] double blockedPerStep() const { return blocked / steps; }
    // Share of the transfer that computing covers; nullopt where nothing is transferred.
    [[nodiscard]] std::optional<double> hidden() const;
    // Of the time of a step without any communication.
    [[nodiscard]] double slowdown() const { return stepSeconds() / input.compute; }
};

// Errors: a period below 1, a delay outside 0..period, T_c not above 0, a T_m that is no time.
[[nodiscard]] Result<RoundForecast> forecastRound(const RoundInput& input);

// The smallest delay with which nothing of an average is waited for.
[[nodiscard]] int hidingDelay(const RoundInput& input);

}  // namespace dasgd::gui
