#include "storage/write/recorder.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "storage/collect/ingest.h"
#include "storage/collect/journal_source.h"
#include "storage/collect/record_stream.h"
#include "storage/runs/run_end.h"
#include "storage/write/store_impl.h"

namespace dasgd::storage {

namespace {

constexpr std::size_t kRecorderLimit = 65536;  // records of a transaction
constexpr auto kPause = std::chrono::milliseconds(80);
constexpr auto kPauseAfterError = std::chrono::milliseconds(500);
constexpr int kTriesToRead = 3;  // after the last record, what an error kept from being read

class JournalRecorder final : public Recorder {
public:
    struct Parts {
        std::unique_ptr<WriteConnection> connection;
        FileLock owner;
        std::vector<FileLock> journalLocks;
        std::int64_t runKey = 0;
        int workers = 0;
        std::string runId;
        std::vector<int> ranks, journals;
        std::vector<std::shared_ptr<RecordStream>> streams;
        [[nodiscard]] RecordSources sources() const {
            RecordSources all = journalSources(connection->paths(), runId, journals);
            for (const auto& stream : streams) all.push_back(std::make_unique<StreamSource>(stream));
            return all;
        }
    };

    explicit JournalRecorder(Parts parts)
        : parts_(std::move(parts)),
          ingest_(*parts_.connection, parts_.runKey, parts_.sources(),
                  parts_.ranks.size() < static_cast<std::size_t>(parts_.workers) ? CollectorScope::SomeRanks
                                                                                 : CollectorScope::AllRanks) {
        thread_ = std::thread([this] { collect(); });
    }
    ~JournalRecorder() override { stopThread(); }
    JournalRecorder(const JournalRecorder&) = delete;
    JournalRecorder& operator=(const JournalRecorder&) = delete;

    Result<RanksEnd> finish(const std::string& status, const std::string& error) override {
        stopThread();
        ingest_.add(std::exchange(measured_, {}));
        DASGD_TRY(ingest_.collectAll());
        // Records that an I/O error kept from being read may be readable a moment later.
        for (int again = 0; again < kTriesToRead && !ingest_.unread().empty(); ++again) {
            std::this_thread::sleep_for(kPauseAfterError);
            DASGD_TRY(ingest_.collectAll());
        }
        stored_ = ingest_.stored();
        const std::string damage = ingest_.damage();
        RanksEnd end{withDamage(status, damage), error};
        if (!damage.empty()) end.error += (error.empty() ? "" : "; ") + damage;
        DASGD_TRY(writeOutcome(end, damage.empty()));
        {
            const std::lock_guard guard(mutex_);
            setError(parts_.connection->walWarning());
        }
        if (damage.empty()) {
            for (const int journal : parts_.journals) removeJournal(parts_.connection->paths(), parts_.runId, journal);
        }
        parts_.journalLocks.clear();
        parts_.owner = FileLock();
        return end;
    }

    void endedElsewhere(int rank, const std::string& status) override { elsewhere_.emplace_back(rank, status); }

    void measured(int rank, const Metric& metric) override {
        const std::lock_guard guard(mutex_);
        measured_.push_back(ProcessMetric::of(rank, metric));
    }

    [[nodiscard]] std::int64_t recordsStored() const override { return stored_; }

    [[nodiscard]] std::string currentError() const override {
        const std::lock_guard guard(mutex_);
        return error_;
    }

private:
    void collect() {
        std::unique_lock lock(mutex_);
        while (!stop_) {
            std::vector<ProcessMetric> metrics = std::exchange(measured_, {});
            lock.unlock();
            ingest_.add(std::move(metrics));
            const auto taken = ingest_.collect(kRecorderLimit);
            stored_ = ingest_.stored();
            lock.lock();
            const std::string unread = taken ? ingest_.unread() : taken.error().message;
            setError(unread.empty() ? parts_.connection->walWarning() : unread + "; the journals keep the records");
            // A full share may mean that there is more.
            if (taken && *taken >= kRecorderLimit / (parts_.journals.size() + parts_.streams.size())) continue;
            const auto pause = unread.empty() ? kPause : kPauseAfterError;
            wake_.wait_for(lock, pause, [&] { return stop_; });
        }
    }

    void setError(const std::string& text) {
        if (!text.empty() && error_.empty()) logLine(LogLevel::Error, text);
        error_ = text;
    }

    void stopThread() {
        {
            const std::lock_guard guard(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

    Status writeOutcome(const RanksEnd& end, bool whole) {
        WriteConnection& connection = *parts_.connection;
        return guarded(connection.paths().database(), [&]() -> Status {
            DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(connection));
            auto& database = connection.database();
            SQLite::Statement mark(database, "UPDATE rank_state SET outcome = ? WHERE run = ? AND rank = ?");
            mark.bind(1, end.status);
            mark.bind(2, parts_.runKey);
            for (const int rank : parts_.ranks) {
                mark.bind(3, rank);
                mark.exec();
                mark.reset();
            }
            addElsewhere(database);
            SQLite::Statement query(database, "SELECT outcome FROM rank_state WHERE run = ? AND outcome IS NOT NULL");
            query.bind(1, parts_.runKey);
            std::vector<std::string> outcomes;
            while (query.executeStep()) outcomes.push_back(query.getColumn(0).getString());
            query.reset();
            const bool all = outcomes.size() >= static_cast<std::size_t>(parts_.workers);
            if (!all) outcomes.emplace_back("interrupted");
            const bool last = all || parts_.owner.tryUpgrade();
            writeStatus(database, parts_.runKey, last ? worstOf(outcomes) : "running", end.error);
            if (whole) forgetMeters(database, parts_.runKey, parts_.ranks);
            if (last) markEnded(database);
            transaction->commit(WriteTransaction::Then::CheckpointAll);
            return {};
        });
    }

    // The calendar may have been set back meanwhile: a run does not end before it has started, nor before its time is
    // over.
    void markEnded(SQLite::Database& database) const {
        const auto sinceStart = std::chrono::duration_cast<std::chrono::system_clock::duration>(
            std::chrono::steady_clock::now() - startedAt_);
        const std::string byClock = utcText(startedOn_ + sinceStart), byCalendar = utcNow();
        SQLite::Statement mark(database, "UPDATE run SET ended_at = max(?, ifnull(started_at, '')) WHERE id = ?");
        mark.bind(1, std::max(byClock, byCalendar));
        mark.bind(2, parts_.runKey);
        mark.exec();
    }

    // Several processes of this host may say the same.
    void addElsewhere(SQLite::Database& database) const {
        SQLite::Statement row(database,
                              "INSERT INTO rank_state (run, rank, outcome) VALUES (?, ?, ?) "
                              "ON CONFLICT (run, rank) DO UPDATE SET outcome = ifnull(outcome, excluded.outcome)");
        row.bind(1, parts_.runKey);
        for (const auto& [rank, status] : elsewhere_) {
            row.bind(2, rank);
            row.bind(3, status);
            row.exec();
            row.reset();
        }
    }

    const std::chrono::steady_clock::time_point startedAt_ = std::chrono::steady_clock::now();
    const std::chrono::system_clock::time_point startedOn_ = std::chrono::system_clock::now();
    Parts parts_;
    std::vector<std::pair<int, std::string>> elsewhere_;
    RunIngest ingest_;  // of the thread, and of finish() once that has ended
    std::atomic<std::int64_t> stored_{0};
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::string error_;
    std::vector<ProcessMetric> measured_;
    bool stop_ = false;
    std::thread thread_;
};

// Rows for the ranks. Inside a write transaction.
Status addRanks(SQLite::Database& database, const JournalRecorder::Parts& parts) {
    SQLite::Statement row(database, "INSERT OR IGNORE INTO rank_state (run, rank) VALUES (?, ?)");
    SQLite::Statement ended(database, "SELECT outcome FROM rank_state WHERE run = ? AND rank = ?");
    row.bind(1, parts.runKey);
    ended.bind(1, parts.runKey);
    for (const int rank : parts.ranks) {
        row.bind(2, rank);
        row.exec();
        row.reset();
        ended.bind(2, rank);
        if (ended.executeStep() && !ended.getColumn(0).isNull()) {
            return fail("rank " + std::to_string(rank) + " of " + parts.runId + " has ended already; start a new run");
        }
        ended.reset();
    }
    return {};
}

Status markRunning(JournalRecorder::Parts& parts) {
    WriteConnection& connection = *parts.connection;
    return guarded(connection.paths().database(), [&]() -> Status {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(connection));
        auto& database = connection.database();
        SQLite::Statement query(database, "SELECT id, workers FROM run WHERE run_id = ?");
        query.bind(1, parts.runId);
        if (!query.executeStep()) return fail("there is no run " + parts.runId + " in this workspace");
        parts.runKey = query.getColumn(0).getInt64();
        parts.workers = query.getColumn(1).getInt();
        query.reset();
        SQLite::Statement mark(database,
                               "UPDATE run SET started_at = CASE WHEN status = 'queued' THEN ? ELSE started_at END, "
                               "status = 'running' WHERE id = ?");
        mark.bind(1, utcNow());
        mark.bind(2, parts.runKey);
        mark.exec();
        DASGD_TRY(addRanks(database, parts));
        transaction->commit();
        return {};
    });
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::start(Store& store, const std::string& runId, std::vector<int> ranks,
                                                  std::vector<int> journals,
                                                  std::vector<std::shared_ptr<RecordStream>> streams) {
    if (ranks.empty()) return fail("a recorder needs at least one rank");
    if (journals.empty()) journals = ranks;
    for (const int journal : journals) {
        if (std::find(ranks.begin(), ranks.end(), journal) != ranks.end()) continue;
        return fail("a recorder cannot read the journal of rank " + std::to_string(journal) +
                    ", as that is none of the ranks it is for");
    }
    const WorkspacePaths& paths = store.paths();
    if (!isRunId(runId) || !std::filesystem::is_directory(paths.run(runId))) {
        return fail("there is no run " + runId + " in " + paths.root.string());
    }
    JournalRecorder::Parts parts{
        .runId = runId, .ranks = std::move(ranks), .journals = std::move(journals), .streams = std::move(streams)};
    DASGD_ASSIGN(parts.journalLocks, lockJournals(paths, runId, parts.journals));
    DASGD_ASSIGN(parts.connection, WriteConnection::open(paths));
    DASGD_ASSIGN(parts.owner, store.impl_->takeOwnership(runId));
    DASGD_TRY(markRunning(parts));
    return std::make_unique<JournalRecorder>(std::move(parts));
}

}  // namespace dasgd::storage
