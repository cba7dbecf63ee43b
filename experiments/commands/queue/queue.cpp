// `dasgd queue`: the runs that wait, in the order in which they start, and its parts (queue_parts.h).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <vector>

#include "experiments/base/text.h"
#include "experiments/commands/queue/queue_parts.h"
#include "experiments/run/queue/expectation.h"
#include "experiments/run/queue/needs.h"
#include "experiments/tools/report/run_summary.h"
#include "storage/queue/queue.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

namespace {

struct QueueLine {
    storage::RunRow row;
    std::optional<storage::QueueEntry> entry;  // entry in the workspace's queue; nullopt: the run has none
    Expectation expected;
    std::size_t waiting = 0;  // number of runs that wait in the workspace's queue
};

// First the workspace's queue, from what runs on; then what waits for other commands, series by series in the order in
// which they were started.
std::vector<QueueLine> linesOf(const std::vector<storage::RunRow>& rows, const storage::Queue& queue) {
    std::map<std::string, Expectation> expected = expectationsOf(queue, rows);
    std::vector<QueueLine> lines;
    const auto waiting = static_cast<std::size_t>(
        std::ranges::count(queue.entries, std::string("queued"), &storage::QueueEntry::status));
    for (const storage::QueueEntry& entry : queue.entries) {
        const auto row = std::ranges::find(rows, entry.runId, &storage::RunRow::runId);
        if (row != rows.end()) lines.push_back({*row, entry, expected[entry.runId], waiting});
    }
    std::ranges::stable_partition(lines, [](const QueueLine& line) { return line.entry->status != "queued"; });
    const std::size_t ofQueue = lines.size();
    for (const storage::RunRow& row : rows) {
        if (row.status == "queued" && !row.inQueue) lines.push_back({.row = row});
    }
    std::sort(lines.begin() + static_cast<std::ptrdiff_t>(ofQueue), lines.end(),
              [](const QueueLine& a, const QueueLine& b) {
                  return std::tie(a.row.series, a.row.queueTurn, a.row.seriesPlace) <
                         std::tie(b.row.series, b.row.queueTurn, b.row.seriesPlace);
              });
    return lines;
}

// A place in the queue, or the run of a sweep that its own launcher starts in its own order, as the window says it. Of
// a launcher that cannot be asked for another order there is none.
std::string turnText(const QueueLine& line) {
    if (line.entry && line.row.status != "queued") return line.row.status == "running" ? "runs" : "goes on";
    if (!line.row.queueTurn) return {};
    const auto of = line.entry ? static_cast<std::int64_t>(line.waiting) : line.row.seriesSize;
    return (line.entry ? "" : "run ") + std::to_string(std::llround(*line.row.queueTurn) + 1) + " of " +
           std::to_string(of);
}

std::string secondsText(const QueueLine& line, const std::optional<double>& seconds) {
    return !line.entry ? "" : seconds ? duration(*seconds) : "not known";
}

// "1x, interrupted; 2 left".
std::string restartsText(const QueueLine& line) {
    const std::string words = restartedWords(line.row);
    if (words.empty() || !line.entry) return printable(words);
    return printable(words) + "; " + std::to_string(line.entry->restarts) + " left";
}

void printJsonLine(const QueueLine& line) {
    nlohmann::json json = toJson(line.row);
    if (line.entry) {
        json["cores"] = line.entry->cores;
        json["gpus"] = line.entry->gpus;
        json["restarts"] = line.entry->restarts;
        json["after_failure"] = line.entry->afterFailure;
        json["left_s"] = jsonNumber(line.expected.left);
        json["ends_in_s"] = jsonNumber(line.expected.endsIn);
    }
    std::printf("%s\n", dumpLine(json).c_str());
}

void printTable(const std::vector<QueueLine>& lines) {
    TextTable table(
        {"run", "experiment", "turn", "", "algorithm", "seed", "workers", "needs", "left", "ends in", "restarted"});
    for (const std::size_t column : {1, 3, 4, 7, 10}) table.leftAlign(column);
    for (const QueueLine& line : lines) {
        const storage::RunRow& row = line.row;
        const std::string needs =
            line.entry ? inWords(Needs{.cores = line.entry->cores, .gpus = line.entry->gpus}) : "";
        table.add({printable(row.runId), printable(row.experiment), turnText(line), row.held ? "held" : "",
                   printable(row.algorithm), std::to_string(row.seed), std::to_string(row.workers), needs,
                   secondsText(line, line.expected.left), secondsText(line, line.expected.endsIn), restartsText(line)});
    }
    std::fputs(table.toString().c_str(), stdout);
}

void printState(const storage::Queue& queue, const std::string& worker) {
    if (queue.paused) std::fputs("the queue is paused; `dasgd queue resume` lets runs start\n", stdout);
    if (!worker.empty()) {
        std::printf("worked by process %s, %d at a time\n", printable(worker).c_str(), queue.atOnce);
    } else if (!queue.entries.empty()) {
        std::fputs("nobody works the queue; `dasgd queue work` does, and `ends in` is from when it starts\n", stdout);
    }
}

Status setPaused(const std::string& workspace, bool paused) {
    DASGD_ASSIGN(auto store, storage::QueueStore::open(workspace));
    return store.setPaused(paused);
}

struct QueueListOptions {
    std::string workspace;
    bool json = false;
    WorkAfter after;
};

Action declareQueueList(CLI::App& app, const std::shared_ptr<QueueListOptions>& options) {
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "One line of JSON a waiting run, in the order in which they start");
    return [options] {
        const Status listed = listQueue(options->workspace, options->json);
        return listed ? static_cast<int>(kFinished) : refuse(listed.error());
    };
}

Action declarePause(CLI::App& app, bool paused) {
    auto options = std::make_shared<QueueListOptions>();
    addWorkspaceOption(app, options->workspace);
    if (!paused) addWorkAfter(app, options->after);
    return [options, paused] {
        if (const Status done = setPaused(options->workspace, paused); !done) return refuse(done.error());
        std::fputs(paused ? "the queue is paused: what runs goes on, nothing starts\n" : "the queue goes on\n", stdout);
        return workAfter(options->after, options->workspace);
    };
}

struct QueuePart {
    const char* name;
    const char* summary;
    Action (*declare)(CLI::App& app);
};
constexpr QueuePart kQueueParts[]{
    {"list", "What runs and waits, its turn, and how long it takes",
     [](CLI::App& app) { return declareQueueList(app, std::make_shared<QueueListOptions>()); }},
    {"add", "Let the runs of experiments wait at the end", declareQueueAdd},
    {"work", "Train what waits, one run after another or several at once", declareQueueWork},
    {"hold", "Runs do not start", [](CLI::App& app) { return declareQueueMove(app, "hold"); }},
    {"release", "They start in their turn", [](CLI::App& app) { return declareQueueMove(app, "release"); }},
    {"first", "Move runs to the front", [](CLI::App& app) { return declareQueueMove(app, "first"); }},
    {"last", "Move runs to the end", [](CLI::App& app) { return declareQueueMove(app, "last"); }},
    {"up", "Move each by one to the front", [](CLI::App& app) { return declareQueueMove(app, "up"); }},
    {"down", "Move each by one to the end", [](CLI::App& app) { return declareQueueMove(app, "down"); }},
    {"pause", "Nothing starts; what runs goes on", [](CLI::App& app) { return declarePause(app, true); }},
    {"resume", "Runs start again", [](CLI::App& app) { return declarePause(app, false); }},
    {"start", "", declareQueueStart}};

Action declareQueue(CLI::App& app) {
    const auto own = std::make_shared<QueueListOptions>();
    const Action list = declareQueueList(app, own);
    std::vector<std::pair<CLI::App*, Action>> parts;
    for (const QueuePart& part : kQueueParts) {
        CLI::App* sub = app.add_subcommand(part.name, part.summary);
        if (*part.summary == '\0') sub->group("");
        parts.emplace_back(sub, part.declare(*sub));
    }
    app.require_subcommand(0, 1);
    app.footer(
        "`queue add` writes runs down that wait in the workspace, whatever ends meanwhile; `queue work` trains them, "
        "each\n"
        "when the cores and GPUs that it needs are free. `dasgd stop RUN` takes one out. `dasgd run` runs its own "
        "series\n"
        "itself: those that wait are listed, held and moved here too, and end with it.");
    return [parts, list, own, &app] {
        for (const auto& [sub, action] : parts) {
            if (!sub->parsed()) continue;
            // It has options of its own, and would take the default folder. The environment is the same for both.
            const char* environment = std::getenv("DASGD_WORKSPACE");
            if (app.count("--workspace") > 0 && own->workspace != (environment ? environment : "")) {
                return refuse(Error{std::string("write --workspace after `queue ") + sub->get_name() + "`"});
            }
            return action();
        }
        return list();
    };
}

const CommandRegistry::Add kQueueEntry{{.order = 45,
                                        .name = "queue",
                                        .summary = "The runs that wait: add, work, list, hold, release, move",
                                        .declare = declareQueue}};

}  // namespace

Status listQueue(const std::string& workspace, bool json) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(workspace));
    DASGD_ASSIGN(const auto rows, reader.list());
    DASGD_ASSIGN(const storage::Queue queue, reader.queue());
    const std::vector<QueueLine> lines = linesOf(rows, queue);
    if (json) {
        for (const QueueLine& line : lines) printJsonLine(line);
        return {};
    }
    if (lines.empty()) std::fputs("nothing waits\n", stdout);
    if (!lines.empty()) printTable(lines);
    DASGD_ASSIGN(const std::string worker, reader.queueWorker());
    printState(queue, worker);
    return {};
}

}  // namespace dasgd::experiments
