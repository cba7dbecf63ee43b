#include "storage/collect/ingest.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/analysis/spans/timings.h"
#include "core/base/metric_names.h"
#include "storage/levels/span_row.h"

namespace dasgd::storage {

namespace {

constexpr std::int64_t kRowsOfChunk = 8192;  // most rows in a chunk
constexpr std::size_t kIngestLimit = 65536;  // most records in a transaction of collectAll()
constexpr std::size_t kMostNames = 65536;    // most names of spans whose ids are held in memory
// Shortest time between two updates of the overlap numbers by collect(), for each kRanksOfPause ranks.
constexpr auto kOverlapPause = std::chrono::milliseconds(500);
constexpr int kRanksOfPause = 64;

}  // namespace

struct RunIngest::Statements {
    explicit Statements(SQLite::Database& database)
        : span(database, "INSERT INTO span (tag, step, start_ns, duration_ns, bytes, collective) VALUES (?,?,?,?,?,?)"),
          label(database, "INSERT INTO span_label (span, name) VALUES (?,?)"),
          divide(database, "UPDATE span SET tag = ?, start_ns = ?, duration_ns = ? WHERE id = ?"),
          metric(database,
                 "INSERT INTO metric (run, name, rank, step, epoch, wall_ns, samples, bytes_sent, value) "
                 "VALUES (?,?,?,?,?,?,?,?,?)"),
          chunk(database,
                "INSERT INTO span_chunk (run, first_id, last_id, min_start, max_end) VALUES (?,?,?,?,?) ON CONFLICT "
                "(run, first_id) DO UPDATE SET "
                "last_id = excluded.last_id, min_start = excluded.min_start, max_end = excluded.max_end"),
          position(database,
                   "INSERT INTO rank_state (run, rank, sequence) VALUES (?,?,?) "
                   "ON CONFLICT (run, rank) DO UPDATE SET sequence = excluded.sequence") {}
    HotStatement span, label, divide, metric, chunk, position;
};

RunIngest::RunIngest(WriteConnection& connection, std::int64_t runKey, RecordSources sources, CollectorScope scope)
    : connection_(connection), runKey_(runKey), sources_(std::move(sources)), scope_(scope) {}
RunIngest::~RunIngest() = default;

void RunIngest::load() {
    auto& database = connection_.database();
    if (!statements_) statements_ = std::make_unique<Statements>(database);
    names_.clear();
    spanNames_.clear();
    positions_.clear();
    chunk_ = {};
    chunkGrew_ = false;
    int trainers = 1;
    SQLite::Statement run(database, "SELECT workers, keep_spans, trainers FROM run WHERE id = ?");
    run.bind(1, runKey_);
    if (run.executeStep()) {
        workers_ = run.getColumn(0).getInt();
        keepsSpans_ = run.getColumn(1).getInt() != 0;
        trainers = run.getColumn(2).getInt();
    }
    rateSums_ = std::make_unique<RateSums>(database, runKey_, trainers);
    levels_ = std::make_unique<LevelWriter>(database, runKey_, workers_);
    loadShared();
    loadReached();
    SQLite::Statement query(database, "SELECT sequence FROM rank_state WHERE run = ? AND rank = ?");
    for (const auto& source : sources_) {
        query.reset();
        query.bind(1, runKey_);
        query.bind(2, source->rank());
        const auto sequence = query.executeStep() ? static_cast<std::uint64_t>(query.getColumn(0).getInt64()) : 0;
        source->startAfter(sequence);
        positions_.push_back({.sequence = sequence});
    }
    loaded_ = true;
}

void RunIngest::loadReached() {
    reached_.clear();
    SQLite::Statement query(connection_.database(),
                            "SELECT rank, rank_state.step, rank_state.step / steps_per_epoch, rank_state.samples, "
                            "rank_state.bytes_sent FROM rank_state JOIN run ON run.id = rank_state.run "
                            "WHERE rank_state.run = ? AND rank_state.step > 0");
    query.bind(1, runKey_);
    while (query.executeStep()) {
        const int rank = query.getColumn(0).getInt();
        const bool isRead = std::ranges::any_of(sources_, [&](const auto& source) { return source->rank() == rank; });
        if (!isRead && scope_ != CollectorScope::AllRanks) continue;
        reached_[rank] = {query.getColumn(1).getInt64(), query.getColumn(2).getDouble(), query.getColumn(3).getInt64(),
                          query.getColumn(4).getInt64()};
    }
}

void RunIngest::loadShared() {
    tallies_ = std::make_unique<Tallies>(connection_.database(), runKey_, workers_);
    arrivals_ = std::make_unique<Arrivals>(connection_.database(), runKey_, workers_);
    rateSums_->catchUp();
}

Result<std::size_t> RunIngest::collect(std::size_t limit) {
    const auto pause = kOverlapPause * std::max(1, workers_ / kRanksOfPause);
    const bool due = std::chrono::steady_clock::now() - overlapFormed_ >= pause;
    return collect(limit, due ? Overlap::Update : Overlap::Keep);
}

Result<std::size_t> RunIngest::collect(std::size_t limit, Overlap overlap) {
    // The meters are stored with the overlap numbers, and the next collector of these ranks may be another process,
    // which reads them.
    if (overlap == Overlap::Keep && scope_ != CollectorScope::AllRanks) overlap = Overlap::Update;
    std::unique_ptr<WriteTransaction> transaction;
    auto result = guarded(connection_.paths().database(), [&]() -> Result<std::size_t> {
        try {
            if (!loaded_) load();
            const std::size_t taken = readSources(limit, transaction);
            // Meters are recomputed only once all records are rows.
            const std::vector<int> partial = taken == 0 ? ranksToRecompute(overlap) : std::vector<int>();
            const bool stale = overlap != Overlap::Keep && tallies_->overlapIsStale();
            if (!transaction && (stale || !partial.empty() || !processMetrics_.empty())) begin(transaction);
            if (!transaction) return taken;
            finish(*transaction, overlap, partial);
            stored_ += static_cast<std::int64_t>(taken);
            return taken;
        } catch (const Error& error) {
            return tl::unexpected<Error>(error);
        }
    });
    if (!result) loaded_ = false;
    return result;
}

std::vector<int> RunIngest::ranksToRecompute(Overlap overlap) {
    if (overlap != Overlap::Rebuild || !keepsSpans_) return {};
    // In a run that goes on other processes form the numbers of their ranks.
    if (scope_ != CollectorScope::SomeRanks) return tallies_->partialRanks(std::nullopt);
    std::vector<int> readHere;
    for (const auto& source : sources_) readHere.push_back(source->rank());
    return tallies_->partialRanks(readHere);
}

void RunIngest::finish(WriteTransaction& transaction, Overlap overlap, const std::vector<int>& partial) {
    arrivals_->settle(
        [this](const Arrivals::Arrival& arrival, Ns last) { divide(arrival, last); },
        [this](const Arrivals::Arrival& arrival) { return storeSpan(arrival.rank, arrival.reduce); },
        [this](const Arrivals::Arrival& arrival) { tallies_->undivided(arrival.rank, arrival.reduce.collective); });
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        if (positions_[i].moved) writePosition(sources_[i]->rank(), positions_[i].sequence);
    }
    if (std::exchange(chunkGrew_, false)) {
        writeChunk();
        const bool all = scope_ == CollectorScope::AllRanks;
        levels_->settle(all ? LevelWriter::Rows::OfThisCollector : LevelWriter::Rows::OfAnyCollector);
    }
    if (!partial.empty()) tallies_->recomputeMeters(partial);
    if (overlap != Overlap::Keep) {
        tallies_->formOverlap();
        overlapFormed_ = std::chrono::steady_clock::now();
    }
    tallies_->write();
    rateSums_->stored();
    storeProcessMetrics();
    transaction.commit();
    processMetrics_.clear();
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        if (std::exchange(positions_[i].moved, false)) sources_[i]->release(positions_[i].sequence);
    }
    tallies_->committed();
}

Status RunIngest::collectAll() {
    patience_ = FileLock::kPatience;
    for (;;) {
        DASGD_ASSIGN(const std::size_t taken, collect(kIngestLimit, Overlap::Keep));
        if (taken > 0) continue;
        DASGD_ASSIGN(const std::size_t late, collect(kIngestLimit, Overlap::Rebuild));
        if (late == 0) return {};
    }
}

std::string RunIngest::damage() const {
    std::string text;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        const std::string sentence = unread_[i].empty() ? sources_[i]->damage() : unread_[i];
        if (!sentence.empty()) text += (text.empty() ? "" : "; ") + sentence;
    }
    return text;
}

std::string RunIngest::unread() const {
    for (const std::string& sentence : unread_) {
        if (!sentence.empty()) return sentence;
    }
    return "";
}

void RunIngest::begin(std::unique_ptr<WriteTransaction>& transaction) {
    auto begun = WriteTransaction::begin(connection_, patience_);
    if (!begun) throw begun.error();
    transaction = std::move(*begun);
    if (scope_ != CollectorScope::AllRanks) loadShared();
    // A new chunk: the levels of the old one may have been made already.
    if (scope_ == CollectorScope::LateRanks) chunk_ = {};
}

// Throws dasgd::Error or SQLite::Exception. The transaction begins with the first record.
std::size_t RunIngest::readSources(std::size_t limit, std::unique_ptr<WriteTransaction>& transaction) {
    const std::size_t share = std::max<std::size_t>(1, limit / std::max<std::size_t>(1, sources_.size()));
    std::size_t taken = 0;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        RecordSource& source = *sources_[i];
        Position& position = positions_[i];
        const auto got = source.read(share, [&](const EventRecord& record) {
            if (!transaction) begin(transaction);
            take(record.rank.value_or(source.rank()), record);
            position = {.sequence = record.sequence, .moved = true};
            ++taken;
        });
        // An error is noted, and the other sources are read all the same.
        unread_[i] = got ? "" : got.error().message;
    }
    return taken;
}

void RunIngest::take(int rank, const EventRecord& record) {
    switch (record.type) {
        case EventRecord::Type::Span: return takeSpan(rank, record.span, record.name);
        case EventRecord::Type::Metric: return takeMetric(rank, record.metric);
        case EventRecord::Type::State: return takeState(rank, record);
    }
}

void RunIngest::takeSpan(int rank, const Span& span, std::string_view name) {
    tallies_->reported(rank, span);
    if (span.kind == SpanKind::Reduce && span.collective != 0) {
        // Added to the meter now, not at the end of the transaction: the meter must not settle the time of the
        // collective before that is divided.
        tallies_->derived(rank, span);
        return arrivals_->take(rank, span);
    }
    Span known = span;
    // A message between two ranks (collective 0) has no skew: all of its time is transfer.
    if (span.kind == SpanKind::Reduce) known.kind = SpanKind::Transfer;
    tallies_->derived(rank, known);
    const std::int64_t row = storeSpan(rank, known);
    if (row != 0 && !name.empty()) storeLabel(row, name);
}

void RunIngest::storeLabel(std::int64_t row, std::string_view name) {
    auto known = spanNames_.find(name);
    if (known == spanNames_.end()) {
        SQLite::Statement insert(connection_.database(), "INSERT OR IGNORE INTO span_name (name) VALUES (?)");
        insert.bind(1, std::string(name));
        insert.exec();
        SQLite::Statement query(connection_.database(), "SELECT id FROM span_name WHERE name = ?");
        query.bind(1, std::string(name));
        query.executeStep();
        // The ids are dropped at the limit, because a trace may give every span another name.
        if (spanNames_.size() >= kMostNames) spanNames_.clear();
        known = spanNames_.emplace(std::string(name), query.getColumn(0).getInt64()).first;
    }
    HotStatement& insert = statements_->label;
    insert.bind(1, row);
    insert.bind(2, known->second);
    insert.run();
}

// Returns the id of the row, or 0 where the run keeps no spans.
std::int64_t RunIngest::storeSpan(int rank, const Span& span) {
    if (!keepsSpans_) return 0;
    HotStatement& insert = statements_->span;
    insert.bind(1, tagOf(rank, span));
    insert.bind(2, span.step);
    insert.bind(3, span.start);
    insert.bind(4, span.end - span.start);
    insert.bind(5, span.bytes);
    insert.bind(6, static_cast<std::int64_t>(span.collective));
    insert.run();
    const std::int64_t id = sqlite3_last_insert_rowid(connection_.database().getHandle());
    if (id != chunk_.last + 1 || chunk_.rows() >= kRowsOfChunk || chunk_.rows() == 0) {
        writeChunk();
        chunk_ = {.first = id, .start = span.start, .end = span.end};
    }
    chunk_.last = id;
    chunk_.start = std::min(chunk_.start, span.start);
    chunk_.end = std::max(chunk_.end, span.end);
    chunkGrew_ = true;
    tallies_->stored(span);
    if (scope_ == CollectorScope::AllRanks) levels_->stored(id, rank, span);
    return id;
}

// Called once all ranks of the collective have reported. Stores skew and transfer; where the undivided reduce has a
// row, that becomes the transfer.
void RunIngest::divide(const Arrivals::Arrival& arrival, Ns lastArrival) {
    const auto [skew, transfer] = divideReduce(arrival.reduce, lastArrival);
    if (skew) {
        tallies_->derived(arrival.rank, *skew);
        storeSpan(arrival.rank, *skew);
    }
    tallies_->derived(arrival.rank, transfer);
    if (arrival.row == 0) {
        storeSpan(arrival.rank, transfer);
        return;
    }
    HotStatement& update = statements_->divide;
    update.bind(1, tagOf(arrival.rank, transfer));
    update.bind(2, transfer.start);
    update.bind(3, transfer.end - transfer.start);
    update.bind(4, arrival.row);
    update.run();
    levels_->changed(arrival.row, arrival.rank, transfer);
}

void RunIngest::takeMetric(int rank, const Metric& metric) {
    // A negative step: the rank measured beside the training, and the metric belongs to the step reached by now.
    if (metric.step < 0) return storeMetric(rank, placed(rank, metric));
    storeMetric(rank, metric);
    if (!metrics::isOverTime(metric.name))
        reached_[rank] = {metric.step, metric.epoch, metric.samples, metric.bytesSent};
    tallies_->metric(rank, metric);
    if (metric.name != metrics::kRankSamplesPerS) return;
    if (const auto whole = rateSums_->add(metric)) storeMetric(rank, *whole);
}

void RunIngest::storeMetric(int rank, const Metric& metric) {
    const bool wholeRun = metrics::isOfWholeRun(metric.name);
    HotStatement& insert = statements_->metric;
    insert.bind(1, runKey_);
    insert.bind(2, nameKey(metric.name));
    insert.bind(3, static_cast<std::int64_t>(wholeRun ? kWholeRun.value() : rank));
    insert.bind(4, metric.step);
    insert.bind(5, metric.epoch);
    insert.bind(6, metric.wall);
    insert.bind(7, metric.samples);
    insert.bind(8, metric.bytesSent);
    insert.bind(9, metric.value);
    insert.run();
}

void RunIngest::add(std::vector<ProcessMetric> metrics) {
    std::ranges::move(metrics, std::back_inserter(processMetrics_));
    if (processMetrics_.size() <= kMostProcessMetrics) return;
    const auto kept = static_cast<std::ptrdiff_t>(kMostProcessMetrics);
    processMetrics_.erase(processMetrics_.begin(), processMetrics_.end() - kept);
}

void RunIngest::storeProcessMetrics() {
    for (const ProcessMetric& measured : processMetrics_) {
        // A copy is placed: after a failed transaction it is placed again, at the steps reached by then.
        Metric metric = measured.metric;
        metric.name = measured.name;
        storeMetric(measured.rank, placed(measured.rank, metric));
    }
}

// Adds to a metric that was measured beside the training the step, epoch, samples and bytes that its rank has reached;
// for a metric of the whole run (rank < 0) those of the first rank that is collected here.
Metric RunIngest::placed(int rank, Metric metric) const {
    const auto at = rank < 0 ? reached_.begin() : reached_.find(rank);
    if (at != reached_.end()) {
        if (metric.step < 0) metric.step = at->second.step;
        metric.epoch = at->second.epoch;
        metric.samples = at->second.samples;
        metric.bytesSent = at->second.bytesSent;
    }
    metric.step = std::max<std::int64_t>(0, metric.step);
    return metric;
}

void RunIngest::takeState(int rank, const EventRecord& record) {
    SQLite::Statement insert(connection_.database(),
                             "INSERT INTO state_event (run, rank, state, step, text) VALUES (?,?,?,?,?)");
    insert.bind(1, runKey_);
    insert.bind(2, rank);
    insert.bind(3, static_cast<int>(record.state));
    insert.bind(4, record.step);
    insert.bind(5, std::string(record.text));
    insert.exec();
    tallies_->state(rank, record.state, record.step, record.text);
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
    if (chunk_.rows() <= 0) return;
    HotStatement& insert = statements_->chunk;
    insert.bind(1, runKey_);
    insert.bind(2, chunk_.first);
    insert.bind(3, chunk_.last);
    insert.bind(4, chunk_.start);
    insert.bind(5, chunk_.end);
    insert.run();
}

void RunIngest::writePosition(int rank, std::uint64_t sequence) {
    HotStatement& insert = statements_->position;
    insert.bind(1, runKey_);
    insert.bind(2, static_cast<std::int64_t>(rank));
    insert.bind(3, static_cast<std::int64_t>(sequence));
    insert.run();
}

}  // namespace dasgd::storage
