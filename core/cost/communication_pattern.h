// Communication pattern of an algorithm, in the terms of cost.h and step_time.h: what it sends, and when it waits.
// Declared beside the algorithm's registration, and read wherever a time is computed without a run. Plain data and pure
// functions; seconds and bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/cost/compressed_exchange.h"
#include "core/cost/cost.h"
#include "core/cost/step_time.h"

namespace dasgd {

// A number of a pattern: the value of the algorithm's own field that `field` names, else `value`. A field that is true
// or false counts as 1 or 0.
struct PatternNumber {
    PatternNumber(double number = 0) : value(number) {}  // NOLINT(google-explicit-constructor): so that a pattern reads
    [[nodiscard]] bool operator==(const PatternNumber&) const = default;
    std::string field;
    double value;
};
[[nodiscard]] inline PatternNumber ofField(std::string field) {
    PatternNumber number;
    number.field = std::move(field);
    return number;
}

// Value of a field with which the pattern's formula does not hold; `unless`: any other value of it.
struct PatternLimit {
    std::string field, value, why;
    bool unless = false;
};

// Passes over the memory of the weights that an algorithm makes for a compressed exchange, beside the operator's own
// and those of an exchange that travels whole.
struct CodingPasses {
    double encode = 0, decode = 0;
};

// Coding that an algorithm does itself, whatever [compression] says, in two stages: each rank averages a part of the
// vector, whose messages it receives in an all-to-all, codes the mean again, and sends it to all in an all-gather. In
// passes over the memory of the whole vector, those of the algorithm's snapshot and merge included. Scales of tensors
// within a message are left out.
struct OwnCoding {
    double share = 1;  // of the vector's bytes, in a message of all of it
    double encode = 0, recode = 0, decode = 0;
    double recodeOfPart = 0;  // between the stages too, over the rank's own part
};

// Short runs that `dasgd advise` makes of an algorithm, beside the time by formula that it gives of every one.
// Algorithms that send nothing are always run: they are the reference for all others.
//  None      none
//  Buckets   with its field bucket_mb at several sizes, of which the best is kept
//  Messages  with its defaults, where messages share links; in a time-only run
//  Blocking  at the published period of DaSGD and at the advised one
//  Advised   the advised merge, and others around it, in the fields period, delay, local_weight, correction and
//            snapshot_at_zero of core/algorithms/averaging/dasgd.cpp; of one algorithm
enum class ForecastRole : std::uint8_t { None, Buckets, Messages, Blocking, Advised };

//  Undeclared  nothing is known
//  NoFormula   there is none, for the reason `why`
//  None        nothing is sent
//  Gradients   all gradients are averaged in every step, in buckets that leave during the backward pass
//  Averages    after every τ/F steps share/F of the weights leave, and are merged d steps later: an all-reduce, or with
//              q > 0 one message to each of q peers at once (no more than there are other workers), or with n > 0 a
//              push to n servers, the last ranks, which hold a shard each, and a pull of what they make of it. After
//              the first k₀ steps only, which are those of Gradients.
struct CommunicationPattern {
    enum class Kind : std::uint8_t { Undeclared, NoFormula, None, Gradients, Averages };
    Kind kind = Kind::Undeclared;
    std::string why = {};                     // for NoFormula
    PatternNumber period = 1;                 // τ
    PatternNumber delay;                      // d; the field of the period where an average takes a whole one
    PatternNumber fragments = 1;              // F
    PatternNumber share = 1;                  // share of the weights' bytes, 0 … 1
    PatternNumber peers;                      // q; 0: all-reduce
    PatternNumber servers;                    // n; 0: all ranks train
    PatternNumber gradientSteps;              // k₀
    PatternNumber firstBucketMb;              // for Gradients: up to so many MiB leave at once, after the backward pass
    bool delayBelowInterval = false;          // d < τ/F; otherwise d ≤ τ/F
    std::optional<std::int64_t> mostDelay{};  // where the field of d ends early
    std::vector<PatternLimit> limits = {};
    std::optional<CodingPasses> coding{};   // of an algorithm whose compressed exchanges have a formula
    std::optional<OwnCoding> ownCoding{};   // of its averages
    std::string whyNoCoding = {};           // reason why those of one that compresses have none
    std::vector<std::string> assumes = {};  // sentences: assumptions behind a time by this pattern
    ForecastRole forecast = ForecastRole::None;
};

// The patterns that most algorithms have.
[[nodiscard]] CommunicationPattern noFormula(std::string why);
[[nodiscard]] CommunicationPattern averagesEvery(PatternNumber period, PatternNumber delay = {});
[[nodiscard]] inline CommunicationPattern withCoding(CodingPasses coding, CommunicationPattern pattern) {
    pattern.coding = coding;
    return pattern;
}
[[nodiscard]] inline CommunicationPattern withoutCoding(std::string why, CommunicationPattern pattern) {
    pattern.whyNoCoding = std::move(why);
    return pattern;
}
[[nodiscard]] inline CommunicationPattern withForecast(ForecastRole role, CommunicationPattern pattern) {
    pattern.forecast = role;
    return pattern;
}
// optimizer_state = "average" sends more than the weights; the pattern does not know how much.
[[nodiscard]] PatternLimit averagedStateLimit();

// Value that a configuration gives a field of the algorithm, as TOML without quotes; nullopt where it gives none.
using PatternValues = std::function<std::optional<std::string>(const std::string& field)>;

// A pattern with the values of one configuration: the exchange that repeats in steady state.
struct CommunicationRound {
    bool sends = true;
    bool gradients = false;       // `sends` during the backward pass
    std::int64_t period = 1;      // steps from one exchange to the next
    std::int64_t delay = 0;       // 0 … period
    std::int64_t fragments = 1;   // number of exchanges in one period of the algorithm
    double share = 1;             // share of the weights' bytes in one exchange
    std::int64_t peers = 0;       // 0: all-reduce
    std::int64_t servers = 0;     // number of ranks that do not train
    double firstBucketBytes = 0;  // for `gradients`
    // What is exchanged in place of `share`; its passes include the algorithm's.
    std::optional<CompressedExchange> compressed = std::nullopt;
    std::optional<OwnCoding> ownCoding = std::nullopt;  // withMessages() makes `compressed` of it
    std::vector<std::string> assumes = {};
};
// The round of weights of `bytes` on `ranks`: exchanges that the algorithm codes itself become messages. One rank
// codes nothing.
[[nodiscard]] CommunicationRound withMessages(CommunicationRound round, double bytes, int ranks);

// `steps` of the run decide which side of k₀ is described; 0: not known, the later one. `compressed`: what
// [compression] makes of an exchange of all weights; null: nothing is compressed. Errors, in words and without the
// algorithm's name: NoFormula and Undeclared, a limit, a field without a number, a delay that does not fit its period,
// compressed exchanges without a formula.
[[nodiscard]] Result<CommunicationRound> roundOf(const CommunicationPattern& pattern, const PatternValues& values,
                                                 std::int64_t steps, const CompressedExchange* compressed = nullptr);

// Seconds of one exchange of a round, for weights of `bytes`; `ranks` includes the servers. A push and a pull of P
// workers at once take 2(α + max(P/n, 1)·Sβ), as a server's port carries P shards of S/n and a worker's n. Coding goes
// over memory at a rate of `memoryBytesPerSecond`; 0: its time is left out. Precondition: no coding of the algorithm's
// own is left (withMessages()).
[[nodiscard]] ExchangeSeconds exchangeSeconds(const CommunicationRound& round, const AllReduceKind& kind,
                                              const LinkCost& link, double bytes, int ranks,
                                              double memoryBytesPerSecond = 0);
// Bytes that a rank puts on the wire in one exchange of all ranks, an all-reduce being a ring. For rounds without peers
// and servers.
[[nodiscard]] std::int64_t sentInExchange(const CommunicationRound& round, std::int64_t bytes, int ranks);
// Seconds of a step in steady state, by exchangeStepSeconds(): gradients, which leave at once after the backward pass,
// are averages with τ = 1 and d = 0. Does not hold for gradients in more than one bucket.
[[nodiscard]] double roundStepSeconds(const CommunicationRound& round, double compute, const ExchangeSeconds& exchange,
                                      double contention = 0);

// The smallest value of the period's own field with which a delay of `delay` is allowed.
[[nodiscard]] std::int64_t periodFor(const CommunicationPattern& pattern, const CommunicationRound& round,
                                     std::int64_t delay);
// All fields that the pattern reads, each once.
[[nodiscard]] std::vector<std::string> fieldsOf(const CommunicationPattern& pattern);

}  // namespace dasgd
