#include "experiments/commands/command.h"

#include "experiments/base/text.h"
#include "experiments/launch/run_session.h"

namespace dasgd::experiments {

void addWorkspaceOption(CLI::App& app, std::string& workspace) {
    workspace = "dasgd-workspace";
    app.add_option("-w,--workspace", workspace, "Folder of runs and records (default ./dasgd-workspace)")
        ->envname("DASGD_WORKSPACE");
}

void addCalibrationOption(CLI::App& app, std::string& calibration) {
    app.add_option("--calibration", calibration, "Run on this virtual cluster instead, as dasgd calibrate writes it");
    app.add_option("--platform", calibration)->group("");
}

void addSetOption(CLI::App& app, std::vector<std::string>& assignments) {
    app.add_option("-s,--set", assignments, "Change a key: --set algorithm.period=8")->allow_extra_args(false);
}

int failed(RunSession& session, const Error& error) {
    const int wrongInput = refuse(error);
    if (session.stopped()) return kStopped;
    return session.begun() ? static_cast<int>(kRunFailed) : wrongInput;
}

}  // namespace dasgd::experiments
