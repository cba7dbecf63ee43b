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

// --work: then work the queue until it is empty, where nobody does.
void addWorkOption(CLI::App& app, bool& work);
// The process becomes `dasgd queue work --until-empty`. Returns only where that fails: the status to exit with.
[[nodiscard]] int becomeQueueWorker(const std::string& workspace);
// One of its own does, which outlives this one and its terminal; its output goes to a log of the workspace.
[[nodiscard]] int startQueueWorker(const std::string& workspace);

}  // namespace dasgd::experiments
