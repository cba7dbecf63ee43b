// The `dasgd` command: which commands there are. What each does is in commands/.
#include <array>
#include <optional>

#include "experiments/commands/command.h"

namespace {

using namespace dasgd::experiments;

constexpr std::array kCommands{
    Command{"run", "Train an experiment, and all of its sweep, with worker processes on this host", declareRun},
    Command{"scale", "Train it at several numbers of workers: speed-up, efficiency, time to target", declareScale},
    Command{"worker", "Be one rank, as torchrun, srun or mpirun start it", declareWorker},
    Command{"stop", "Stop a run: all ranks at one and the same step", declareStop},
    Command{"advise", "Which delay and period a cluster asks for, what each algorithm would take, and why",
            declareAdvise},
    Command{"calibrate", "Measure the cluster at hand and write it down as a calibration", declareCalibrate},
    Command{"replay", "A recorded run again on a virtual cluster: its own, or another", declareReplay},
    Command{"list", "The runs of a workspace", declareList},
    Command{"show", "Everything that is known of a run", declareShow},
    Command{"compare", "Configurations side by side, mean and spread over their seeds", declareCompare},
    Command{"export", "A run as CSV files, or its timeline as a Chrome/Perfetto trace", declareExport},
    Command{"describe", "Every key of an experiment file: type, default, range", declareDescribe},
    Command{"doctor", "Check this machine and the workspace", declareDoctor},
    Command{"check-platform", nullptr, declareCheckPlatform},
};

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"DaSGD Lab: distributed SGD whose communication hides behind computation", "dasgd"};
    app.require_subcommand(1);
    app.failure_message(CLI::FailureMessage::simple);
    app.set_version_flag("--version", DASGD_VERSION);
    app.footer("Exit status: 0 finished, 1 a run failed, 2 wrong experiment or command line, 130 stopped.");
    Action chosen;
    for (const Command& command : kCommands) {
        CLI::App* sub = app.add_subcommand(command.name, command.summary ? command.summary : "");
        if (!command.summary) sub->group("");
        sub->callback([&chosen, action = command.declare(*sub)] { chosen = action; });
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kFinished : kWrongInput;
    }
    return chosen();
}
