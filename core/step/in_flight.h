// Transfers that leave in one step and are used in a later one: under way, or awaited by a save and kept until then.
//
//   launch, or begin and add → await → finish        drop() in place of the last two
//
// One exchange at a time. Owner: the rank's training thread. What waits throws CommError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/comm/pending.h"

namespace dasgd {

class Archive;
class StepContext;

// A compressed transfer. It codes its messages, waits for them and saves them itself.
class CodedTransfer {
public:
    virtual ~CodedTransfer() = default;
    // Waits for all messages; returns at once where none is under way.
    virtual void arrive(StepContext& context) = 0;
    // Called once the messages are decoded, in time-only runs too: the exchange is over.
    virtual void finish() = 0;
    // Called in place of everything after the launch: the messages are dropped.
    virtual void drop(StepContext& context) = 0;
    // Number of the collective that was awaited last.
    [[nodiscard]] virtual std::uint64_t collective() const = 0;
};

class InFlight {
public:
    // True from begin() to finish() or drop().
    [[nodiscard]] bool any() const { return state_ != State::None; }
    [[nodiscard]] bool isCoded() const { return state_ == State::Coded; }
    [[nodiscard]] std::int64_t launchedAt() const { return launchedAt_; }  // step
    // Number of the collective of a part that has been awaited. 0: none, as of messages and of parts that were loaded.
    [[nodiscard]] std::uint64_t collective(std::size_t part = 0) const;

    // The parts that follow leave in the present step. `coded`: they are CodedTransfers, except what leaves beside
    // them.
    void begin(const StepContext& context, bool coded = false);
    // Takes a part, with a payload of `bytes`, and returns its number: 0, 1, …
    std::size_t add(Pending transfer, std::int64_t bytes);
    // `coded` lives until finish() or drop(). Called behind load() too, where that says isCoded().
    std::size_t add(CodedTransfer& coded);
    // begin() and add() for transfers of `bytes` each. There may be none, where a rank has nobody to send to.
    void launch(const StepContext& context, std::vector<Pending> transfers, std::int64_t bytes);

    // Waits for all parts, or for one, unless they have been awaited.
    void await(StepContext& context);
    void await(StepContext& context, std::size_t part);
    // Ends the exchange, which was used in the present step, and records metrics::kStalenessSteps.
    void finish(StepContext& context);
    // Ends the exchange, and neither waits nor records.
    void end();
    // Ends the exchange where what it brings is not used, or its age means nothing. Waits for what is under way.
    void drop(StepContext& context);

    // Waits, but for coded parts, which are kept as their messages. The tensors of the exchange are the caller's to
    // save.
    void save(StepContext& context, Archive& archive);
    // Called on a new object. Errors: an integer is missing.
    [[nodiscard]] Status load(const Archive& archive);

private:
    enum class State : std::uint8_t { None, Whole, Coded };
    struct Part {
        Pending pending = {};  // empty once awaited
        std::int64_t bytes = 0;
        std::uint64_t collective = 0;
        CodedTransfer* coded = nullptr;  // null: travels whole
    };

    State state_ = State::None;
    std::int64_t launchedAt_ = 0;
    std::vector<Part> parts_;  // none behind a load() of what travelled whole
};

}  // namespace dasgd
