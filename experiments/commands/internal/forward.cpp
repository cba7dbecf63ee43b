// `dasgd forward`: sends what a rank of another host than rank 0's records to the collector there.
#include <signal.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "experiments/base/stop_signals.h"
#include "experiments/commands/command.h"
#include "experiments/ranks/meeting/rank_environment.h"
#include "experiments/transport/records/record_forwarder.h"
#include "storage/base/lock_wait.h"
#include "storage/base/workspace.h"

namespace dasgd::experiments {

namespace {

constexpr std::chrono::seconds kToGiveWay{5};
constexpr std::chrono::milliseconds kGiveWayRest{20};

struct ForwardOptions {
    std::string runId, workspace, endpoint;
    int rank = 0;
    double patience = 60;
    bool instead = false, begun = false;
};

// Those that still try to send the journal elsewhere, as to a collector that is gone.
void endForwarders(const std::filesystem::path& lock, const std::string& runId) {
    for (const int process : storage::flockHolders(lock)) {
        std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
        std::string program, command, run;
        for (std::string* word : {&program, &command, &run}) std::getline(file, *word, '\0');
        if (command == "forward" && run == runId) ::kill(process, SIGTERM);
    }
}

std::string readElsewhere(const std::filesystem::path& journal, const std::filesystem::path& lock) {
    std::string processes;
    for (const int process : storage::flockHolders(lock)) processes += " " + std::to_string(process);
    return "another process" + (processes.empty() ? "" : " (" + processes.substr(1) + ")") + " reads " +
           journal.string() +
           " already: where that is a forwarder to a collector that is gone, --instead ends it and sends in its "
           "place; a collector of this workspace takes the records in by itself";
}

int forward(const ForwardOptions& options) {
    StopSignals signals;
    const auto secret = RunSecret::fromEnvironment(processEnvironment);
    if (!secret) return refuse(secret.error());
    if (!*secret)
        return refuse({std::string(RunSecret::kVariable) + " is not set: without it no collector lets it in"});
    if (!storage::isRunId(options.runId)) return refuse({"'" + options.runId + "' is no id of a run"});
    const storage::WorkspacePaths paths{std::filesystem::absolute(options.workspace)};
    const std::filesystem::path journal = paths.journal(options.runId, options.rank);
    std::error_code error;
    std::filesystem::create_directories(journal.parent_path(), error);
    // Every reader of a journal takes this lock.
    const std::filesystem::path file = journal.string() + ".lock";
    auto lock = storage::FileLock::tryNow(file, storage::FileLock::Kind::Exclusive);
    if (options.instead && lock && !*lock) {
        const auto until = std::chrono::steady_clock::now() + kToGiveWay;
        for (endForwarders(file, options.runId); lock && !*lock && std::chrono::steady_clock::now() < until;) {
            std::this_thread::sleep_for(kGiveWayRest);
            lock = storage::FileLock::tryNow(file, storage::FileLock::Kind::Exclusive);
        }
    }
    if (!lock) return refuse(lock.error());
    if (!*lock) return refuse({readElsewhere(journal, file)});
    (*lock)->sign();
    std::atomic<bool> stop{false};
    const std::jthread watch([&](const std::stop_token& over) {
        while (!over.stop_requested() && !stop) {
            stop = signals.count() > 0;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    });
    const Status sent =
        forwardJournal({.journal = journal,
                        .rank = options.rank,
                        .runId = options.runId,
                        .endpoint = options.endpoint,
                        .patience = std::chrono::milliseconds(static_cast<std::int64_t>(options.patience * 1e3)),
                        .begun = options.begun},
                       **secret, stop);
    if (sent) return kFinished;
    refuse(sent.error());
    return stop ? kStopped : kRunFailed;
}

Action declareForward(CLI::App& app) {
    auto options = std::make_shared<ForwardOptions>();
    app.add_option("RUN", options->runId, "The run's id")->required();
    app.add_option("--rank", options->rank, "Whose journal, in this workspace")
        ->required()
        ->check(CLI::Range(0, (1 << 20) - 1));
    app.add_option("--to", options->endpoint, "Where rank 0's host collects the run: tcp://ADDRESS:PORT")->required();
    addWorkspaceOption(app, options->workspace);
    app.add_option("--patience", options->patience, "Seconds to wait for an answer once the rank has ended")
        ->capture_default_str()
        ->check(CLI::Range(0.1, 1e6));
    app.add_flag("--instead", options->instead, "End another forwarder of this journal first");
    app.add_flag("--begun", options->begun, "The rank has begun to record: without its journal all was sent already");
    app.footer(
        "`dasgd worker` starts it where DASGD_SECRET is set and the rank's workspace is not rank 0's. It ends once "
        "all\n"
        "is in rank 0's lab.db, and removes the journal then. The secret is read from the environment.");
    return [options] { return forward(*options); };
}

const CommandRegistry::Add kForwardEntry{{.order = 31,
                                          .name = "forward",
                                          .summary = "Send what a rank recorded to the collector at rank 0's host",
                                          .declare = declareForward}};

}  // namespace

}  // namespace dasgd::experiments
