// Workspaces and runs for tests of storage.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "storage/read/workspace_reader.h"
#include "storage/write/recorder.h"
#include "tests/support/journals.h"
#include "tests/support/processes.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

template <class T>
T orDie(Result<T> result) {
    if (!result) std::fprintf(stderr, "%s\n", result.error().message.c_str());
    DASGD_CHECK(result);
    return std::move(*result);
}
inline void orDie(const Status& status) {
    if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
    DASGD_CHECK(status);
}

inline storage::RunInfo runInfo(std::string id, int workers = 1) {
    return {.runId = std::move(id),
            .experiment = "delay-sweep",
            .algorithm = "dasgd",
            .backend = "gloo",
            .config = "name = \"delay-sweep\"\n",
            .seed = 7,
            .workers = workers,
            .plannedSteps = 1000,
            .stepsPerEpoch = 12.5,
            .batchSize = 32,
            .linkEmulated = true,
            .link = "200Mbps, 1ms",
            .host = "lab",
            .cpu = "cpu",
            .gitCommit = "0123456789abcdef0123456789abcdef01234567",
            .gitDirtyDiff = "+ changed",
            .gitDirty = true,
            .versions = "{\"torch\":\"2.11.0\"}",
            .clockOrigin = 12345,
            .schema = R"([{"key":"algorithm.delay","symbol":"d","unit":"steps","default":"1"}])",
            .hardware = {{.kind = storage::kGpu, .name = "gpu", .memoryBytes = 16e9},
                         {.kind = storage::kNic, .name = "eth0", .bitsPerS = 25e9}}};
}

// The key of a run inside its database.
inline std::int64_t keyOf(const storage::WorkspacePaths& paths, const std::string& id) {
    SQLite::Database database(paths.database().string(), SQLite::OPEN_READONLY);
    SQLite::Statement query(database, "SELECT id FROM run WHERE run_id = ?");
    query.bind(1, id);
    DASGD_CHECK(query.executeStep());
    return query.getColumn(0).getInt64();
}

struct MetricRow {
    std::string name;
    int rank = 0;
    std::int64_t step = 0;
    Ns wall = 0;
    double value = 0;
};

// Every metric of a run in order of arrival.
inline std::vector<MetricRow> metricRows(const storage::WorkspacePaths& paths, const std::string& id) {
    SQLite::Database database(paths.database().string(), SQLite::OPEN_READONLY);
    SQLite::Statement query(database,
                            "SELECT metric_name.name, metric.rank, step, wall_ns, value FROM metric "
                            "JOIN metric_name ON metric_name.id = metric.name WHERE run = ? ORDER BY metric.id");
    query.bind(1, keyOf(paths, id));
    std::vector<MetricRow> rows;
    while (query.executeStep()) {
        rows.push_back({query.getColumn(0).getString(), query.getColumn(1).getInt(), query.getColumn(2).getInt64(),
                        query.getColumn(3).getInt64(), query.getColumn(4).getDouble()});
    }
    return rows;
}

// A workspace with one run whose ranks write journals and whose records are collected when asked.
class OneRun {
public:
    explicit OneRun(int workers = 1, std::string id = "run-a",
                    const std::filesystem::path& where = std::filesystem::temp_directory_path())
        : folder(where), runId(std::move(id)), store(orDie(storage::Store::open(folder / "workspace"))) {
        orDie(store.addRun(runInfo(runId, workers)));
        for (int rank = 0; rank < workers; ++rank) {
            ranks_.push_back(rank);
            journals.push_back(newJournal(store.paths().journal(runId, rank), {.segmentRecords = 256}));
        }
    }

    [[nodiscard]] JournalWriter& rank(int rank) { return *journals[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] storage::WorkspaceReader reader() const {
        return orDie(storage::WorkspaceReader::open(store.paths().root));
    }

    // Describes the machine as the launcher does: "Processor, 2 cores to use, 24.0 GB memory".
    void describe(const std::string& cpu) const {
        SQLite::Database database(store.paths().database().string(), SQLite::OPEN_READWRITE);
        SQLite::Statement update(database, "UPDATE run SET cpu = ?");
        update.bind(1, cpu);
        update.exec();
    }

    // Ends the writers and records everything they wrote.
    void finish(const std::string& status = "finished", const std::string& error = "") {
        journals.clear();
        const auto recorder = orDie(storage::Recorder::start(store, runId, ranks_));
        orDie(recorder->finish(status, error));
    }

    TempDir folder;
    std::string runId;
    storage::Store store;
    std::vector<std::unique_ptr<JournalWriter>> journals;

private:
    std::vector<int> ranks_;
};

inline storage::RunRow rowOf(const OneRun& run) { return orDie(run.reader().runs().detail(run.runId)).row; }

// A workspace with one run whose ranks all live in one thread and share the journal of rank 0.
class SharedRun {
public:
    explicit SharedRun(int workers, std::string id = "run-a", JournalOptions options = {.segmentRecords = 256})
        : runId(std::move(id)), store(orDie(storage::Store::open(folder / "workspace"))) {
        orDie(store.addRun(runInfo(runId, workers)));
        for (int rank = 0; rank < workers; ++rank) ranks.push_back(rank);
        journal = newJournal(store.paths().journal(runId, 0), options);
    }

    [[nodiscard]] EventSink& rank(int rank) const { return journal->of(Rank(rank)); }
    [[nodiscard]] storage::WorkspaceReader reader() const {
        return orDie(storage::WorkspaceReader::open(store.paths().root));
    }
    [[nodiscard]] std::unique_ptr<storage::Recorder> record() {
        return orDie(storage::Recorder::start(store, runId, ranks, {0}));
    }
    void finish(const std::string& status = "finished", const std::string& error = "") {
        journal.reset();
        orDie(record()->finish(status, error));
    }

    TempDir folder;
    std::string runId;
    storage::Store store;
    std::vector<int> ranks;
    std::unique_ptr<JournalWriter> journal;
};

}  // namespace dasgd::test
