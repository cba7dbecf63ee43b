// `dasgd import`: traces of other programs, exported ones of ours, and other workspaces, as runs of the workspace.
#include <signal.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/base/stop_signals.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/tools/traces/import/trace_import.h"
#include "experiments/transport/mirror/workspace_import.h"

namespace dasgd::experiments {

namespace {

struct ImportCommand {
    std::vector<std::string> files;
    std::string workspace, name;
    bool json = false, checkpoints = false;
};

void printCounts(const char* title, const TraceCounts& counts) {
    for (const auto& [what, times] : counts) {
        std::printf("  %s %lld %s\n", title, static_cast<long long>(times), printable(what).c_str());
    }
}

void print(const ImportOutcome& outcome) {
    std::printf("%s: %lld spans of %d rank%s, %lld step%s, from a trace of %s\n", outcome.runId.c_str(),
                static_cast<long long>(outcome.spans), outcome.ranks, outcome.ranks == 1 ? "" : "s",
                static_cast<long long>(outcome.steps), outcome.steps == 1 ? "" : "s",
                outcome.format == "other" ? "another program" : outcome.format.c_str());
    for (const std::string& sentence : outcome.stopped)
        std::printf("  not read to its end: %s\n", printable(sentence).c_str());
    printCounts("dropped:", outcome.dropped);
    printCounts("left out:", outcome.leftOut);
    printCounts("to know:", outcome.remarks);
    if (outcome.steps == 0) {
        std::printf(
            "  it names no steps: the timeline and what a selection adds up to are there, no number of the run\n");
    }
}

void printJson(const ImportOutcome& outcome) {
    const nlohmann::ordered_json line{{"run", outcome.runId},       {"format", outcome.format},
                                      {"ranks", outcome.ranks},     {"spans", outcome.spans},
                                      {"steps", outcome.steps},     {"dropped_count", outcome.droppedCount()},
                                      {"dropped", outcome.dropped}, {"left_out", outcome.leftOut},
                                      {"remarks", outcome.remarks}, {"stopped", outcome.stopped}};
    std::printf("%s\n", dumpLine(line).c_str());
}

int importFiles(const ImportCommand& command) {
    int told = -1;
    ImportOptions options{.workspace = command.workspace, .name = command.name};
    for (const std::string& file : command.files) options.files.emplace_back(file);
    options.progress = [&](double share) {
        const int percent = static_cast<int>(share * 100);
        if (!command.json || percent == std::exchange(told, percent)) return;
        std::printf("{\"progress\":%d}\n", percent);
        std::fflush(stdout);
    };
    // Whoever reads the progress may go away; the import goes on.
    ::signal(SIGPIPE, SIG_IGN);
    // Until there is a run in the workspace, SIGTERM may simply end us.
    std::optional<StopSignals> signals;
    options.cancelled = [&signals] {
        if (!signals) signals.emplace();
        return signals->count() > 0;
    };
    const auto outcome = importTraces(options);
    if (!outcome) return refuse(outcome.error());
    if (command.json) {
        printJson(*outcome);
    } else {
        print(*outcome);
    }
    return kFinished;
}

void print(const WorkspaceImportOutcome& outcome) {
    const auto runs = [](std::size_t count) { return std::to_string(count) + " run" + (count == 1 ? "" : "s"); };
    std::printf("%s with %lld new records\n", runs(outcome.runs.size()).c_str(),
                static_cast<long long>(outcome.records));
    for (const std::string& run : outcome.passedOver) {
        std::printf("  left as it is, for it is here already and not from there: %s\n", printable(run).c_str());
    }
    for (const std::string& file : outcome.notCopied) std::printf("  not copied: %s\n", printable(file).c_str());
    if (outcome.cancelled) std::printf("  not to its end: the same command goes on where it stopped\n");
}

int importOther(const ImportCommand& command) {
    StopSignals signals;
    const auto outcome = importWorkspace({.from = command.files.front(),
                                          .workspace = command.workspace,
                                          .checkpoints = command.checkpoints,
                                          .cancelled = [&] { return signals.count() > 0; }});
    if (!outcome) return refuse(outcome.error());
    if (command.json) {
        const nlohmann::ordered_json line{{"runs", outcome->runs},
                                          {"records", outcome->records},
                                          {"passed_over", outcome->passedOver},
                                          {"not_copied", outcome->notCopied},
                                          {"cancelled", outcome->cancelled}};
        std::printf("%s\n", dumpLine(line).c_str());
    } else {
        print(*outcome);
    }
    if (outcome->cancelled) return kStopped;
    return outcome->notCopied.empty() ? kFinished : kRunFailed;
}

int importAny(const ImportCommand& command) {
    for (const std::string& file : command.files) {
        if (!isWorkspaceOrDatabase(file)) continue;
        if (command.files.size() == 1 && command.name.empty()) return importOther(command);
        return refuse({printable(file) + " is a workspace: import it on its own, and without --name"});
    }
    return importFiles(command);
}

Action declareImport(CLI::App& app) {
    auto command = std::make_shared<ImportCommand>();
    app.add_option("FILE", command->files,
                   "Chrome JSON (.json, .json.gz), PyTorch profiler (one file a rank) or Perfetto (.pftrace); or\n"
                   "another workspace: its folder, a copy of it, or a lab.db")
        ->required();
    addWorkspaceOption(app, command->workspace);
    app.add_option("--name", command->name, "Name of the experiment; by default that of the first file");
    app.add_flag("--checkpoints", command->checkpoints,
                 "Of a workspace also checkpoints and models, which are large, to resume its runs here");
    app.add_flag("--json", command->json, "Progress and outcome as lines of JSON");
    app.footer(
        "Of another workspace everything that is recorded comes, each record once however often it is imported, and\n"
        "experiment.toml, logs and artefacts. Runs that are here already and not from there stay as they are.");
    return [command] { return importAny(*command); };
}

const CommandRegistry::Add kImportEntry{{.order = 115,
                                         .name = "import",
                                         .summary = "Traces of other programs, or another workspace's runs",
                                         .declare = declareImport}};

}  // namespace

}  // namespace dasgd::experiments
