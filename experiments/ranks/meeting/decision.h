// A decision of all ranks on one matter, through the store at which they met: every rank says something, rank 0 makes
// one answer of what all have said, and every rank hears it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/comm/gloo/rendezvous.h"

namespace dasgd::experiments {

// One of the ranks that meet. `store` outlives what is made with it.
struct Seat {
    Rendezvous& store;
    int rank = 0, size = 1;
    // How long nothing may come or move. The others wait some seconds longer than rank 0, to hear why it gave up.
    std::chrono::milliseconds patience{60'000};
};

// Owner: one thread.
class Decision {
public:
    struct Options {
        // Grows while files are on their way to rank 0's host, or from there: then it is waited for longer. Asked of
        // rank 0 alone, from which the others hear it. Null where none can be.
        std::function<std::int64_t()> moved = nullptr;
        // A key whose value, once a rank has set it, is the reason why nobody waits any longer. "": none.
        std::string refusal = "";
        // A check that is soon over: the patience is of all words together, and rank 0 stays until those that said
        // something have read the answer, whatever it is.
        bool brief = false;
    };
    // `matter`: the same on all ranks, each decided once in a run.
    Decision(const Seat& seat, std::string matter, Options options);
    Decision(const Seat& seat, std::string matter) : Decision(seat, std::move(matter), Options()) {}

    // Says `own`, a text or why this rank cannot go on, and returns the answer. `decide` is called on rank 0, which
    // asks saidBy() for what the others have said; its error is told to all as well. Errors: the own one, at once;
    // rank 0's; no answer came within the patience, or the refusal. Rank 0, whose process may serve the store, waits a
    // few seconds until those that wait for an error have read it.
    using Decide = std::function<Result<std::string>()>;
    Result<std::string> reach(const Result<std::string>& own, const Decide& decide);

    // The parts of reach(). On rank 0: what `rank` has said. Errors: its own; it said nothing within the patience.
    Result<std::string> saidBy(int rank);
    Status say(const Result<std::string>& own);

private:
    [[nodiscard]] std::string key(const char* what) const { return matter_ + "/" + what; }
    [[nodiscard]] std::string key(const char* what, int rank) const { return key(what) + "/" + std::to_string(rank); }
    Result<std::string> lead(const Result<std::string>& own, const Decide& decide);
    Result<std::string> follow(const Result<std::string>& own);
    // The value of a key. Errors: it did not come.
    Result<std::string> await(const std::string& key);
    [[nodiscard]] bool moves();
    void passOn();

    const Seat seat_;
    const std::string matter_;
    const Options options_;
    std::chrono::steady_clock::time_point heard_;  // when something came or moved last
    std::chrono::steady_clock::time_point passedOn_;
    std::int64_t moved_ = 0;  // on rank 0, as of then
    int passed_ = 0;          // how often rank 0 has told that something came or moved
    std::vector<int> known_;  // ranks that have said something
};

}  // namespace dasgd::experiments
