// A command of `dasgd`, and the list of them. A command is one .cpp of this folder that ends in its registration:
//
//   const CommandRegistry::Add kStopEntry{{.order = 40, .name = "stop", .summary = "…", .declare = declareStop}};
//
// `--help` lists it, and main() runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/base/errors.h"
#include "experiments/base/text.h"
#include "experiments/config/sweep.h"

namespace dasgd::experiments {

class RunSession;

// Runs the command; its value is the exit status.
using Action = std::function<int()>;
using Declare = Action (*)(CLI::App& app);

struct Command {
    int order = 0;  // place in the list of --help
    const char* name = "";
    const char* summary = nullptr;  // one line; null: not listed
    Declare declare = nullptr;      // adds the command's options to `app`, before the command line is parsed
};

// Registrations run before main; afterwards the list is read-only.
class CommandRegistry {
public:
    // By their order.
    [[nodiscard]] static const std::vector<Command>& entries();

    struct Add {
        explicit Add(const Command& command);
    };
};

// --workspace, else $DASGD_WORKSPACE, else ./dasgd-workspace.
void addWorkspaceOption(CLI::App& app, std::string& workspace);

// --allow-filesystem, for commands that record into the workspace; to be passed on to storage::allowFileSystem().
void addFileSystemOption(CLI::App& app, bool& allow);

// --calibration FILE; --platform, its former name, is understood and not listed.
void addCalibrationOption(CLI::App& app, std::string& calibration);

// --progress: how far each run is, in lines of JSON on stderr (Progress::Style::Json).
void addProgressOption(CLI::App& app, bool& progress);
// --markdown, of a command that has --json, which it excludes: its text as Markdown.
void addMarkdownOption(CLI::App& app, Markup& markup);

// --set, one assignment each time it is given, and --drop-unknown.
void addSetOption(CLI::App& app, Overrides& overrides);

// Refuses a command that needs its runs whole: until the first of them it is the input that is wrong, from then on
// a run has failed, or was stopped.
int failed(RunSession& session, const Error& error);

}  // namespace dasgd::experiments
