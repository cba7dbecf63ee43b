#include "storage/write/imported_run.h"

#include <utility>
#include <vector>

#include "storage/collect/ingest.h"
#include "storage/runs/run_end.h"
#include "storage/write/store_impl.h"

namespace dasgd::storage {

namespace {

constexpr std::size_t kSpansOfTransaction = 65536;
constexpr const char* kPartlyRead = "partly read: ";

// Records that are handed over by the one who collects them. A file has no position to go on from: an import that was
// killed is begun anew.
class HandedRecords final : public RecordSource {
public:
    HandedRecords() : RecordSource(0) {}

    struct Handed {
        int rank = 0;
        Span span;
        std::string name;
    };
    void hand(Handed record) { records_.push_back(std::move(record)); }
    [[nodiscard]] bool isFull() const { return records_.size() >= kSpansOfTransaction; }

    void startAfter(std::uint64_t) override { next_ = 0; }
    Result<std::size_t> read(std::size_t limit, const std::function<void(const EventRecord&)>& take) override {
        std::size_t taken = 0;
        for (; taken < limit && next_ < records_.size(); ++taken, ++next_) {
            const Handed& handed = records_[next_];
            EventRecord record;
            record.type = EventRecord::Type::Span;
            record.sequence = ++sequence_;
            record.rank = handed.rank;
            record.span = handed.span;
            record.name = handed.name;
            take(record);
        }
        return taken;
    }
    void release(std::uint64_t) override {
        records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(std::exchange(next_, 0)));
    }
    [[nodiscard]] std::string damage() const override { return {}; }

private:
    std::vector<Handed> records_;
    std::size_t next_ = 0;
    std::uint64_t sequence_ = 0;
};

class RunWriter final : public ImportedRun {
public:
    RunWriter(std::unique_ptr<WriteConnection> connection, FileLock owner, std::int64_t runKey)
        : connection_(std::move(connection)), owner_(std::move(owner)), runKey_(runKey) {
        auto handed = std::make_unique<HandedRecords>();
        handed_ = handed.get();
        RecordSources sources;
        sources.push_back(std::move(handed));
        ingest_ = std::make_unique<RunIngest>(*connection_, runKey_, std::move(sources));
    }
    ~RunWriter() override {
        if (!ended_) abandon("the trace was not imported to its end");
    }
    RunWriter(const RunWriter&) = delete;
    RunWriter& operator=(const RunWriter&) = delete;

    Status span(int rank, const Span& span, std::string_view name) override {
        handed_->hand({rank, span, std::string(name)});
        if (!handed_->isFull()) return {};
        DASGD_ASSIGN([[maybe_unused]] const std::size_t taken, ingest_->collect(kSpansOfTransaction));
        return {};
    }

    Status setConfig(const std::string& config) override {
        return guarded(connection_->paths().database(), [&]() -> Status {
            DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*connection_));
            SQLite::Statement write(connection_->database(), "UPDATE run SET config = ? WHERE id = ?");
            write.bind(1, config);
            write.bind(2, runKey_);
            write.exec();
            transaction->commit();
            return {};
        });
    }

    Status finish(std::int64_t steps, const Unknown& unknown) override {
        DASGD_TRY(ingest_->collectAll());
        DASGD_TRY(end([&](SQLite::Database& database) {
            forget(database, unknown);
            SQLite::Statement write(database, "UPDATE run SET steps = ?, planned_steps = ? WHERE id = ?");
            write.bind(1, steps);
            write.bind(2, steps);
            write.bind(3, runKey_);
            write.exec();
            writeStatus(database, runKey_, "finished", unknown.events.empty() ? "" : kPartlyRead + unknown.events);
        }));
        return {};
    }

    void abandon(const std::string& why) override {
        // Where this fails too, the next Store::open() finds a run that nobody owns.
        static_cast<void>(end([&](SQLite::Database& database) { writeStatus(database, runKey_, "failed", why); }));
    }

private:
    template <class Work>
    Status end(Work&& work) {
        ended_ = true;
        const Status done = guarded(connection_->paths().database(), [&]() -> Status {
            DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*connection_));
            work(connection_->database());
            transaction->commit(WriteTransaction::Then::CheckpointAll);
            return {};
        });
        owner_ = FileLock();
        return done;
    }

    // A rate is what a run of this laboratory reached; a trace only shows some of its steps.
    void forget(SQLite::Database& database, const Unknown& unknown) {
        std::string rank = "timed_s = timed_s", run = "step_ms = NULL, samples_per_s = NULL";
        const auto clear = [&](bool missing, const char* rankColumns, const char* runColumns) {
            if (!missing) return;
            rank += rankColumns;
            run += runColumns;
        };
        clear(unknown.waits, ", blocked_s = NULL", ", blocked_s = NULL");
        clear(unknown.passes, ", inflation = NULL", ", inflation = NULL, inflation_ranks = 0");
        clear(unknown.skews, ", skew_s = NULL", ", skew_s = NULL");
        for (const std::string& sql :
             {"UPDATE rank_state SET " + rank + " WHERE run = ?", "UPDATE run SET " + run + " WHERE id = ?"}) {
            SQLite::Statement write(database, sql);
            write.bind(1, runKey_);
            write.exec();
        }
    }

    std::unique_ptr<WriteConnection> connection_;
    FileLock owner_;
    const std::int64_t runKey_;
    std::unique_ptr<RunIngest> ingest_;
    HandedRecords* handed_ = nullptr;
    bool ended_ = false;
};

Result<std::int64_t> markRunning(WriteConnection& connection, const RunInfo& info) {
    return guarded(connection.paths().database(), [&]() -> Result<std::int64_t> {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(connection));
        auto& database = connection.database();
        SQLite::Statement mark(database, "UPDATE run SET status = 'running' WHERE run_id = ?");
        mark.bind(1, info.runId);
        mark.exec();
        SQLite::Statement query(database, "SELECT id FROM run WHERE run_id = ?");
        query.bind(1, info.runId);
        query.executeStep();
        const std::int64_t key = query.getColumn(0).getInt64();
        query.reset();
        SQLite::Statement rank(database, "INSERT OR IGNORE INTO rank_state (run, rank) VALUES (?, ?)");
        rank.bind(1, key);
        for (int i = 0; i < info.workers; ++i) {
            rank.bind(2, i);
            rank.exec();
            rank.reset();
        }
        transaction->commit();
        return key;
    });
}

}  // namespace

Result<std::unique_ptr<ImportedRun>> ImportedRun::begin(Store& store, RunInfo info) {
    info.backend = kTraceBackend;
    DASGD_TRY(store.addRun(info));
    DASGD_ASSIGN(auto connection, WriteConnection::open(store.paths()));
    DASGD_ASSIGN(FileLock owner, store.impl_->takeOwnership(info.runId));
    DASGD_ASSIGN(const std::int64_t key, markRunning(*connection, info));
    return std::make_unique<RunWriter>(std::move(connection), std::move(owner), key);
}

bool isPartlyRead(const RunRow& row) { return row.imported() && row.error.starts_with(kPartlyRead); }

}  // namespace dasgd::storage
