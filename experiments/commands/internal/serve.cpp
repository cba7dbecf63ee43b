// `dasgd serve --stdio`: tells the runs of a workspace to the mirror that started it over ssh.
#include <unistd.h>

#include <chrono>
#include <memory>

#include "experiments/base/stop_signals.h"
#include "experiments/commands/command.h"
#include "experiments/transport/mirror/mirror_server.h"

namespace dasgd::experiments {

namespace {

struct ServeCommand {
    std::string workspace;
    double interval = 0.2;
    bool stdio = false;
};

int serve(const ServeCommand& command) {
    StopSignals signals;
    if (::isatty(STDOUT_FILENO) == 1) {
        return refuse({"what it says is for `dasgd mirror`, which starts it by itself on the other machine"});
    }
    const MirrorServerOptions options{
        .workspace = command.workspace,
        .interval = std::chrono::milliseconds(static_cast<std::int64_t>(command.interval * 1000))};
    const Status served = serveMirror(options, STDIN_FILENO, STDOUT_FILENO, signals);
    if (!served) return refuse(served.error());
    return kFinished;
}

Action declareServe(CLI::App& app) {
    auto command = std::make_shared<ServeCommand>();
    app.add_flag("--stdio", command->stdio, "Over standard input and output; there is no other way")->required();
    addWorkspaceOption(app, command->workspace);
    app.add_option("--interval", command->interval, "Seconds between two looks for something new")
        ->capture_default_str()
        ->check(CLI::Range(0.01, 3600.0));
    app.footer(
        "`dasgd mirror ssh://HOST/WORKSPACE` starts it on HOST through your ssh and reads what it says; nothing\n"
        "listens. It only reads the workspace, and ends when its standard input does.");
    return [command] { return serve(*command); };
}

const CommandRegistry::Add kServeEntry{{.order = 118, .name = "serve", .declare = declareServe}};

}  // namespace

}  // namespace dasgd::experiments
