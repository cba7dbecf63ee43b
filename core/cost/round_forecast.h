// One round of an algorithm in steady state, by the formulas of step_time.h: computation, transfers, waits. Times are
// in seconds. Not modelled: variation between ranks and steps, snapshots and merges but for coding, evaluations. Pure;
// any thread. Fields are visited under the names that `dasgd run --dry-run --json` gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/event.h"
#include "core/base/result.h"
#include "core/cost/step_time.h"

namespace dasgd {

struct RoundInput {
    int period = 1;            // τ, local steps between averages
    int delay = 0;             // d, steps between the launch of an average and its merge
    double compute = 0;        // T_c of one local step without a transfer under way
    double forwardShare = 0;   // fraction of T_c; 0: not known, and a step is one undivided span
    ExchangeSeconds exchange;  // T_m of one average, or of the stages of a compressed one, and coding
    double contention = 0;     // κ: computing takes 1+κ times as long during a transfer

    void visit(auto&& f) {
        f(period, "period", {.help = "Local steps between averages"});
        f(delay, "delay", {.help = "Steps between the launch of an average and its merge"});
        f(compute, "compute_s", {.help = "T_c of one local step with no transfer under way"});
        f(forwardShare, "forward_share", {.help = "Share of T_c; 0: not known"});
        f(exchange.first, "exchange_s", {.help = "T_m of one average, or of the first stage of a compressed one"});
        f(exchange.second, "second_exchange_s", {.help = "Transfers of the second stage; 0 where there is one"});
        f(exchange.encode, "encode_s", {.help = "Coding before the first stage"});
        f(exchange.recode, "recode_s", {.help = "Coding between the two"});
        f(exchange.decode, "decode_s", {.help = "Decoding at the end"});
        f(contention, "contention", {.help = "Computing takes 1 + contention times as long during a transfer"});
    }
};

struct RoundSpan {
    SpanKind kind{};
    Lane lane{};
    std::int64_t step = 0;  // from 1, the first step of a block; for a transfer the step after which it left
    int steps = 1;          // number of steps in a block
    double start = 0, end = 0;

    void visit(auto&& f) {
        f(kind, "kind",
          {.help = "Kind as in recorded spans: forward, backward, passes, snapshot, transfer, wait, merge"});
        f(lane, "lane", {.help = "compute or comm"});
        f(step, "step", {.help = "Its first step, from 1; of a transfer the step after which it left"});
        f(steps, "steps", {.help = "Number of steps"});
        f(start, "start_s", {});
        f(end, "end_s", {});
    }
};

// From the launch of an average to its merge, after a wait if there is one.
struct RoundLink {
    double launch = 0, use = 0;

    void visit(auto&& f) {
        f(launch, "launch_s", {});
        f(use, "use_s", {});
    }
};

struct RoundForecast {
    // A round of more steps is drawn in blocks of `block` steps, which limits the number of spans.
    static constexpr int kMostBlocks = 64;

    RoundInput input;
    std::vector<RoundSpan> spans;  // spans of two rounds, ordered by start
    int block = 1;
    std::vector<RoundLink> links;
    int steps = 1;                 // steps per round
    double seconds = 0;            // duration of a round
    double stepSeconds = 0;        // duration of a step, waiting included
    double slowdown = 1;           // step time ÷ time of a step without communication
    double blocked = 0;            // part of a round's transfers that no computation covers
    std::optional<double> hidden;  // fraction of the transfers covered by computation; nullopt without a transfer

    [[nodiscard]] double blockedPerStep() const { return blocked / steps; }

    void visit(auto&& f) {
        f(input, "input", {.help = "Input of the formulas"});
        f(steps, "steps", {.help = "Steps of a round"});
        f(seconds, "round_s", {.help = "Duration of a round"});
        f(stepSeconds, "step_s", {.help = "Duration of a step, waiting included"});
        f(slowdown, "slowdown", {.help = "step_s ÷ that of a step without communication"});
        f(blocked, "blocked_s", {.help = "Part of a round's transfers that no computing covers"});
        f(hidden, "covered", {.help = "Share of the transfers that computing covers; null without transfers"});
        f(spans, "spans", {.help = "Two rounds as spans"});
        f(block, "steps_of_span", {.help = "Steps that a computing span stands for at most"});
        f(links, "links", {.help = "From the launch of each average to its merge"});
    }
};

// Errors: a period below 1, a delay outside 0..period, T_c not above 0, a time of the exchange negative or not finite.
[[nodiscard]] Result<RoundForecast> forecastRound(const RoundInput& input);

// The smallest delay at which nothing waits for an average.
[[nodiscard]] int hidingDelay(const RoundInput& input);

}  // namespace dasgd
