// The parts of `dasgd queue`, a file each.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "experiments/commands/command.h"

namespace dasgd::experiments {

[[nodiscard]] Action declareQueueAdd(CLI::App& app);
[[nodiscard]] Action declareQueueWork(CLI::App& app);
// The process of one run: hidden.
[[nodiscard]] Action declareQueueStart(CLI::App& app);
// `action`: hold, release, first, last, up or down.
[[nodiscard]] Action declareQueueMove(CLI::App& app, const std::string& action);
// Prints what waits and what runs, in the order in which it starts.
[[nodiscard]] Status listQueue(const std::string& workspace, bool json);

struct WorkAfter {
    bool work = false, background = false;
};
// --work: then work the queue until it is empty, where nobody does. --background: by a process of its own.
void addWorkAfter(CLI::App& app, WorkAfter& options);
// Works the queue as the options ask; returns the exit status.
[[nodiscard]] int workAfter(const WorkAfter& options, const std::string& workspace);

}  // namespace dasgd::experiments
