#include "storage/ingest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace dasgd::storage {

namespace {

constexpr std::int64_t kRowsOfChunk = 8192;
constexpr std::size_t kBatchEntries = 65536;

// What rank 0 writes under these names is about the whole run.
bool belongsToRun(std::string_view name) {
    constexpr std::array<std::string_view, 4> prefixes{"eval/", "consensus/", "run/", "throughput/"};
    return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return name.starts_with(p); });
}

std::int64_t tagOf(int rank, const Span& span) {
    return static_cast<std::int64_t>(rank) * 256 + static_cast<std::int64_t>(span.lane) * 64 +
           static_cast<std::int64_t>(span.kind);
}

void bindOptional(SQLite::Statement& statement, const char* name, const std::optional<double>& value) {
    if (value) {
        statement.bind(name, *value);
    } else {
        statement.bind(name);
    }
}

std::optional<double> optionalColumn(const SQLite::Column& column) {
    if (column.isNull()) return std::nullopt;
    return column.getDouble();
}

template <class T, class Better>
void improve(std::optional<T>& best, T value, Better better) {
    if (!best || better(value, *best)) best = value;
}

}  // namespace

struct RunIngest::RankTally {
    int rank = 0;
    JournalReader reader;
    bool changed = false;
    std::int64_t events = 0, step = 0, samples = 0, bytesSent = 0, newest = 0;
    std::optional<int> state;
    std::string stateText;
    std::optional<double> trainLoss, hidden, reduce, blocked, compute;
    bool trained = false;
};

// What one batch adds to the run's row; other processes may be adding theirs, so it goes in as max, min and sums.
struct RunIngest::RunTally {
    std::int64_t newest = 0, steps = 0, samples = 0, spans = 0;
    std::optional<std::int64_t> firstSpan, lastSpan;
    std::optional<std::int64_t> firstWall, lastWall;
    std::int64_t firstSamples = 0;
    std::optional<double> lossMin, lossMax, bestAccuracy, evalLoss;
    bool evaluated = false;
    std::string error;

    // The chunk that rows are being added to; survives the batch.
    std::int64_t chunkFirst = 0, chunkLast = -1;
    Ns chunkStart = 0, chunkEnd = 0;

    [[nodiscard]] std::int64_t chunkRows() const { return chunkLast - chunkFirst + 1; }
    void forgetBatch() {
        RunTally fresh;
        fresh.chunkFirst = chunkFirst;
        fresh.chunkLast = chunkLast;
        fresh.chunkStart = chunkStart;
        fresh.chunkEnd = chunkEnd;
        *this = std::move(fresh);
    }
};

struct RunIngest::Statements {
    explicit Statements(SQLite::Database& database)
        : span(database, "INSERT INTO span (tag, step, start_ns, duration_ns, bytes, collective) VALUES (?,?,?,?,?,?)"),
          metric(database,
                 "INSERT INTO metric (run, name, rank, step, epoch, wall_ns, samples, bytes_sent, value) "
                 "VALUES (?,?,?,?,?,?,?,?,?)"),
          chunk(database,
                "INSERT INTO span_chunk VALUES (?,?,?,?,?) ON CONFLICT (run, first_id) DO UPDATE SET "
                "last_id = excluded.last_id, min_start = excluded.min_start, max_end = excluded.max_end") {}
    HotStatement span, metric, chunk;
};

RunIngest::RunIngest(WriteConnection& connection, std::int64_t runKey, std::string runId, std::vector<int> ranks)
    : connection_(connection), runKey_(runKey), runId_(std::move(runId)), rankNumbers_(std::move(ranks)) {}
RunIngest::~RunIngest() = default;

// Everything in memory as the database has it: at the start, and after a batch that failed.
void RunIngest::load() {
    auto& database = connection_.database();
    if (!statements_) statements_ = std::make_unique<Statements>(database);
    names_.clear();
    ranks_.clear();
    run_ = std::make_unique<RunTally>();
    SQLite::Statement query(
        database,
        "SELECT sequence, events, state, step, samples, bytes_sent, newest_ns, train_loss, trained, "
        "hidden_s, reduce_s, blocked_s, compute_s, state_text FROM rank_state "
        "WHERE run = ? AND rank = ?");
    for (const int rank : rankNumbers_) {
        query.reset();
        query.bind(1, runKey_);
        query.bind(2, rank);
        const bool known = query.executeStep();
        const auto sequence = known ? static_cast<std::uint64_t>(query.getColumn(0).getInt64()) : 0;
        RankTally tally{.rank = rank, .reader = JournalReader(connection_.paths().journal(runId_, rank), sequence)};
        if (known) {
            tally.events = query.getColumn(1).getInt64();
            if (!query.getColumn(2).isNull()) tally.state = query.getColumn(2).getInt();
            tally.step = query.getColumn(3).getInt64();
            tally.samples = query.getColumn(4).getInt64();
            tally.bytesSent = query.getColumn(5).getInt64();
            tally.newest = query.getColumn(6).getInt64();
            tally.trainLoss = optionalColumn(query.getColumn(7));
            tally.trained = query.getColumn(8).getInt() != 0;
            tally.hidden = optionalColumn(query.getColumn(9));
            tally.reduce = optionalColumn(query.getColumn(10));
            tally.blocked = optionalColumn(query.getColumn(11));
            tally.compute = optionalColumn(query.getColumn(12));
            tally.stateText = query.getColumn(13).getString();
        }
        ranks_.push_back(std::move(tally));
    }
    loaded_ = true;
}

Result<std::size_t> RunIngest::collect(std::size_t limit) {
    std::unique_ptr<Batch> batch;
    auto result = guarded(connection_.paths().database(), [&]() -> Result<std::size_t> {
        try {
            if (!loaded_) load();
            const std::size_t taken = readRanks(limit, batch);
            if (taken == 0) return taken;
            for (RankTally& rank : ranks_) {
                if (rank.changed) writeRank(rank);
            }
            if (run_->spans > 0) writeChunk();
            writeRun();
            batch->commit();
            for (RankTally& rank : ranks_) {
                if (std::exchange(rank.changed, false)) rank.reader.release(rank.reader.lastSequence());
            }
            run_->forgetBatch();
            stored_ += static_cast<std::int64_t>(taken);
            return taken;
        } catch (const Error& error) {
            return tl::unexpected<Error>(error);
        }
    });
    if (!result) loaded_ = false;
    return result;
}

Status RunIngest::collectAll() {
    for (;;) {
        DASGD_ASSIGN(const std::size_t taken, collect(kBatchEntries));
        if (taken == 0) return {};
    }
}

std::string RunIngest::damage() const {
    std::string text;
    for (const RankTally& rank : ranks_) {
        if (!rank.reader.damaged()) continue;
        text += (text.empty() ? "" : "; ") + std::string("the journal of rank ") + std::to_string(rank.rank) +
                " is damaged after record " + std::to_string(rank.reader.lastSequence()) + ", what follows is not read";
    }
    return text;
}

// Throws dasgd::Error or SQLite::Exception. The transaction begins with the first entry.
std::size_t RunIngest::readRanks(std::size_t limit, std::unique_ptr<Batch>& batch) {
    const std::size_t share = std::max<std::size_t>(1, limit / std::max<std::size_t>(1, ranks_.size()));
    std::size_t taken = 0;
    for (RankTally& rank : ranks_) {
        auto got = rank.reader.read(share, [&](const JournalEntry& entry) {
            if (!batch) {
                auto begun = Batch::begin(connection_);
                if (!begun) throw begun.error();
                batch = std::move(*begun);
            }
            take(rank, entry);
        });
        if (!got) throw got.error();
        rank.changed = rank.changed || *got > 0;
        taken += *got;
    }
    return taken;
}

void RunIngest::take(RankTally& rank, const JournalEntry& entry) {
    ++rank.events;
    switch (entry.type) {
        case JournalEntry::Type::Span: return takeSpan(rank, entry.span);
        case JournalEntry::Type::Metric: return takeMetric(rank, entry.metric);
        case JournalEntry::Type::State: return takeState(rank, entry);
    }
}

void RunIngest::takeSpan(RankTally& rank, const Span& span) {
    HotStatement& insert = statements_->span;
    insert.bind(1, tagOf(rank.rank, span));
    insert.bind(2, span.step);
    insert.bind(3, span.start);
    insert.bind(4, span.end - span.start);
    insert.bind(5, span.bytes);
    insert.bind(6, static_cast<std::int64_t>(span.collective));
    insert.run();
    const std::int64_t id = sqlite3_last_insert_rowid(connection_.database().getHandle());
    RunTally& run = *run_;
    if (id != run.chunkLast + 1 || run.chunkRows() >= kRowsOfChunk || run.chunkRows() == 0) {
        writeChunk();
        run.chunkFirst = id;
        run.chunkStart = span.start;
        run.chunkEnd = span.end;
    }
    run.chunkLast = id;
    run.chunkStart = std::min(run.chunkStart, span.start);
    run.chunkEnd = std::max(run.chunkEnd, span.end);
    ++run.spans;
    improve(run.firstSpan, span.start, std::less<>());
    improve(run.lastSpan, span.end, std::greater<>());
    rank.newest = std::max(rank.newest, span.end);
}

void RunIngest::takeMetric(RankTally& rank, const Metric& metric) {
    const bool wholeRun = rank.rank == 0 && belongsToRun(metric.name);
    HotStatement& insert = statements_->metric;
    insert.bind(1, runKey_);
    insert.bind(2, nameKey(metric.name));
    insert.bind(3, static_cast<std::int64_t>(wholeRun ? kWholeRun.value() : rank.rank));
    insert.bind(4, metric.step);
    insert.bind(5, metric.epoch);
    insert.bind(6, metric.wall);
    insert.bind(7, metric.samples);
    insert.bind(8, metric.bytesSent);
    insert.bind(9, metric.value);
    insert.run();
    rank.newest = std::max(rank.newest, metric.wall);
    rank.samples = std::max(rank.samples, metric.samples);
    rank.bytesSent = std::max(rank.bytesSent, metric.bytesSent);
    tallyMetric(rank, metric);
}

void RunIngest::tallyMetric(RankTally& rank, const Metric& metric) {
    RunTally& run = *run_;
    const std::optional<double> number = std::isnan(metric.value) ? std::nullopt : std::optional(metric.value);
    if (metric.name == "train/loss") {
        rank.trainLoss = number;
        rank.trained = true;
        rank.step = std::max(rank.step, metric.step);
        if (!run.firstWall || metric.wall < *run.firstWall) {
            run.firstWall = metric.wall;
            run.firstSamples = metric.samples;
        }
        improve(run.lastWall, metric.wall, std::greater<>());
        if (number) improve(run.lossMin, *number, std::less<>());
        if (number) improve(run.lossMax, *number, std::greater<>());
    } else if (metric.name == "overlap/hidden_s") {
        rank.hidden = number;
    } else if (metric.name == "overlap/reduce_s") {
        rank.reduce = number;
    } else if (metric.name == "overlap/blocked_s") {
        rank.blocked = number;
    } else if (metric.name == "overlap/compute_s") {
        rank.compute = number;
    } else if (rank.rank == 0 && metric.name == "eval/loss") {
        run.evalLoss = number;
        run.evaluated = true;
    } else if (rank.rank == 0 && metric.name == "eval/accuracy" && number) {
        improve(run.bestAccuracy, *number, std::greater<>());
    }
}

void RunIngest::takeState(RankTally& rank, const JournalEntry& entry) {
    SQLite::Statement insert(connection_.database(),
                             "INSERT INTO state_event (run, rank, state, step, text) VALUES (?,?,?,?,?)");
    insert.bind(1, runKey_);
    insert.bind(2, rank.rank);
    insert.bind(3, static_cast<int>(entry.state));
    insert.bind(4, entry.step);
    insert.bind(5, std::string(entry.text));
    insert.exec();
    rank.state = static_cast<int>(entry.state);
    rank.stateText = entry.text;
    rank.step = std::max(rank.step, entry.step);
    if (entry.state == RankState::Failed && run_->error.empty()) {
        run_->error = "rank " + std::to_string(rank.rank) + " failed at step " + std::to_string(entry.step) + ": " +
                      std::string(entry.text);
    }
}

std::int64_t RunIngest::nameKey(std::string_view name) {
    if (const auto known = names_.find(name); known != names_.end()) return known->second;
    SQLite::Statement insert(connection_.database(), "INSERT OR IGNORE INTO metric_name (name) VALUES (?)");
    insert.bind(1, std::string(name));
    insert.exec();
    SQLite::Statement query(connection_.database(), "SELECT id FROM metric_name WHERE name = ?");
    query.bind(1, std::string(name));
    query.executeStep();
    return names_.emplace(std::string(name), query.getColumn(0).getInt64()).first->second;
}

void RunIngest::writeChunk() {
    if (run_->chunkRows() <= 0) return;
    HotStatement& insert = statements_->chunk;
    insert.bind(1, runKey_);
    insert.bind(2, run_->chunkFirst);
    insert.bind(3, run_->chunkLast);
    insert.bind(4, run_->chunkStart);
    insert.bind(5, run_->chunkEnd);
    insert.run();
}

void RunIngest::writeRank(const RankTally& rank) {
    SQLite::Statement write(
        connection_.database(),
        "INSERT INTO rank_state (run, rank, sequence, events, state, step, samples, bytes_sent, newest_ns, train_loss, "
        "trained, hidden_s, reduce_s, blocked_s, compute_s, state_text) VALUES (:run, :rank, :sequence, :events, "
        ":state, "
        ":step, :samples, :bytes, :newest, :loss, :trained, :hidden, :reduce, :blocked, :compute, :text) "
        "ON CONFLICT (run, rank) DO UPDATE SET sequence = excluded.sequence, events = excluded.events, "
        "state = excluded.state, step = excluded.step, samples = excluded.samples, bytes_sent = excluded.bytes_sent, "
        "newest_ns = excluded.newest_ns, train_loss = excluded.train_loss, trained = excluded.trained, "
        "hidden_s = excluded.hidden_s, reduce_s = excluded.reduce_s, blocked_s = excluded.blocked_s, "
        "compute_s = excluded.compute_s, state_text = excluded.state_text");
    write.bind(":run", runKey_);
    write.bind(":rank", rank.rank);
    write.bind(":sequence", static_cast<std::int64_t>(rank.reader.lastSequence()));
    write.bind(":events", rank.events);
    if (rank.state) write.bind(":state", *rank.state);
    write.bind(":step", rank.step);
    write.bind(":samples", rank.samples);
    write.bind(":bytes", rank.bytesSent);
    write.bind(":newest", rank.newest);
    bindOptional(write, ":loss", rank.trainLoss);
    write.bind(":trained", rank.trained ? 1 : 0);
    bindOptional(write, ":hidden", rank.hidden);
    bindOptional(write, ":reduce", rank.reduce);
    bindOptional(write, ":blocked", rank.blocked);
    bindOptional(write, ":compute", rank.compute);
    write.bind(":text", rank.stateText);
    write.exec();
}

void RunIngest::writeRun() {
    const RunTally& run = *run_;
    SQLite::Statement write(
        connection_.database(),
        "UPDATE run SET (newest_ns, steps, samples, bytes_sent, loss, hidden, blocked_s) = ("
        "  SELECT max(newest_ns), max(step), max(samples), sum(bytes_sent),"
        "         CASE WHEN count(train_loss) = sum(trained) THEN avg(train_loss) END,"
        "         sum(hidden_s) / nullif(sum(reduce_s), 0), avg(blocked_s) FROM rank_state WHERE run = :run), "
        "spans = spans + :spans, first_span_ns = min(ifnull(first_span_ns, :firstSpan), ifnull(:firstSpan, "
        "first_span_ns)), "
        "last_span_ns = max(ifnull(last_span_ns, :lastSpan), ifnull(:lastSpan, last_span_ns)), "
        "first_samples = CASE WHEN :firstWall < ifnull(first_wall_ns, 9e18) THEN :firstSamples ELSE first_samples END, "
        "first_wall_ns = min(ifnull(first_wall_ns, :firstWall), ifnull(:firstWall, first_wall_ns)), "
        "last_wall_ns = max(ifnull(last_wall_ns, :lastWall), ifnull(:lastWall, last_wall_ns)), "
        "loss_min = min(ifnull(loss_min, :lossMin), ifnull(:lossMin, loss_min)), "
        "loss_max = max(ifnull(loss_max, :lossMax), ifnull(:lossMax, loss_max)), "
        "best_accuracy = max(ifnull(best_accuracy, :accuracy), ifnull(:accuracy, best_accuracy)), "
        "eval_loss = CASE WHEN :evaluated THEN :evalLoss ELSE eval_loss END, evaluated = max(evaluated, :evaluated), "
        "error = CASE WHEN error = '' THEN :error ELSE error END WHERE id = :run");
    const auto bindInteger = [&](const char* name, const std::optional<std::int64_t>& value) {
        if (value) write.bind(name, *value);
    };
    write.bind(":run", runKey_);
    write.bind(":spans", run.spans);
    bindInteger(":firstSpan", run.firstSpan);
    bindInteger(":lastSpan", run.lastSpan);
    bindInteger(":firstWall", run.firstWall);
    bindInteger(":lastWall", run.lastWall);
    write.bind(":firstSamples", run.firstSamples);
    bindOptional(write, ":lossMin", run.lossMin);
    bindOptional(write, ":lossMax", run.lossMax);
    bindOptional(write, ":accuracy", run.bestAccuracy);
    write.bind(":evaluated", run.evaluated ? 1 : 0);
    bindOptional(write, ":evalLoss", run.evalLoss);
    write.bind(":error", run.error);
    write.exec();
}

}  // namespace dasgd::storage
