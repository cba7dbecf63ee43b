// `dasgd stop`: requests through the shared page that all ranks of a run stop at one step.
#include <sys/file.h>

#include <fcntl.h>
#include <cstdio>
#include <memory>

#include "core/base/control.h"
#include "experiments/base/process.h"
#include "experiments/commands/command.h"
#include "storage/recorder.h"
#include "storage/run_reader.h"

namespace dasgd::experiments {

namespace {

struct StopOptions {
    std::string run, workspace;
};

// Whoever collects a run holds a lock on its owner file.
bool hasOwner(const std::filesystem::path& ownerFile) {
    const Descriptor file(::open(ownerFile.c_str(), O_RDONLY | O_CLOEXEC));
    return file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;
}

Result<std::string> requestStop(const StopOptions& options) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(options.workspace));
    DASGD_ASSIGN(const storage::RunDetail detail, reader.run(options.run));
    const std::string& id = detail.row.runId;
    const storage::WorkspacePaths paths{options.workspace};
    if (detail.row.status != "running" && detail.row.status != "queued") {
        return fail(id + " is " + detail.row.status + ", there is nothing to stop");
    }
    if (!hasOwner(paths.owner(id))) {
        return fail(id +
                    " runs no more: its launcher died. The next `dasgd run` in this workspace takes in its records");
    }
    DASGD_ASSIGN(RunControl control, RunControl::open(paths.control(id)));
    control.requestStop();
    return id;
}

Action declareStop(CLI::App& app) {
    auto options = std::make_shared<StopOptions>();
    app.add_option("RUN", options->run, "Run id, or the beginning of one")->required();
    addWorkspaceOption(app, options->workspace);
    return [options] {
        const auto id = requestStop(*options);
        if (!id) return refuse(id.error());
        std::printf("%s stops at its next step\n", id->c_str());
        return static_cast<int>(kFinished);
    };
}

const CommandRegistry::Add kStopEntry{
    {.order = 40, .name = "stop", .summary = "Stop a run: all ranks at one and the same step", .declare = declareStop}};

}  // namespace

}  // namespace dasgd::experiments
