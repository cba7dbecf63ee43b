// `dasgd recover`: takes in what killed processes left behind.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "experiments/commands/command.h"
#include "storage/base/workspace.h"
#include "storage/write/recorder.h"

namespace dasgd::experiments {

namespace {

int recover(const std::string& workspace) {
    // Where there is no workspace, none is made.
    std::error_code ignored;
    if (!std::filesystem::exists(storage::WorkspacePaths{workspace}.database(), ignored)) {
        return refuse(Error{"there is no workspace in " + workspace + " (no lab.db), so nothing to recover"});
    }
    const auto store = storage::Store::open(workspace);
    if (!store) return refuse(store.error());
    std::printf("%d run%s taken in whose processes are gone\n", store->recovered(), store->recovered() == 1 ? "" : "s");
    return kFinished;
}

Action declareRecover(CLI::App& app) {
    auto workspace = std::make_shared<std::string>();
    addWorkspaceOption(app, *workspace);
    app.footer(
        "A run whose processes were killed is read to the end of its journals and gets its last state, and a deletion\n"
        "that was killed is ended. `dasgd run` does the same before it starts; runs under way are left alone.");
    return [workspace] { return recover(*workspace); };
}

const CommandRegistry::Add kRecoverEntry{
    {.order = 47, .name = "recover", .summary = "Take in runs whose processes were killed", .declare = declareRecover}};

}  // namespace

}  // namespace dasgd::experiments
