// `dasgd queue`: the runs that wait, in the order in which they start; holds, releases and moves them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>
#include <vector>

#include "core/base/control.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/report/run_summary.h"
#include "storage/base/workspace.h"
#include "storage/run_reader.h"

namespace dasgd::experiments {

namespace {

using Rows = std::vector<storage::RunRow>;

// A launcher looks ten times a second; on a busy disk its answer takes longer.
constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kPause = std::chrono::milliseconds(20);

struct QueueOptions {
    std::string action = "list", workspace;
    std::vector<std::string> runs;
    bool series = false, json = false;
};

bool waits(const storage::RunRow& row) { return row.status == "queued"; }

// What waits, series by series in the order in which they were started, each in the order of its turns.
Rows waitingRuns(Rows rows) {
    std::erase_if(rows, [](const storage::RunRow& row) { return !waits(row); });
    std::ranges::sort(rows, [](const storage::RunRow& a, const storage::RunRow& b) {
        return std::tie(a.series, a.queueTurn, a.seriesPlace) < std::tie(b.series, b.queueTurn, b.seriesPlace);
    });
    return rows;
}

// The runs that are meant, each of them waiting for a launcher that can be asked.
Result<Rows> chosen(storage::RunReader& reader, const QueueOptions& options) {
    DASGD_ASSIGN(const Rows all, reader.runs());
    const Rows waiting = waitingRuns(all);
    Rows rows;
    for (const std::string& name : options.runs) {
        DASGD_ASSIGN(const storage::RunRow row, reader.row(name));
        const auto before = rows.size();
        for (const storage::RunRow& other : waiting) {
            const bool meant = other.runId == row.runId || (options.series && other.series == row.series);
            const bool known = std::ranges::find(rows, other.runId, &storage::RunRow::runId) != rows.end();
            if (!meant || known) continue;
            if (!other.queueTurn) {
                return fail(
                    other.runId +
                    (other.series.empty() ? " is about to start" : " is being queued, or was by an older dasgd") +
                    ", and cannot be told yet; try again, or `dasgd stop` it");
            }
            rows.push_back(other);
        }
        if (rows.size() == before && !waits(row)) {
            return fail(options.series ? "no run of the series of " + row.runId + " waits"
                                       : row.runId + " is " + row.status + "; only runs that are queued can be told");
        }
    }
    return rows;
}

// Of one series, as it is to be.
Rows moved(const Rows& queue, const Rows& runs, const std::string& action) {
    const auto isMoved = [&](const storage::RunRow& row) {
        return std::ranges::find(runs, row.runId, &storage::RunRow::runId) != runs.end();
    };
    Rows order = queue;
    if (action == "first") {
        std::ranges::stable_partition(order, isMoved);
    } else if (action == "last") {
        std::ranges::stable_partition(order, [&](const storage::RunRow& row) { return !isMoved(row); });
    } else if (action == "up") {
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (isMoved(order[i]) && !isMoved(order[i - 1])) std::swap(order[i], order[i - 1]);
        }
    } else {
        for (std::size_t i = order.size(); i-- > 1;) {
            if (isMoved(order[i - 1]) && !isMoved(order[i])) std::swap(order[i], order[i - 1]);
        }
    }
    return order;
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
            if (!waits(now)) {
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

void print(const Rows& waiting, bool json) {
    if (!json && waiting.empty()) std::fputs("nothing waits\n", stdout);
    TextTable table({"run", "experiment", "turn", "", "algorithm", "seed", "workers"});
    for (const std::size_t column : {1, 3, 4}) table.leftAlign(column);
    for (const storage::RunRow& row : waiting) {
        if (json) {
            std::printf("%s\n", dumpLine(toJson(row)).c_str());
            continue;
        }
        // Of a launcher that cannot be asked for another order there is none.
        const std::string turn =
            !row.queueTurn ? std::string()
                           : std::to_string(std::llround(*row.queueTurn) + 1) + " of " + std::to_string(row.seriesSize);
        table.add({printable(row.runId), printable(row.experiment), turn, row.held ? "held" : "",
                   printable(row.algorithm), std::to_string(row.seed), std::to_string(row.workers)});
    }
    if (!json && !waiting.empty()) std::fputs(table.toString().c_str(), stdout);
}

// As it is now: what lab.db has of it is some time old.
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

Status change(storage::RunReader& reader, const QueueOptions& options) {
    const storage::WorkspacePaths paths{options.workspace};
    // One at a time: keys of the window start a process each.
    DASGD_ASSIGN(const auto lock,
                 storage::FileLock::wait(paths.root / "queue.lock", storage::FileLock::Kind::Exclusive));
    DASGD_ASSIGN(const Rows runs, chosen(reader, options));
    DASGD_ASSIGN(const Rows all, reader.runs());
    Rows waiting = waitingRuns(all);
    std::erase_if(waiting, [&](const storage::RunRow& row) {
        return std::ranges::find(runs, row.series, &storage::RunRow::series) == runs.end() || !row.queueTurn;
    });
    std::map<std::string, RunControl> pages;
    DASGD_TRY(readPages(paths, waiting, pages));
    Rows chosenNow;
    for (const storage::RunRow& row : waiting) {
        if (std::ranges::find(runs, row.runId, &storage::RunRow::runId) != runs.end()) chosenNow.push_back(row);
    }
    const Rows changed = wanted(waiting, chosenNow, options.action);
    const bool holds = options.action == "hold" || options.action == "release";
    for (const storage::RunRow& row : changed) {
        RunControl& page = pages.at(row.runId);
        if (holds) {
            page.setHeld(row.held);
        } else {
            page.setTurn(*row.queueTurn);
        }
    }
    return confirm(reader, changed);
}

Status queue(const QueueOptions& options) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(options.workspace));
    if (options.action != "list") {
        if (options.runs.empty()) return fail("say which runs: dasgd queue " + options.action + " RUN …");
        DASGD_TRY(change(reader, options));
    }
    DASGD_ASSIGN(const Rows rows, reader.runs());
    print(waitingRuns(rows), options.json);
    return {};
}

Action declareQueue(CLI::App& app) {
    auto options = std::make_shared<QueueOptions>();
    app.add_option("ACTION", options->action,
                   "list; hold: do not start; release: start in its turn; first, last, up, down: move in the queue")
        ->check(CLI::IsMember({"list", "hold", "release", "first", "last", "up", "down"}));
    app.add_option("RUN", options->runs, "Ids of queued runs, or the beginnings of them");
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--series", options->series, "All runs that wait and were started by the same command");
    app.add_flag("--json", options->json, "One line of JSON a waiting run, in the order in which they start");
    app.footer(
        "The runs of one command start one after the other. One that is held is passed over; where all are held,\n"
        "their command waits. `dasgd stop` takes a run out of the queue. The runs of another command start beside "
        "them,\n"
        "those of `dasgd run --queue` when all that train or wait have ended, but for those that are held.");
    return [options] {
        const Status done = queue(*options);
        return done ? kFinished : refuse(done.error());
    };
}

const CommandRegistry::Add kQueueEntry{{.order = 45,
                                        .name = "queue",
                                        .summary = "The runs that wait: list, hold, release, move",
                                        .declare = declareQueue}};

}  // namespace

}  // namespace dasgd::experiments
