// The forecast of a plan, as `dasgd run FILE --dry-run --json` prints it in its last line and the window reads it: each
// distinct round of the planned runs, and how long the runs take. Plain data; one visit names and explains every field.
// Seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/round_forecast.h"

namespace dasgd {

// A setting proposed for the experiment's text.
struct RemedySetting {
    std::string symbol, key, toml;  // "d", "algorithm.delay", "5"

    void visit(auto&& f) {
        f(symbol, "symbol", {});
        f(key, "key", {});
        f(toml, "toml", {});
    }
};

struct ForecastCase {
    std::string label;  // "d = 3" in a sweep over it; the algorithm if there is only one case
    std::string algorithm;
    std::string why;                        // reason why there is no forecast; "" if there is one
    std::vector<std::int64_t> runs;         // indices of the planned runs with this round, from 0
    std::optional<RoundForecast> round;     // nullopt: `why` says the reason
    std::optional<RoundForecast> remedy;    // with the smallest delay that hides all, where the present one does not
    std::vector<RemedySetting> settings;    // settings of the remedy: the delay, then the period if it must change
    std::vector<std::string> decisive;      // keys that the remedy depends on
    double bytes = 0;                       // that leave a worker in one exchange
    std::string computeFrom, exchangeFrom;  // sources of T_c and T_m
    std::vector<std::string> assumes;       // assumptions, in sentences
    std::string warning;                    // "14.0 ms per round will not hide; d ≥ 6 would."; "" if nothing blocks
    std::string doubt;                      // why T_m may be wrong, in sentences; "" where nothing is known
    std::string reason;                     // the times compared: "3 steps take 16.2 ms, the average 30.2 ms."
    std::string words;                      // the whole forecast in sentences, or `why`
    std::optional<double> seconds;          // duration of all of its runs; nullopt where that of one is not known

    [[nodiscard]] bool known() const { return round.has_value(); }

    void visit(auto&& f) {
        f(label, "label", {.help = "Settings that tell it from the other cases; else the algorithm"});
        f(algorithm, "algorithm", {});
        f(runs, "runs", {.help = "Places of its runs among the lines above, from 0"});
        f(why, "why_not", {.help = "Why there is no forecast; empty if there is one"});
        f(round, "round", {.help = "One round by formula; null: why_not says the reason"});
        f(remedy, "remedy",
          {.help = "The round with the smallest delay that hides all, where the present one does not"});
        f(settings, "remedy_settings", {.help = "Settings of the remedy, in TOML"});
        f(decisive, "remedy_depends_on", {.help = "Keys that the remedy depends on"});
        f(bytes, "bytes", {.help = "Bytes that leave a worker in one exchange"});
        f(computeFrom, "compute_from", {.help = "Source of T_c"});
        f(exchangeFrom, "exchange_from", {.help = "Source of T_m"});
        f(assumes, "assumes", {.help = "Assumptions, in sentences"});
        f(warning, "warning", {.help = "Time that will not hide, and the setting that would hide it"});
        f(doubt, "doubt", {.help = "Why T_m may be wrong"});
        f(reason, "reason", {.help = "The times that were compared"});
        f(words, "words", {.help = "All of it in sentences"});
        f(seconds, "runs_s", {.help = "Duration of all of its runs; null where that of one is not known"});
    }
};

struct PlanForecast {
    std::vector<ForecastCase> cases;  // in the order of the plan
    std::int64_t first = 0;           // the case to look at first: the longest wait that a setting can end
    std::string takes, takesFrom;     // "about 6 min 12 s", and the sources of that

    void visit(auto&& f) {
        f(cases, "cases", {.help = "Each distinct round of the planned runs"});
        f(first, "first", {.help = "Place of the case whose wait is the longest that a setting can end"});
        f(takes, "takes", {.help = "How long all runs take one after the other"});
        f(takesFrom, "takes_from", {.help = "Source of that, and what it leaves out"});
    }
};

}  // namespace dasgd
