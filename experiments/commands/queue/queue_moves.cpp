// `dasgd queue hold|release|first|last|up|down`: runs that wait, of the workspace's queue and of other commands.
#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdio>
#include <map>
#include <memory>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/control.h"
#include "experiments/commands/queue/queue_parts.h"
#include "experiments/run/queue/order.h"
#include "experiments/transport/mirror/remote.h"
#include "storage/base/workspace.h"
#include "storage/queue/queue.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

namespace {

using Rows = std::vector<storage::RunRow>;

// A launcher looks ten times a second; on a busy disk its answer takes longer.
constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kPause = std::chrono::milliseconds(20);

struct QueueMoveOptions {
    std::string action, workspace;
    std::vector<std::string> runs;
    bool series = false, json = false;
    WorkAfter after;
};

// Those of other workspaces wait there.
bool waitsInQueue(const storage::RunRow& row) { return row.status == "queued" && row.origin.empty(); }

// The waiting runs, series by series in the order in which these were started, each series in the order of its turns.
Rows waitingRuns(Rows rows) {
    std::erase_if(rows, [](const storage::RunRow& row) { return !waitsInQueue(row); });
    std::ranges::sort(rows, [](const storage::RunRow& a, const storage::RunRow& b) {
        return std::tie(a.series, a.queueTurn, a.seriesPlace) < std::tie(b.series, b.queueTurn, b.seriesPlace);
    });
    return rows;
}

// The runs that are meant, each of them waiting for a launcher that can be asked.
Result<Rows> chosen(storage::RunReader& reader, const QueueMoveOptions& options) {
    DASGD_ASSIGN(const Rows all, reader.list());
    const Rows waiting = waitingRuns(all);
    Rows rows;
    for (const std::string& name : options.runs) {
        DASGD_ASSIGN(const storage::RunRow row, reader.row(name));
        const auto before = rows.size();
        for (const storage::RunRow& other : waiting) {
            const bool meant =
                other.runId == row.runId || (options.series && !row.series.empty() && other.series == row.series);
            if (!meant || std::ranges::find(rows, other.runId, &storage::RunRow::runId) != rows.end()) continue;
            if (!other.queueTurn) {
                return fail(
                    other.runId +
                    (other.series.empty() ? " is about to start" : " is being queued, or was by an older dasgd") +
                    ", and cannot be told yet; try again, or `dasgd stop` it");
            }
            rows.push_back(other);
        }
        if (rows.size() == before && !waitsInQueue(row)) {
            return fail(options.series ? "no run of the series of " + row.runId + " waits"
                                       : row.runId + " is " + row.status + "; only runs that are queued can be told");
        }
    }
    return rows;
}

// Every run whose place or hold is to change, as it is to be.
Rows wanted(const Rows& waiting, const Rows& runs, const std::string& action) {
    Rows changed;
    if (action == "hold" || action == "release") {
        changed = runs;
        for (storage::RunRow& row : changed) row.held = action == "hold";
        return changed;
    }
    std::map<std::string, Rows> queues;
    for (const storage::RunRow& row : waiting) queues[row.series].push_back(row);
    for (const auto& [series, queue] : queues) {
        if (std::ranges::find(runs, series, &storage::RunRow::series) == runs.end()) continue;
        const Rows order = moved(queue, runs, action);
        // From the smallest on: a run's turn goes on to say how many of the series come before it.
        double turn = queue.front().queueTurn.value_or(0);
        for (const storage::RunRow& row : order) {
            changed.push_back(row);
            changed.back().queueTurn = turn++;
        }
    }
    return changed;
}

// Waits until the launchers have done it. A run that has started meanwhile is said.
Status confirm(storage::RunReader& reader, const Rows& changed) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    for (const storage::RunRow& want : changed) {
        for (;;) {
            DASGD_ASSIGN(const storage::RunRow now, reader.row(want.runId));
            if (!waitsInQueue(now)) {
                std::printf("%s does not wait any more: it is %s\n", now.runId.c_str(), now.status.c_str());
                break;
            }
            if (now.held == want.held && now.queueTurn == want.queueTurn) break;
            if (std::chrono::steady_clock::now() > until) {
                return fail("whoever runs " + want.runId +
                            " does not answer; look with `dasgd list` whether it still runs");
            }
            std::this_thread::sleep_for(kPause);
        }
    }
    return {};
}

// Reads the present order from the runs' control pages, because lab.db has an older one.
Status readPages(const storage::WorkspacePaths& paths, Rows& rows, std::map<std::string, RunControl>& pages) {
    for (storage::RunRow& row : rows) {
        DASGD_ASSIGN(RunControl page, RunControl::open(paths.control(row.runId)));
        row.held = page.isHeld();
        row.queueTurn = page.turn();
        pages.emplace(row.runId, std::move(page));
    }
    std::ranges::stable_sort(rows, [](const storage::RunRow& a, const storage::RunRow& b) {
        return std::tie(a.series, a.queueTurn) < std::tie(b.series, b.queueTurn);
    });
    return {};
}

bool isHold(const std::string& action) { return action == "hold" || action == "release"; }

// Changes entries of the workspace's queue. The change is durable even if no process works the queue. `runs` are
// entries that wait.
Status changeEntries(const QueueMoveOptions& options, const Rows& all, const Rows& runs) {
    DASGD_ASSIGN(auto store, storage::QueueStore::open(options.workspace));
    if (isHold(options.action)) {
        std::vector<std::string> ids;
        for (const storage::RunRow& row : runs) ids.push_back(row.runId);
        return store.setHeld(ids, options.action == "hold");
    }
    Rows waiting = waitingRuns(all);
    std::erase_if(waiting, [](const storage::RunRow& row) { return !row.inQueue; });
    std::ranges::sort(waiting, {}, &storage::RunRow::queueTurn);
    DASGD_ASSIGN(const storage::Queue queue, store.read());
    // The places that they have among the entries that run stay theirs together.
    std::vector<double> turns;
    for (const storage::QueueEntry& entry : queue.entries) {
        if (std::ranges::find(waiting, entry.runId, &storage::RunRow::runId) != waiting.end()) {
            turns.push_back(entry.turn);
        }
    }
    std::vector<std::pair<std::string, double>> changed;
    for (const storage::RunRow& row : moved(waiting, runs, options.action)) {
        if (changed.size() < turns.size()) changed.emplace_back(row.runId, turns[changed.size()]);
    }
    return store.setTurns(changed);
}

// Changes the order of commands that run their own series, through the control page of each run.
Status changeSeries(storage::RunReader& reader, const QueueMoveOptions& options, const Rows& all, const Rows& runs) {
    Rows waiting = waitingRuns(all);
    std::erase_if(waiting, [&](const storage::RunRow& row) {
        const bool meant = std::ranges::find(runs, row.series, &storage::RunRow::series) != runs.end();
        return row.inQueue || !meant || !row.queueTurn;
    });
    std::map<std::string, RunControl> pages;
    DASGD_TRY(readPages(storage::WorkspacePaths{options.workspace}, waiting, pages));
    Rows chosenNow;
    for (const storage::RunRow& row : waiting) {
        if (std::ranges::find(runs, row.runId, &storage::RunRow::runId) != runs.end()) chosenNow.push_back(row);
    }
    const Rows changed = wanted(waiting, chosenNow, options.action);
    for (const storage::RunRow& row : changed) {
        RunControl& page = pages.at(row.runId);
        if (isHold(options.action)) {
            page.setHeld(row.held);
        } else {
            page.setTurn(*row.queueTurn);
        }
    }
    return confirm(reader, changed);
}

Status changeQueue(storage::RunReader& reader, const QueueMoveOptions& options) {
    // One at a time: keys of the window start a process each.
    const auto file = storage::WorkspacePaths{options.workspace}.root / "queue.lock";
    DASGD_ASSIGN(const auto lock, storage::FileLock::wait(file, storage::FileLock::Kind::Exclusive));
    DASGD_ASSIGN(Rows runs, chosen(reader, options));
    DASGD_ASSIGN(const Rows all, reader.list());
    const auto ofQueue = std::ranges::stable_partition(runs, [](const storage::RunRow& row) { return !row.inQueue; });
    const Rows entries(ofQueue.begin(), ofQueue.end());
    runs.erase(ofQueue.begin(), ofQueue.end());
    if (!entries.empty()) DASGD_TRY(changeEntries(options, all, entries));
    return runs.empty() ? Status() : changeSeries(reader, options, all, runs);
}

// A workspace of another machine, as storage has it of its runs; empty: this one.
struct Place {
    std::string origin, program;
    auto operator<=>(const Place&) const = default;
};

Result<std::map<Place, std::vector<std::string>>> byPlace(storage::RunReader& reader,
                                                          const std::vector<std::string>& names) {
    std::map<Place, std::vector<std::string>> runs;
    for (const std::string& name : names) {
        DASGD_ASSIGN(const storage::RunRow row, reader.row(name));
        runs[{row.origin, row.originProgram}].push_back(row.runId);
    }
    return runs;
}

// There `dasgd` says itself what comes of it.
int moveThere(const Place& place, const QueueMoveOptions& options, const std::vector<std::string>& runs) {
    std::vector<std::string> words{"queue", options.action};
    words.insert(words.end(), runs.begin(), runs.end());
    if (options.series) words.emplace_back("--series");
    if (options.json) words.emplace_back("--json");
    // In the background: it must not end with the link.
    if (options.after.work) words.insert(words.end(), {"--work", "--background"});
    const auto told = runAtOrigin(place.origin, place.program, std::move(words));
    return told ? *told : refuse({runs.front() + ": " + told.error().message});
}

int moveHere(storage::RunReader& reader, QueueMoveOptions options, const std::vector<std::string>& runs) {
    options.runs = runs;
    if (const Status done = changeQueue(reader, options); !done) return refuse(done.error());
    const Status listed = listQueue(options.workspace, options.json);
    return listed ? static_cast<int>(kFinished) : refuse(listed.error());
}

int moveInQueue(const QueueMoveOptions& options) {
    if (options.runs.empty()) return refuse({"say which runs: dasgd queue " + options.action + " RUN …"});
    auto reader = storage::RunReader::open(options.workspace);
    if (!reader) return refuse(reader.error());
    const auto places = byPlace(*reader, options.runs);
    if (!places) return refuse(places.error());
    int exit = kFinished;
    for (const auto& [place, runs] : *places) {
        const int one = place.origin.empty() ? moveHere(*reader, options, runs) : moveThere(place, options, runs);
        exit = one == kFinished ? exit : one;
    }
    const bool here = places->begin()->first.origin.empty();
    return exit == kFinished && here ? workAfter(options.after, options.workspace) : exit;
}

}  // namespace

Action declareQueueMove(CLI::App& app, const std::string& action) {
    auto options = std::make_shared<QueueMoveOptions>();
    options->action = action;
    app.add_option("RUN", options->runs, "Ids of queued runs, or the beginnings of them");
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--series", options->series, "All runs that wait and were started by the same command");
    app.add_flag("--json", options->json, "One line of JSON a waiting run, in the order in which they start");
    if (action == "release") addWorkAfter(app, options->after);
    return [options] { return moveInQueue(*options); };
}

}  // namespace dasgd::experiments
