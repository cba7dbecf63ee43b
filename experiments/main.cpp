// The `dasgd` command. What each of its commands does is in commands/, where they register themselves.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "experiments/commands/command.h"

using namespace dasgd::experiments;

namespace {

int run(int argc, char** argv) {
    endOnUncaughtExceptions();
    // A file that reaches the limit of `ulimit -f` is an error of its write, as on a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    CLI::App app{"DaSGD Lab: distributed SGD whose communication hides behind computation", "dasgd"};
    app.require_subcommand(1);
    app.failure_message(CLI::FailureMessage::simple);
    app.set_version_flag("--version", DASGD_VERSION);
    app.footer("Exit status: 0 finished, 1 a run failed, 2 wrong experiment or command line, 130 stopped.");
    Action chosen;
    for (const Command& command : CommandRegistry::entries()) {
        CLI::App* sub = app.add_subcommand(command.name, command.summary ? command.summary : "");
        if (!command.summary) sub->group("");
        sub->callback([&chosen, action = command.declare(*sub)] { chosen = action; });
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return statusOfOutput(app.exit(error) == 0 ? kFinished : kWrongInput);
    }
    try {
        return statusOfOutput(chosen());
    } catch (...) {
        return failUnexpectedly();
    }
}

}  // namespace

// Without the destructors of static objects: LibTorch takes a tenth of a second to take its operators off their list.
int main(int argc, char** argv) {
    const int status = run(argc, argv);
    std::fflush(nullptr);
    std::_Exit(status);
}
