#include "experiments/commands/command.h"

#include <algorithm>

#include "experiments/base/text.h"
#include "experiments/run/session/run_session.h"

namespace dasgd::experiments {

namespace {
std::vector<Command>& registeredCommands() {
    static std::vector<Command> all;
    return all;
}
}  // namespace

const std::vector<Command>& CommandRegistry::entries() { return registeredCommands(); }

CommandRegistry::Add::Add(const Command& command) {
    std::vector<Command>& all = registeredCommands();
    const auto after =
        std::find_if(all.begin(), all.end(), [&](const Command& other) { return other.order > command.order; });
    all.insert(after, command);
}

void addWorkspaceOption(CLI::App& app, std::string& workspace) {
    workspace = "dasgd-workspace";
    const auto named = [](const std::string& folder) {
        return folder.empty() ? "a folder has to be named, as --workspace lab" : std::string();
    };
    app.add_option("-w,--workspace", workspace, "Folder of runs and records (default ./dasgd-workspace)")
        ->envname("DASGD_WORKSPACE")
        ->check(named);
}

void addFileSystemOption(CLI::App& app, bool& allow) {
    app.add_flag("--allow-filesystem", allow,
                 "Record into the workspace although its file system may be shared by hosts; remembered there");
}

void addCalibrationOption(CLI::App& app, std::string& calibration) {
    app.add_option("--calibration", calibration, "Run on this virtual cluster instead, as dasgd calibrate writes it");
    app.add_option("--platform", calibration)->group("");
}

void addProgressOption(CLI::App& app, bool& progress) {
    app.add_flag("--progress", progress, "Progress as lines of JSON on stderr, for programs");
}

void addMarkdownOption(CLI::App& app, Markup& markup) {
    app.add_flag_callback(
           "--markdown", [&markup] { markup = Markup::Markdown; }, "The text as Markdown, with tables as GitHub's")
        ->excludes("--json");
}

void addSetOption(CLI::App& app, Overrides& overrides) {
    app.add_option("-s,--set", overrides.set, "Change a key: --set algorithm.period=8")->allow_extra_args(false);
    app.add_flag("--drop-unknown", overrides.dropUnknown,
                 "After --set algorithm.name=... (or model, data, ...): leave out the fields of the old one");
}

int failed(RunSession& session, const Error& error) {
    const int wrongInput = refuse(error);
    if (session.stopped()) return kStopped;
    return session.begun() ? static_cast<int>(kRunFailed) : wrongInput;
}

}  // namespace dasgd::experiments
