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
    std::string cpus;                 // CPUs on which it runs, as "0-3"; "": those of the worker
    std::optional<std::string> gpus;  // CUDA_VISIBLE_DEVICES, "" for no GPU; nullopt: the GPUs of the worker
    int worker = 0;                   // process id of the worker
};

// Makes the kernel send SIGTERM to this process when the worker ends; ends the process where the worker has ended
// already. Precondition: StopSignals are not made yet.
void stopWith(int worker);

// Exit status of a process that could not take the run out of the queue, because another process owns it or it waits no
// more. It is no result of the run.
inline constexpr int kNotOurs = 75;

// Takes the run out of the queue, runs it to its end and returns the status with which to exit. The record of the run
// has the reason of its end. Owner: the main thread.
[[nodiscard]] int runEntry(const EntryTask& task, StopSignals& signals);

}  // namespace dasgd::experiments
