#include "storage/write/late_records.h"

#include <utility>

#include "core/base/utc.h"
#include "storage/collect/ingest.h"
#include "storage/collect/record_stream.h"
#include "storage/runs/run_end.h"
#include "storage/write/store_impl.h"

namespace dasgd::storage {

namespace {

using RecordStreams = std::vector<std::shared_ptr<RecordStream>>;

constexpr std::size_t kLateLimit = 65536;  // records of a transaction

RecordSources sourcesOf(const RecordStreams& streams) {
    RecordSources sources;
    for (const auto& stream : streams) sources.push_back(std::make_unique<StreamSource>(stream));
    return sources;
}

struct EndedRun {
    std::int64_t key = 0;
    std::string status;
};

// Inside a write transaction: with a row for each rank.
Result<EndedRun> endedRun(SQLite::Database& database, const std::string& runId, const RecordStreams& streams) {
    SQLite::Statement query(database, "SELECT id, status, workers FROM run WHERE run_id = ?");
    query.bind(1, runId);
    if (!query.executeStep()) return fail("there is no run " + runId + " in this workspace");
    EndedRun run{query.getColumn(0).getInt64(), query.getColumn(1).getString()};
    const int workers = query.getColumn(2).getInt();
    query.reset();
    for (const auto& stream : streams) {
        if (stream->rank() >= 0 && stream->rank() < workers) continue;
        return fail("run " + runId + " has " + std::to_string(workers) + " ranks, from 0 on; there is no rank " +
                    std::to_string(stream->rank()));
    }
    if (run.status == "running" || run.status == "queued") {
        return fail("run " + runId + " is " + run.status + ": it collects its records itself");
    }
    SQLite::Statement row(database, "INSERT OR IGNORE INTO rank_state (run, rank) VALUES (?, ?)");
    row.bind(1, run.key);
    for (const auto& stream : streams) {
        row.bind(2, stream->rank());
        row.exec();
        row.reset();
    }
    return run;
}

class LateIngest final : public LateRecords {
public:
    LateIngest(std::unique_ptr<WriteConnection> connection, std::vector<FileLock> locks, EndedRun run,
               RecordStreams streams)
        : connection_(std::move(connection)),
          locks_(std::move(locks)),
          run_(std::move(run)),
          streams_(std::move(streams)),
          ingest_(*connection_, run_.key, sourcesOf(streams_), CollectorScope::LateRanks) {}

    Result<std::size_t> collect() override { return ingest_.collect(kLateLimit); }

    Result<std::vector<int>> finish() override {
        DASGD_TRY(ingest_.collectAll());
        std::vector<int> ended;
        std::vector<std::string> notes;
        for (const auto& stream : streams_) {
            if (!stream->isCommitted()) continue;
            if (const std::string damage = stream->damage(); !damage.empty()) {
                notes.push_back(damage);
            } else {
                ended.push_back(stream->rank());
            }
        }
        DASGD_TRY(guarded(connection_->paths().database(), [&]() -> Status {
            DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*connection_));
            for (const int rank : ended) settle(rank);
            for (const std::string& damage : notes) addToError(damage, damage);
            // Again what follows from the end of a run: levels of the new rows, and nothing to go on from.
            writeStatus(connection_->database(), run_.key, run_.status, "");
            forgetMeters(connection_->database(), run_.key, ended);
            transaction->commit(WriteTransaction::Then::CheckpointAll);
            return {};
        }));
        return ended;
    }

private:
    void settle(int rank) {
        SQLite::Statement outcome(
            connection_->database(),
            "UPDATE rank_state SET outcome = CASE state WHEN :finished THEN 'finished' WHEN :stopped THEN 'stopped' "
            "WHEN :failed THEN 'failed' ELSE ifnull(outcome, 'interrupted') END WHERE run = :run AND rank = :rank");
        outcome.bind(":finished", static_cast<int>(RankState::Finished));
        outcome.bind(":stopped", static_cast<int>(RankState::Stopped));
        outcome.bind(":failed", static_cast<int>(RankState::Failed));
        outcome.bind(":run", run_.key);
        outcome.bind(":rank", rank);
        outcome.exec();
        const std::string came = "the last records of rank " + std::to_string(rank) + " came later, ";
        addToError(came, came + utcNowAs("%Y-%m-%d %H:%M UTC"));
    }

    // Unless `same` is there: records of a rank may come several times.
    void addToError(const std::string& same, const std::string& note) {
        SQLite::Statement add(connection_->database(),
                              "UPDATE run SET error = ifnull(nullif(error, '') || '; ', '') || :note "
                              "WHERE id = :run AND instr(ifnull(error, ''), :same) = 0");
        add.bind(":note", note);
        add.bind(":same", same);
        add.bind(":run", run_.key);
        add.exec();
    }

    std::unique_ptr<WriteConnection> connection_;
    std::vector<FileLock> locks_;
    const EndedRun run_;
    const RecordStreams streams_;
    RunIngest ingest_;
};

}  // namespace

Result<std::unique_ptr<LateRecords>> LateRecords::open(Store& store, const std::string& runId, RecordStreams streams) {
    const WorkspacePaths& paths = store.paths();
    if (!isRunId(runId) || !std::filesystem::is_directory(paths.run(runId))) {
        return fail("there is no run " + runId + " in " + paths.root.string());
    }
    std::vector<int> ranks;
    for (const auto& stream : streams) ranks.push_back(stream->rank());
    DASGD_ASSIGN(auto locks, lockJournals(paths, runId, ranks));
    DASGD_ASSIGN(auto connection, WriteConnection::open(paths));
    EndedRun run;
    DASGD_TRY(guarded(paths.database(), [&]() -> Status {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*connection));
        DASGD_ASSIGN(run, endedRun(connection->database(), runId, streams));
        transaction->commit();
        return {};
    }));
    return std::make_unique<LateIngest>(std::move(connection), std::move(locks), std::move(run), std::move(streams));
}

}  // namespace dasgd::storage
