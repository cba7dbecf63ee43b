// Losses on their way into the records. Asking for the loss of a step right after the step would make a device idle
// until the host has launched the next one; here each is read when it is known, which on a device may be many steps
// later: between two evaluations the host never waits for it, and is ahead as far as the driver allows.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>

#include "core/base/event.h"
#include "core/base/ids.h"
#include "core/train/steps/later_value.h"

namespace dasgd {

struct Diverged : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// Throws Diverged, naming rank and step, where `loss` is NaN or infinite.
void throwIfDiverged(const Metric& loss, Rank rank);

class LossQueue {
public:
    // Called with `value` filled in, everything else as it was when the loss was pushed.
    using Record = std::function<void(const Metric&)>;

    // Adds the loss of the step just made; `at` gives step, instant, samples and bytes. Its name is a literal.
    void push(const Metric& at, std::unique_ptr<LaterValue> loss);
    // Records, oldest first, the losses that are ready. Waits for none, unless more than kMostInFlight are not ready.
    void readReady(const Record& record) { read(kMostInFlight, record); }
    // Records all, and waits for them.
    void readAll(const Record& record) { read(0, record); }

    // More steps than a driver lets the host be ahead: a bound on memory.
    static constexpr std::size_t kMostInFlight = 4096;

private:
    struct Entry {
        Metric at;
        std::unique_ptr<LaterValue> loss;
    };
    // Up to `kept` losses may stay behind if they are not ready.
    void read(std::size_t kept, const Record& record);

    std::deque<Entry> entries_;
};

}  // namespace dasgd
