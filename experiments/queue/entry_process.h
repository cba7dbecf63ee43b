// The process of one entry of the queue: starts the run that waits there and follows it to its end.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "experiments/base/stop_signals.h"

namespace dasgd::experiments {

// The arguments of the hidden command `dasgd queue start`.
struct EntryTask {
    std::string workspace, run;
    std::string cpus;                 // "0-3": where it runs; "": where the worker does
    std::optional<std::string> gpus;  // as CUDA_VISIBLE_DEVICES, "" for none; nothing: those of the worker
    int worker = 0;                   // its process
};

// Before StopSignals are made: the process is asked to stop, as by SIGTERM, when the worker is gone. Ends it where that
// is so already.
void stopWith(int worker);

// The status of a process that could not have the run: another one has it, or it waits no more. Says nothing of the
// run.
inline constexpr int kNotOurs = 75;

// Takes the run out of the queue's hands and runs it; the status to exit with. What ended it is in its record. Owner:
// main's thread.
[[nodiscard]] int runEntry(const EntryTask& task, StopSignals& signals);

}  // namespace dasgd::experiments
