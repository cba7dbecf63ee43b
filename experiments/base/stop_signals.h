// SIGINT and SIGTERM as something to wait for, instead of something that ends us; SIGHUP ignored, so that a run
// outlives its terminal. Made once, in main's thread, before any other thread: they inherit the blocked mask.
#pragma once

#include <atomic>
#include <string>

#include "core/base/result.h"
#include "experiments/base/process.h"

namespace dasgd::experiments {

class StopSignals {
public:
    // Whether a second one counts: whoever stops a process of ours may do it twice without meaning more by it.
    enum class Repeats { Count, Ignore };
    explicit StopSignals(Repeats repeats = Repeats::Count);
    // Readable when a signal came.
    [[nodiscard]] int fd() const { return fd_.get(); }
    // Takes in what came since; returns how many in all.
    int count();
    // How many of those were SIGINT: of a person at the terminal.
    [[nodiscard]] int interrupts() const { return interrupts_; }
    // Whether SIGTERM came, with which batch systems take the machine away. Any thread.
    [[nodiscard]] bool isTerminated() const { return terminated_; }

private:
    Descriptor fd_;
    Repeats repeats_;
    int count_ = 0, interrupts_ = 0;
    std::atomic<bool> terminated_ = false;
};

// What the record says of a run that stopped, with `error` of its ranks: "ended by SIGTERM, as what is preempted" where
// that came; it does not tell who sent it.
[[nodiscard]] std::string stopInWords(const StopSignals& signals, const std::string& error);

}  // namespace dasgd::experiments
