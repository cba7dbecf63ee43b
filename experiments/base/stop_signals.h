// Takes SIGINT, SIGTERM, SIGUSR1 and SIGUSR2 through a descriptor instead of letting them end the process, and ignores
// SIGHUP, so that a run outlives its terminal. Batch systems send SIGTERM, SIGUSR1 or SIGUSR2 before they take a
// machine away. Made once, in the main thread, before any other thread, because threads inherit the blocked mask.
#pragma once

#include <atomic>
#include <string>

#include "core/base/result.h"
#include "experiments/base/process.h"

namespace dasgd::experiments {

class StopSignals {
public:
    // Count: a second Ctrl-C asks for the end at once. Ignore: it means nothing more, because the process that stops
    // this one may signal twice.
    enum class Repeats { Count, Ignore };
    explicit StopSignals(Repeats repeats = Repeats::Count);
    // Readable when a signal came.
    [[nodiscard]] int fd() const { return fd_.get(); }
    // Reads the signals that came since the last call; returns the number of all signals so far.
    int count();
    // True after a second SIGINT, by which a person at the terminal gives up what is still being saved. Batch systems
    // send several of the other signals (SIGUSR1, then SIGTERM) and mean one stop. Takes in what came since.
    [[nodiscard]] bool mustEndNow();
    // True after a signal with which batch systems announce that they take the machine away. Any thread.
    [[nodiscard]] bool isTerminated() const { return terminatedBy_ != 0; }
    // The last of these signals; 0 if none came. Any thread.
    [[nodiscard]] int terminatedBy() const { return terminatedBy_; }

private:
    Descriptor fd_;
    Repeats repeats_;
    int count_ = 0, interrupts_ = 0;
    std::atomic<int> terminatedBy_ = 0;
};

// The recorded reason why a run stopped, with the `error` of its ranks: "ended by SIGTERM, as what is preempted" after
// SIGTERM, SIGUSR1 or SIGUSR2, whoever sent it.
[[nodiscard]] std::string stopInWords(const StopSignals& signals, const std::string& error);

}  // namespace dasgd::experiments
