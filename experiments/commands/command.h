// The commands of `dasgd`: each declares its options and says what to do when it is chosen. One .cpp each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/base/errors.h"

namespace dasgd::experiments {

class RunSession;

// Runs the command; its value is the exit status.
using Action = std::function<int()>;
using Declare = Action (*)(CLI::App& app);

struct Command {
    const char* name;
    const char* summary;  // null: not listed
    Declare declare;
};

Action declareRun(CLI::App& app);
Action declareScale(CLI::App& app);
Action declareWorker(CLI::App& app);
Action declareStop(CLI::App& app);
Action declareAdvise(CLI::App& app);
Action declareCalibrate(CLI::App& app);
Action declareReplay(CLI::App& app);
Action declareList(CLI::App& app);
Action declareShow(CLI::App& app);
Action declareCompare(CLI::App& app);
Action declareExport(CLI::App& app);
Action declareDescribe(CLI::App& app);
Action declareDoctor(CLI::App& app);
Action declareCheckPlatform(CLI::App& app);

// --workspace, else $DASGD_WORKSPACE, else ./dasgd-workspace.
void addWorkspaceOption(CLI::App& app, std::string& workspace);

// --calibration FILE; --platform, its former name, is understood and not listed.
void addCalibrationOption(CLI::App& app, std::string& calibration);

// --set, one assignment each time it is given.
void addSetOption(CLI::App& app, std::vector<std::string>& assignments);

// Refuses a command that needs its runs whole: until the first of them it is the input that is wrong, from then on
// a run has failed, or was stopped.
int failed(RunSession& session, const Error& error);

}  // namespace dasgd::experiments
