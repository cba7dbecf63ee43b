// `dasgd queue add`: runs that wait in the workspace, and outlive whoever put them there.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <vector>

#include "core/base/log.h"
#include "experiments/base/text.h"
#include "experiments/commands/queue_parts.h"
#include "experiments/launch/provenance.h"
#include "experiments/launch/run_series.h"
#include "experiments/queue/enqueue.h"
#include "experiments/queue/needs.h"
#include "storage/base/workspace.h"

namespace dasgd::experiments {

namespace {

struct QueueAddOptions {
    std::vector<std::string> files;
    std::string workspace;
    Overrides overrides;
    int restarts = 0;
    bool json = false, work = false, allowFileSystem = false;
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

Status addAll(const QueueAddOptions& options) {
    // All of them are checked before the first is written down.
    std::vector<FileToAdd> files;
    for (const std::string& file : options.files) {
        DASGD_ASSIGN(auto experiments, loadExperiments(file, options.overrides));
        files.push_back({std::filesystem::path(file).parent_path(), std::move(experiments)});
    }
    if (options.allowFileSystem) DASGD_TRY(storage::allowFileSystem(options.workspace));
    DASGD_ASSIGN(auto store, storage::Store::open(std::filesystem::absolute(options.workspace)));
    warnOfSize(files);
    for (const FileToAdd& file : files) DASGD_TRY(addFile(store, file, options));
    return {};
}

}  // namespace

void addWorkOption(CLI::App& app, bool& work) {
    app.add_flag("--work", work, "Then work the queue until nothing is left that may start, unless somebody does");
}

int becomeQueueWorker(const std::string& workspace) {
    std::fflush(stdout);
    // As which it is found by its name, too.
    std::error_code ignored;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
    std::vector<std::string> words{
        program.empty() ? "dasgd" : program, "queue", "work", "--until-empty", "--workspace", workspace};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv("/proc/self/exe", argv.data());
    return refuse(Error{"cannot start `dasgd queue work`: " + std::generic_category().message(errno)});
}

Action declareQueueAdd(CLI::App& app) {
    auto options = std::make_shared<QueueAddOptions>();
    app.add_option("FILE", options->files, "Experiments, .toml files")->required();
    addSetOption(app, options->overrides);
    app.add_option("--sweep", options->overrides.sweep, "Vary a key: --sweep train.seed=1..5")->allow_extra_args(false);
    addCalibrationOption(app, options->overrides.calibration);
    addWorkspaceOption(app, options->workspace);
    addFileSystemOption(app, options->allowFileSystem);
    app.add_option("--restarts", options->restarts,
                   "How often a run that fails starts again: from its newest checkpoint, or its beginning")
        ->check(CLI::Range(0, 1000));
    app.add_flag("--json", options->json, "One line of JSON a run");
    addWorkOption(app, options->work);
    app.footer(
        "The runs wait at the end of the queue, with the settings, the commit and the diff of this moment, whatever "
        "ends\n"
        "meanwhile; `dasgd queue work` trains them.");
    return [options] {
        if (const Status added = addAll(*options); !added) return refuse(added.error());
        return options->work ? becomeQueueWorker(options->workspace) : static_cast<int>(kFinished);
    };
}

}  // namespace dasgd::experiments
