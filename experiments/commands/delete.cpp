// `dasgd delete`: runs that have ended leave the workspace for good.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "storage/read/run_reader.h"
#include "storage/write/store.h"

namespace dasgd::experiments {

namespace {

struct DeleteOptions {
    std::vector<std::string> runs;
    std::string workspace;
    bool dryRun = false;
};

// Each once.
Result<std::vector<std::string>> idsOf(const DeleteOptions& options) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(options.workspace));
    std::vector<std::string> ids;
    for (const std::string& run : options.runs) {
        DASGD_ASSIGN(const storage::RunRow row, reader.row(run));
        if (std::ranges::find(ids, row.runId) == ids.end()) ids.push_back(row.runId);
    }
    return ids;
}

std::string countOf(std::size_t runs) { return std::to_string(runs) + (runs == 1 ? " run" : " runs"); }

Status deleteRuns(const DeleteOptions& options) {
    DASGD_ASSIGN(const std::vector<std::string> ids, idsOf(options));
    DASGD_ASSIGN(auto store, storage::Store::open(options.workspace));
    // None is deleted where one of them may not be.
    for (const std::string& id : ids) DASGD_TRY(store.checkDeletable(id));
    std::uintmax_t bytes = 0;
    if (options.dryRun) {
        for (const std::string& id : ids) bytes += storage::bytesOfFiles(store.paths().run(id));
        std::printf("%s would be deleted, with %s of files; nothing was\n", countOf(ids.size()).c_str(),
                    byteCount(static_cast<double>(bytes)).c_str());
        return {};
    }
    for (const std::string& id : ids) {
        DASGD_ASSIGN(const std::uintmax_t freed, store.deleteRun(id));
        bytes += freed;
        std::printf("%s is deleted\n", id.c_str());
        std::fflush(stdout);
    }
    const auto compacted = store.compact();
    if (compacted) bytes += compacted->value_or(0);
    std::printf("%s deleted, %s freed\n", countOf(ids.size()).c_str(), byteCount(static_cast<double>(bytes)).c_str());
    if (!compacted) std::printf("the room in lab.db stays for later records: %s\n", compacted.error().message.c_str());
    if (compacted && !*compacted) std::puts("the room in lab.db stays for later records, as runs are under way");
    return {};
}

Action declareDelete(CLI::App& app) {
    auto options = std::make_shared<DeleteOptions>();
    app.add_option("RUN", options->runs, "Run ids, or the beginnings of them")->required();
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--dry-run", options->dryRun, "Say what would be deleted, and how large its files are");
    app.footer(
        "Records, notes, checkpoints, logs and artefacts of the runs are gone for good, and their room on the disk is\n"
        "free. Runs that are under way, wait, or are resumed by one under way are refused, and then nothing is "
        "deleted.\n"
        "A mirrored run comes again with the next `dasgd mirror`. `dasgd note --archive` only takes runs out of the "
        "lists.");
    return [options] {
        const Status done = deleteRuns(*options);
        return done ? static_cast<int>(kFinished) : refuse(done.error());
    };
}

const CommandRegistry::Add kDeleteEntry{
    {.order = 48, .name = "delete", .summary = "Delete runs that have ended, for good", .declare = declareDelete}};

}  // namespace

}  // namespace dasgd::experiments
