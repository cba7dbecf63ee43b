// `dasgd queue add`: runs that wait in the workspace, and outlive whoever put them there.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

#include "core/base/log.h"
#include "core/base/schema/toml_reader.h"
#include "experiments/base/process.h"
#include "experiments/base/text.h"
#include "experiments/commands/queue/queue_parts.h"
#include "experiments/run/queue/enqueue.h"
#include "experiments/run/queue/needs.h"
#include "experiments/run/record/provenance.h"
#include "experiments/run/session/run_series.h"
#include "experiments/transport/mirror/remote.h"
#include "storage/base/workspace.h"

namespace dasgd::experiments {

namespace {

constexpr const char* kStandardInput = "-";

struct QueueAddOptions {
    std::vector<std::string> files;
    std::string workspace;
    std::string at, program = "dasgd";  // of another machine
    Overrides overrides;
    std::optional<int> restarts;
    bool json = false, allowFileSystem = false;
    WorkAfter after;
};

// One experiment file, and all of its sweep.
struct FileToAdd {
    std::filesystem::path folder;
    std::vector<CheckedExperiment> experiments;
};

// Said here, and not refused: the machine that works the queue may be another one.
void warnOfSize(const std::vector<FileToAdd>& files) {
    const auto machine = ownMachine({}, {});
    if (!machine) return;
    const Needs size = machine->size();
    Needs most;
    for (const FileToAdd& file : files) {
        for (const CheckedExperiment& experiment : file.experiments) {
            const Needs needs = needsOf(experiment.resolved);
            most = {std::max(most.cores, needs.cores), std::max(most.gpus, needs.gpus)};
        }
    }
    if (most.cores > size.cores) {
        logLine(LogLevel::Warning, "needs " + inWords({.cores = most.cores}) + ", and this machine has " +
                                       std::to_string(size.cores) +
                                       ": here such a run starts when nothing else trains, on all of them");
    }
    if (most.gpus > size.gpus) {
        logLine(LogLevel::Warning, "needs " + std::to_string(most.gpus) + " GPUs, and this machine has " +
                                       std::to_string(size.gpus) + ": here such a run fails");
    }
}

void report(const std::string& run, const CheckedExperiment& experiment, const std::string& title, bool json) {
    const Needs needs = needsOf(experiment.resolved);
    if (json) {
        const nlohmann::json line = {
            {"run_id", run}, {"title", title}, {"cores", needs.cores}, {"gpus", needs.gpus}, {"status", "queued"}};
        std::printf("%s\n", dumpLine(line).c_str());
    } else {
        std::printf("%s: %s is queued, needs %s\n", printable(title).c_str(), run.c_str(), inWords(needs).c_str());
    }
    std::fflush(stdout);
}

Status addFile(storage::Store& store, const FileToAdd& file, const QueueAddOptions& options) {
    const Provenance provenance = collectProvenance(file.folder);
    SeriesPlace place{.series = {}, .size = static_cast<std::int64_t>(file.experiments.size())};
    for (const CheckedExperiment& experiment : file.experiments) {
        DASGD_ASSIGN(const std::string run, enqueue(store, experiment, provenance, place, options.restarts));
        const auto index = static_cast<std::size_t>(place.place++);
        if (place.series.empty()) place.series = run;
        report(run, experiment, counted(index, file.experiments.size(), titleOf(experiment)), options.json);
    }
    return {};
}

Result<std::string> textOf(const std::string& file) {
    const bool piped = file == kStandardInput;
    if (std::error_code ignored; !piped && !std::filesystem::is_regular_file(file, ignored)) {
        return fail(file + ": there is no such file");
    }
    std::ifstream opened;
    if (!piped) opened.open(file, std::ios::binary);
    std::ostringstream text;
    text << (piped ? std::cin : opened).rdbuf();
    if (!piped && !opened) return fail(file + ": cannot be read");
    if (text.str().empty()) return fail(file + ": there is nothing in it");
    return text.str();
}

Result<std::vector<CheckedExperiment>> experimentsOf(const std::string& file, const Overrides& overrides) {
    if (file != kStandardInput) return loadExperiments(file, overrides);
    DASGD_ASSIGN(const std::string text, textOf(file));
    DASGD_ASSIGN(const Value document, parseToml(text, "standard input"));
    return checkExperiments(document, overrides);
}

// Checks and queues the experiment on the other machine, where its data and paths are.
Result<int> addThere(const QueueAddOptions& options) {
    if (options.files.size() > 1) return fail("--at takes one FILE at a time");
    if (!options.overrides.calibration.empty()) {
        return fail("--calibration names a file of this machine; put what it says into the experiment");
    }
    DASGD_ASSIGN(Remote remote, Remote::of(options.at));
    remote.program = options.program;
    std::vector<std::string> words{"queue", "add", kStandardInput};
    for (const std::string& set : options.overrides.set) words.insert(words.end(), {"--set", set});
    for (const std::string& axis : options.overrides.sweep) words.insert(words.end(), {"--sweep", axis});
    if (options.restarts) words.insert(words.end(), {"--restarts", std::to_string(*options.restarts)});
    if (options.json) words.emplace_back("--json");
    // In the background: it must not end with the link.
    if (options.after.work) words.insert(words.end(), {"--work", "--background"});
    if (options.allowFileSystem) words.emplace_back("--allow-filesystem");
    DASGD_ASSIGN(const std::string text, textOf(options.files.front()));
    return runRemote(remote, words, text);
}

Status addAll(const QueueAddOptions& options) {
    // All of them are checked before the first is written down.
    std::vector<FileToAdd> files;
    for (const std::string& file : options.files) {
        DASGD_ASSIGN(auto experiments, experimentsOf(file, options.overrides));
        files.push_back({std::filesystem::path(file).parent_path(), std::move(experiments)});
    }
    if (options.allowFileSystem) DASGD_TRY(storage::allowFileSystem(options.workspace));
    DASGD_ASSIGN(auto store, storage::Store::open(std::filesystem::absolute(options.workspace)));
    warnOfSize(files);
    for (const FileToAdd& file : files) DASGD_TRY(addFile(store, file, options));
    return {};
}

// A process that is started by it is found by its name.
std::string ownPath() {
    std::error_code ignored;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
    return program.empty() ? "dasgd" : program;
}

// The process becomes `dasgd queue work --until-empty`; it returns only where that fails.
int becomeQueueWorker(const std::string& workspace) {
    std::fflush(stdout);
    std::vector<std::string> words{ownPath(), "queue", "work", "--until-empty", "--workspace", workspace};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv("/proc/self/exe", argv.data());
    return refuse(Error{"cannot start `dasgd queue work`: " + std::generic_category().message(errno)});
}

// It outlives this process and its terminal; its output goes to a log of the workspace.
int startQueueWorker(const std::string& workspace) {
    const std::filesystem::path log = std::filesystem::absolute(workspace) / "logs/queue-work.log";
    if (const Status made = storage::makeOwnFolder(log.parent_path()); !made) return refuse(made.error());
    auto worker = ChildProcess::start(
        {.program = ownPath(), .arguments = {"queue", "work", "--until-empty", "--workspace", workspace}, .log = log});
    if (!worker) return refuse(worker.error());
    worker->leaveAlone();
    return kFinished;
}

}  // namespace

void addWorkAfter(CLI::App& app, WorkAfter& options) {
    app.add_flag("--work", options.work,
                 "Then work the queue until nothing is left that may start, unless somebody does");
    app.add_flag("--background", options.background,
                 "With --work: by a process of its own, which outlives this command; it writes logs/queue-work.log")
        ->needs("--work");
}

int workAfter(const WorkAfter& options, const std::string& workspace) {
    if (!options.work) return kFinished;
    return options.background ? startQueueWorker(workspace) : becomeQueueWorker(workspace);
}

Action declareQueueAdd(CLI::App& app) {
    auto options = std::make_shared<QueueAddOptions>();
    app.add_option("FILE", options->files, "Experiments, .toml files; - for standard input")->required();
    addSetOption(app, options->overrides);
    app.add_option("--sweep", options->overrides.sweep, "Vary a key: --sweep train.seed=1..5")->allow_extra_args(false);
    addCalibrationOption(app, options->overrides.calibration);
    addWorkspaceOption(app, options->workspace);
    addFileSystemOption(app, options->allowFileSystem);
    app.add_option(
           "--restarts", options->restarts,
           "How often a run that fails, or whose process dies, starts again: from its newest checkpoint, or its "
           "beginning (default: 3 times where its process dies, never where it fails by itself)")
        ->check(CLI::Range(0, 1000));
    app.add_flag("--json", options->json, "One line of JSON a run");
    addWorkAfter(app, options->after);
    app.add_option("--at", options->at,
                   "Into the queue of a workspace on another machine, over your ssh: ssh://[user@]host[:port]/folder; "
                   "data and paths are those of that machine");
    app.add_option("--dasgd", options->program, "With --at: the dasgd there, where its shell does not find it")
        ->needs("--at");
    app.footer(
        "The runs wait at the end of the queue, with the settings, the commit and the diff of this moment, whatever "
        "ends\n"
        "meanwhile; `dasgd queue work` trains them. With --at the commit is that of the folder in which ssh begins "
        "there.");
    return [options] {
        if (!options->at.empty()) {
            const auto ended = addThere(*options);
            return ended ? *ended : refuse(ended.error());
        }
        if (const Status added = addAll(*options); !added) return refuse(added.error());
        return workAfter(options->after, options->workspace);
    };
}

}  // namespace dasgd::experiments
