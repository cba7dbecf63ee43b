// `dasgd mirror`: the runs of a workspace on another machine, in one of this machine, live.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/log.h"
#include "experiments/base/stop_signals.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/transport/mirror/mirror_client.h"

namespace dasgd::experiments {

namespace {

struct MirrorCommand {
    std::string remote, workspace, program = "dasgd";
    double interval = 0.2;
    bool once = false, json = false, owned = false;
};

const char* wordOf(MirrorNews::State state) {
    switch (state) {
        case MirrorNews::State::Connected: return "connected";
        case MirrorNews::State::CaughtUp: return "up to date";
        default: return "lost";
    }
}

std::string countOf(const MirrorNews& news) {
    return std::to_string(news.records) + " records of " + std::to_string(news.runs) + " run" +
           (news.runs == 1 ? "" : "s");
}

void tellNews(const MirrorNews& news, const Remote& remote, bool json) {
    if (json) {
        nlohmann::ordered_json line{
            {"mirror", remote.url()}, {"state", wordOf(news.state)}, {"records", news.records}, {"runs", news.runs}};
        if (news.state == MirrorNews::State::Lost) {
            line["why"] = news.why;
            line["again_s"] = static_cast<double>(news.again.count()) / 1000;
        }
        std::printf("%s\n", dumpLine(line).c_str());
        std::fflush(stdout);
        return;
    }
    if (news.state == MirrorNews::State::Lost) {
        logLine(LogLevel::Warning, printable(news.why) + "; connects again in " +
                                       duration(static_cast<double>(news.again.count()) / 1000));
    } else if (news.state == MirrorNews::State::Connected) {
        logLine(LogLevel::Info, "connected to " + printable(remote.url()));
    } else {
        logLine(LogLevel::Info, "up to date; taken so far: " + countOf(news));
    }
}

int mirror(const MirrorCommand& command) {
    StopSignals signals;
    auto remote = Remote::of(command.remote);
    if (!remote) return refuse(remote.error());
    remote->program = command.program;
    const Remote where = *remote;
    const MirrorOptions options{
        .remote = where,
        .workspace = command.workspace,
        .owner = command.owned ? STDIN_FILENO : -1,
        .once = command.once,
        .intervalS = command.interval,
        .news = [&](const MirrorNews& news) { tellNews(news, where, command.json); },
        .said = [&](const std::string& line) { logLine(LogLevel::Info, printable(where.target) + ": " + line); }};
    const Status kept = keepMirror(options, signals);
    if (!kept) {
        refuse(kept.error());
        return kRunFailed;
    }
    return signals.count() > 0 ? kStopped : kFinished;
}

Action declareMirror(CLI::App& app) {
    auto command = std::make_shared<MirrorCommand>();
    app.add_option("WORKSPACE", command->remote,
                   "ssh://[user@]host[:port]/folder, /~/folder in the home folder there, or host:folder")
        ->required();
    addWorkspaceOption(app, command->workspace);
    app.add_option("--dasgd", command->program, "The dasgd there, where its shell does not find it: ~/bin/dasgd");
    app.add_option("--interval", command->interval, "Seconds between two looks for something new there")
        ->capture_default_str()
        ->check(CLI::Range(0.01, 3600.0));
    app.add_flag("--once", command->once, "End once everything is here that is there now");
    app.add_flag("--while-input", command->owned, "End once standard input is closed, for programs that start it");
    app.add_flag("--json", command->json, "One line of JSON whenever the connection changes");
    app.footer(
        "It runs `dasgd serve` there through your ssh, with your keys, configuration and jump hosts ($DASGD_SSH names\n"
        "another program); nothing listens. After a lost connection it goes on where it was; each record lands once.\n"
        "Runs that are here from elsewhere stay as they are. `dasgd stop` and `dasgd resume` of such a run are done\n"
        "there; `dasgd queue add FILE --at WORKSPACE` brings new ones there. Of files it brings experiment.toml and "
        "the\n"
        "logs. Ends with Ctrl-C.");
    return [command] { return mirror(*command); };
}

const CommandRegistry::Add kMirrorEntry{{.order = 117,
                                         .name = "mirror",
                                         .summary = "The runs of a workspace on another machine, live, over ssh",
                                         .declare = declareMirror}};

}  // namespace

}  // namespace dasgd::experiments
