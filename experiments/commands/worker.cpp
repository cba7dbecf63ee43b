// `dasgd worker`: one rank. The launcher starts its children with it too, with hidden options.
#include <cstdio>
#include <memory>

#include "experiments/commands/command.h"
#include "experiments/ranks/worker_process.h"
#include "storage/base/workspace.h"

namespace dasgd::experiments {

namespace {

struct WorkerOptions {
    WorkerByHandTask hand;
    ChildTask child;
    bool allowFileSystem = false;
};

int work(WorkerOptions& options) {
    if (!options.child.runId.empty()) {
        options.child.file = options.hand.file;
        options.child.workspace = options.hand.workspace;
        runChild(options.child);
    }
    if (options.child.launcher > 0) dieWith(options.child.launcher);
    const auto environment = readRankEnvironment(processEnvironment);
    if (!environment) return refuse(environment.error());
    if (options.allowFileSystem) {
        if (const Status allowed = storage::allowFileSystem(options.hand.workspace); !allowed) {
            return refuse(allowed.error());
        }
    }
    options.hand.environment = *environment;
    runWorkerByHand(options.hand);
}

Action declareWorker(CLI::App& app) {
    auto options = std::make_shared<WorkerOptions>();
    app.add_option("FILE", options->hand.file, "The experiment, a .toml file")->required();
    addSetOption(app, options->hand.overrides);
    addWorkspaceOption(app, options->hand.workspace);
    addFileSystemOption(app, options->allowFileSystem);
    app.add_flag("--json", options->hand.json, "Rank 0 prints one line of JSON at the end");
    app.add_flag("--resume", options->hand.resume,
                 "Go on with what ended early in the workspace with the same settings");
    CLI::Option* from =
        app.add_option("--from", options->hand.from,
                       "Go on with this run of the workspace, which had FILE's settings, or another number of workers: "
                       "`dasgd resume` says how FILE is made then")
            ->excludes("--resume");
    app.add_option("--step", options->hand.fromStep, "Of --from the checkpoint after this step; default: the newest")
        ->needs(from);
    const std::string hidden;
    app.add_option("--run", options->child.runId)->group(hidden);
    app.add_option("--rank", options->child.rank)->group(hidden);
    app.add_option("--origin", options->child.origin)->group(hidden);
    app.add_option("--launcher", options->child.launcher)->group(hidden);
    app.add_option("--checkpoints", options->child.resume)->group(hidden);
    app.add_option("--from-step", options->child.resumeStep)->group(hidden);
    app.footer(
        "Which rank it is, it learns from RANK WORLD_SIZE LOCAL_RANK MASTER_ADDR MASTER_PORT (torchrun, or by hand),\n"
        "OMPI_*, PMI_* (mpirun) or SLURM_* (srun). DASGD_INTERFACE names the network interface; default: the one "
        "towards\n"
        "MASTER_ADDR. Between hosts the data are sent without authentication: for trusted networks.");
    return [options] { return work(*options); };
}

const CommandRegistry::Add kWorkerEntry{{.order = 30,
                                         .name = "worker",
                                         .summary = "Be one rank, as torchrun, srun or mpirun start it",
                                         .declare = declareWorker}};

}  // namespace

}  // namespace dasgd::experiments
