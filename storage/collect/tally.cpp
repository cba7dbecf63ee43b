#include "storage/collect/tally.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "core/analysis/inflation.h"
#include "core/analysis/spans/timings.h"
#include "core/base/metric_names.h"
#include "storage/collect/span_replay.h"

namespace dasgd::storage {

namespace {

constexpr const char* kFetchRank =
    "SELECT events, state, step, samples, bytes_sent, newest_ns, train_loss, trained, hidden_s, transfer_s, blocked_s, "
    "compute_s, skew_s, collectives, inflation, timed_steps, timed_s, state_text, measured_s "
    "FROM rank_state WHERE run = ? AND rank = ?";

// `sequence` is left to who reads the journal.
constexpr const char* kWriteRank =
    "INSERT INTO rank_state (run, rank, events, state, step, samples, bytes_sent, newest_ns, train_loss, trained, "
    "hidden_s, transfer_s, blocked_s, compute_s, skew_s, collectives, inflation, timed_steps, timed_s, state_text, "
    "measured_s) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) "
    "ON CONFLICT (run, rank) DO UPDATE SET events = excluded.events, state = excluded.state, step = excluded.step, "
    "samples = excluded.samples, bytes_sent = excluded.bytes_sent, newest_ns = excluded.newest_ns, "
    "train_loss = excluded.train_loss, trained = excluded.trained, hidden_s = excluded.hidden_s, "
    "transfer_s = excluded.transfer_s, blocked_s = excluded.blocked_s, compute_s = excluded.compute_s, "
    "skew_s = excluded.skew_s, collectives = excluded.collectives, inflation = excluded.inflation, "
    "timed_steps = excluded.timed_steps, timed_s = excluded.timed_s, state_text = excluded.state_text, "
    "measured_s = excluded.measured_s";

constexpr const char* kWriteRun =
    "UPDATE run SET (newest_ns, steps, samples, bytes_sent, loss, hidden, blocked_s, skew_s, timed_steps, measured_s) "
    "= ("
    "  SELECT max(newest_ns), max(step), CAST(round(ifnull(avg(CASE WHEN trained OR timed_steps IS NOT NULL THEN "
    "nullif(samples, 0) END), 0)) AS INTEGER), sum(bytes_sent),"
    "         CASE WHEN count(train_loss) = sum(trained) THEN avg(train_loss) END,"
    "         sum(hidden_s) / nullif(sum(transfer_s), 0), avg(blocked_s), sum(skew_s) / nullif(sum(collectives), 0),"
    "         avg(timed_steps), CASE WHEN count(measured_s) = count(blocked_s) THEN "
    "avg(measured_s) END FROM rank_state WHERE run = :run), "
    "spans = spans + :spans, first_span_ns = min(ifnull(first_span_ns, :firstSpan), ifnull(:firstSpan, "
    "first_span_ns)), "
    "last_span_ns = max(ifnull(last_span_ns, :lastSpan), ifnull(:lastSpan, last_span_ns)), "
    "loss_min = min(ifnull(loss_min, :lossMin), ifnull(:lossMin, loss_min)), "
    "loss_max = max(ifnull(loss_max, :lossMax), ifnull(:lossMax, loss_max)), "
    // Once one was chosen on a validation set, the largest accuracy on the test set is not asked for.
    "best_accuracy = CASE WHEN :chosen IS NOT NULL THEN :chosen "
    "WHEN :accuracy IS NOT NULL AND EXISTS (SELECT 1 FROM metric WHERE metric.run = :run AND metric.name = "
    "(SELECT metric_name.id FROM metric_name WHERE metric_name.name = :chosenName)) THEN best_accuracy "
    "ELSE max(ifnull(best_accuracy, :accuracy), ifnull(:accuracy, best_accuracy)) END, "
    "eval_loss = CASE WHEN :evaluated THEN :evalLoss ELSE eval_loss END, evaluated = max(evaluated, :evaluated), "
    "error = CASE WHEN error = '' THEN :error ELSE error END WHERE id = :run";

template <class T>
void bindOptional(SQLite::Statement& statement, const char* name, const std::optional<T>& value) {
    if (value) {
        statement.bind(name, *value);
    } else {
        statement.bind(name);
    }
}

std::optional<std::int64_t> optionalCount(const SQLite::Column& column) {
    if (column.isNull()) return std::nullopt;
    return column.getInt64();
}

double inSeconds(Ns ns) { return static_cast<double>(ns) / 1e9; }

std::optional<double> optionalColumn(const SQLite::Column& column) {
    if (column.isNull()) return std::nullopt;
    return column.getDouble();
}

}  // namespace

Tallies::Tallies(SQLite::Database& database, std::int64_t runKey, int workers)
    : runKey_(runKey),
      workers_(workers),
      database_(database),
      fetchRank_(database, kFetchRank),
      fetchMeter_(database, "SELECT events, state FROM rank_meter WHERE run = ? AND rank = ?"),
      writeRun_(database, kWriteRun),
      writeRank_(database, kWriteRank),
      insertMeter_(database, "INSERT OR REPLACE INTO rank_meter (run, rank, events, state) VALUES (?,?,?,?)") {}

void Tallies::reported(int rank, const Span& span) {
    RankTally& tally = changing(rank);
    tally.newest = std::max(tally.newest, span.end);
}

void Tallies::derived(int rank, const Span& span) {
    RankTally& tally = changing(rank);
    tally.meter.add(span);
    if (span.kind == SpanKind::Window) {
        tally.timedSteps = tally.timedSteps.value_or(0) + span.bytes;
        tally.timedSeconds = tally.timedSeconds.value_or(0) + inSeconds(span.end - span.start);
        delta_.timed = true;
    }
    makeStale(tally);
}

void Tallies::undivided(int rank, std::uint64_t collective) {
    RankTally& tally = touched(rank);
    tally.meter.giveUp(collective);
    makeStale(tally);
}

void Tallies::stored(const Span& span) {
    ++delta_.spans;
    improve(delta_.firstSpan, span.start, std::less<>());
    improve(delta_.lastSpan, span.end, std::greater<>());
}

void Tallies::metric(int rank, const Metric& metric) {
    RankTally& tally = changing(rank);
    tally.newest = std::max(tally.newest, metric.wall);
    // Where workers share the work, the step of a rank's own rate is one of its own.
    if (metric.samples > tally.samples && metric.name != metrics::kRankSamplesPerS) {
        // Together, so that their ratio is that of one moment.
        tally.samples = metric.samples;
        tally.step = std::max(tally.step, metric.step);
    }
    tally.bytesSent = std::max(tally.bytesSent, metric.bytesSent);
    const std::optional<double> number = std::isnan(metric.value) ? std::nullopt : std::optional(metric.value);
    if (metric.name == metrics::kTrainLoss) {
        tally.step = std::max(tally.step, metric.step);
        tally.trainLoss = number;
        tally.trained = true;
        if (number) improve(delta_.lossMin, *number, std::less<>());
        if (number) improve(delta_.lossMax, *number, std::greater<>());
    } else if (metric.name == metrics::kTrainStepMs) {
        tally.step = std::max(tally.step, metric.step);
        tally.trained = true;
    } else if (metric.name == metrics::kTimedSteps && number) {
        tally.step = std::max(tally.step, metric.step);
        tally.timedSteps = static_cast<std::int64_t>(*number);
        delta_.timed = true;
    } else if (metric.name == metrics::kTimedSeconds) {
        tally.timedSeconds = number;
        delta_.timed = true;
    } else if (metric.name == metrics::kEvalLoss) {
        delta_.evalLoss = number;
        delta_.evaluated = true;
    } else if (metric.name == metrics::kEvalAccuracy && number) {
        improve(delta_.bestAccuracy, *number, std::greater<>());
    } else if (metric.name == metrics::kEvalChosenAccuracy && number) {
        delta_.chosenAccuracy = number;
    }
}

void Tallies::state(int rank, RankState state, std::int64_t step, std::string_view text) {
    RankTally& tally = changing(rank);
    tally.state = static_cast<std::int64_t>(state);
    tally.stateText = text;
    tally.step = std::max(tally.step, step);
    if (state == RankState::Failed && delta_.error.empty()) {
        delta_.error = "rank " + std::to_string(rank) + " failed at step " + std::to_string(step) + ": ";
        delta_.error += text;
    }
}

Tallies::RankTally& Tallies::changing(int rank) {
    RankTally& tally = touched(rank);
    ++tally.events;
    tally.lacksRows = tally.overlapStays;
    // Also by a record that its meter leaves out: a meter is whole if it was saved after so many of them.
    makeStale(tally);
    return tally;
}

void Tallies::makeStale(RankTally& tally) {
    if (!tally.overlapStays && !std::exchange(tally.stale, true)) stale_.push_back(&tally);
}

Tallies::RankTally& Tallies::touched(int rank) {
    if (!latest_ || latest_->rank != rank) latest_ = &known(rank);
    if (!std::exchange(latest_->changed, true)) changed_.push_back(latest_);
    return *latest_;
}

Tallies::RankTally& Tallies::known(int rank) {
    if (const auto found = ranks_.find(rank); found != ranks_.end()) return found->second;
    RankTally& tally = ranks_.emplace(rank, RankTally{.rank = rank, .meter = RankMeter(mostKept())}).first->second;
    fetch(tally);
    return tally;
}

void Tallies::fetch(RankTally& tally) {
    fetchRank_.reset();
    fetchRank_.bind(1, runKey_);
    fetchRank_.bind(2, tally.rank);
    if (fetchRank_.executeStep()) {
        tally.events = fetchRank_.getColumn(0).getInt64();
        if (!fetchRank_.getColumn(1).isNull()) tally.state = fetchRank_.getColumn(1).getInt64();
        tally.step = fetchRank_.getColumn(2).getInt64();
        tally.samples = fetchRank_.getColumn(3).getInt64();
        tally.bytesSent = fetchRank_.getColumn(4).getInt64();
        tally.newest = fetchRank_.getColumn(5).getInt64();
        tally.trainLoss = optionalColumn(fetchRank_.getColumn(6));
        tally.trained = fetchRank_.getColumn(7).getInt() != 0;
        tally.hidden = optionalColumn(fetchRank_.getColumn(8));
        tally.transfer = optionalColumn(fetchRank_.getColumn(9));
        tally.blocked = optionalColumn(fetchRank_.getColumn(10));
        tally.compute = optionalColumn(fetchRank_.getColumn(11));
        tally.skew = optionalColumn(fetchRank_.getColumn(12));
        tally.collectives = optionalCount(fetchRank_.getColumn(13));
        tally.inflation = optionalColumn(fetchRank_.getColumn(14));
        tally.timedSteps = optionalCount(fetchRank_.getColumn(15));
        tally.timedSeconds = optionalColumn(fetchRank_.getColumn(16));
        tally.stateText = fetchRank_.getColumn(17).getString();
        tally.measured = optionalColumn(fetchRank_.getColumn(18));
        fetchMeter(tally);
    }
    fetchRank_.reset();
}

// Spans that a meter keeps of its rank: many where there are few ranks, as one of them may be read long before another.
std::size_t Tallies::mostKept() const {
    constexpr std::size_t kOfAllRanks = 4'194'304, kMost = 262'144;
    const auto ranks = static_cast<std::size_t>(std::max(1, workers_));
    return std::clamp(kOfAllRanks / ranks, RankMeter::kMostKept, kMost);
}

// Records stored after the last saved state of the meter are missing from it where the collector was killed: the
// numbers cover less time until they are formed anew. Where no state is left, those that are stored stay until then; an
// empty state says that they lack rows, which a transaction before or another collector stored.
void Tallies::fetchMeter(RankTally& tally) {
    fetchMeter_.reset();
    fetchMeter_.bind(1, runKey_);
    fetchMeter_.bind(2, tally.rank);
    bool whole = tally.events == 0;
    if (fetchMeter_.executeStep()) {
        const SQLite::Column state = fetchMeter_.getColumn(1);
        tally.overlapStays = tally.lacksRows = state.size() == 0;
        auto meter = RankMeter::load(
            {static_cast<const char*>(state.getBlob()), static_cast<std::size_t>(state.size())}, mostKept());
        whole = meter && fetchMeter_.getColumn(0).getInt64() == tally.events;
        if (meter) tally.meter = std::move(*meter);
    } else {
        tally.overlapStays = tally.measured.has_value();
    }
    if (!whole) tally.meter.settleEarly(tally.newest + 1);
    fetchMeter_.reset();
}

std::vector<int> Tallies::partialRanks(const std::optional<std::vector<int>>& own) {
    // A rank of which no record came to this collector may have a meter that was saved partial.
    std::set<int> asked;
    if (own) asked.insert(own->begin(), own->end());
    SQLite::Statement query(database_, own ? "SELECT rank FROM rank_meter WHERE run = ? AND length(state) = 0"
                                           : "SELECT rank FROM rank_state WHERE run = ? AND timed_steps IS NOT NULL");
    query.bind(1, runKey_);
    while (query.executeStep()) asked.insert(query.getColumn(0).getInt());
    std::vector<int> ranks;
    for (const int rank : asked) {
        const RankTally& tally = known(rank);
        if (tally.timedSteps && tally.meter.isPartial() && (tally.lacksRows || !tally.overlapStays))
            ranks.push_back(rank);
    }
    return ranks;
}

void Tallies::recomputeMeters(const std::vector<int>& ranks) {
    std::unordered_map<int, RankMeter*> meters;
    for (const int rank : ranks) {
        RankTally& tally = touched(rank);
        tally.meter = RankMeter(mostKept());
        tally.overlapStays = tally.lacksRows = false;
        makeStale(tally);
        meters.emplace(rank, &tally.meter);
    }
    replaySpans(database_, runKey_, [&](int rank, const Span& span, bool neverDivided) {
        const auto found = meters.find(rank);
        if (found == meters.end()) return;
        found->second->add(span);
        if (neverDivided) found->second->giveUp(span.collective);
    });
}

void Tallies::formOverlap() {
    for (RankTally* tally : std::exchange(stale_, {})) {
        tally->stale = false;
        delta_.overlap = true;
        touched(tally->rank);
        const OverlapTotals totals = tally->meter.totals();
        if (totals.window > 0) {
            tally->measured = inSeconds(totals.window);
            tally->hidden = inSeconds(totals.hidden);
            tally->transfer = inSeconds(totals.transfer);
            tally->blocked = inSeconds(totals.blocked);
            tally->compute = inSeconds(totals.compute);
            tally->skew = inSeconds(totals.skew);
            tally->collectives = totals.transfers;
            tally->inflation = totals.inflation();
        }
        writeMeter(*tally, tally->meter.save());
    }
}

void Tallies::writeMeter(const RankTally& tally, const std::string& state) {
    insertMeter_.bind(1, runKey_);
    insertMeter_.bind(2, static_cast<std::int64_t>(tally.rank));
    insertMeter_.bind(3, tally.events);
    sqlite3_bind_blob(insertMeter_.get(), 4, state.data(), static_cast<int>(state.size()), SQLITE_STATIC);
    insertMeter_.run();
}

void Tallies::write() {
    for (const RankTally* tally : changed_) {
        writeRank(*tally);
        if (tally->lacksRows) writeMeter(*tally, "");
    }
    writeRun();
    if (delta_.timed) writeRate();
    if (delta_.overlap) writeInflation();
}

void Tallies::writeInflation() {
    std::vector<double> ranks;
    SQLite::Statement query(database_,
                            "SELECT inflation FROM rank_state WHERE run = ? AND inflation IS NOT NULL ORDER BY rank");
    query.bind(1, runKey_);
    while (query.executeStep()) ranks.push_back(query.getColumn(0).getDouble());
    const Sample sample = inflationOfRanks(ranks);
    SQLite::Statement write(database_, "UPDATE run SET inflation = :mean, inflation_ranks = :ranks WHERE id = :run");
    bindOptional(write, ":mean", sample.n > 0 ? std::optional(sample.mean) : std::nullopt);
    write.bind(":ranks", static_cast<std::int64_t>(ranks.size()));
    write.bind(":run", runKey_);
    write.exec();
}

// A run with an untimed rank has no rate: the mean of the other ranks would describe a different run. Ranks that serve
// train no step and do not count.
void Tallies::writeRate() {
    std::vector<RankRate> ranks;
    const std::string trains = "(trained OR timed_steps IS NOT NULL)";
    SQLite::Statement query(
        database_, "SELECT ifnull(timed_steps, 0), ifnull(timed_s, 0) FROM rank_state WHERE run = ? AND " + trains);
    query.bind(1, runKey_);
    while (query.executeStep()) {
        ranks.push_back({.steps = query.getColumn(0).getInt64(), .seconds = query.getColumn(1).getDouble()});
    }
    // The mean over the steps made so far: the last batch of an epoch may be short.
    SQLite::Statement batchSize(
        database_,
        "SELECT ifnull((SELECT sum(samples) * 1.0 / nullif(sum(step) * count(*), 0) FROM rank_state "
        "WHERE rank_state.run = run.id AND step > 0 AND samples > 0 AND " +
            trains + "), batch_size) FROM run WHERE id = ?");
    batchSize.bind(1, runKey_);
    const double batch = batchSize.executeStep() ? batchSize.getColumn(0).getDouble() : 0;
    const auto rate = rateOf(ranks, batch);
    SQLite::Statement write(database_, "UPDATE run SET step_ms = :stepMs, samples_per_s = :rate WHERE id = :run");
    write.bind(":run", runKey_);
    bindOptional(write, ":stepMs", rate ? std::optional(rate->stepSeconds * 1e3) : std::nullopt);
    bindOptional(write, ":rate", rate && batch > 0 ? std::optional(rate->samplesPerS) : std::nullopt);
    write.exec();
}

void Tallies::committed() {
    for (RankTally* tally : changed_) tally->changed = false;
    changed_.clear();
    delta_ = {};
}

void Tallies::writeRank(const RankTally& tally) {
    int place = 0;
    writeRank_.bind(++place, runKey_);
    writeRank_.bind(++place, static_cast<std::int64_t>(tally.rank));
    writeRank_.bind(++place, tally.events);
    writeRank_.bind(++place, tally.state);
    writeRank_.bind(++place, tally.step);
    writeRank_.bind(++place, tally.samples);
    writeRank_.bind(++place, tally.bytesSent);
    writeRank_.bind(++place, tally.newest);
    writeRank_.bind(++place, tally.trainLoss);
    writeRank_.bind(++place, static_cast<std::int64_t>(tally.trained));
    writeRank_.bind(++place, tally.hidden);
    writeRank_.bind(++place, tally.transfer);
    writeRank_.bind(++place, tally.blocked);
    writeRank_.bind(++place, tally.compute);
    writeRank_.bind(++place, tally.skew);
    writeRank_.bind(++place, tally.collectives);
    writeRank_.bind(++place, tally.inflation);
    writeRank_.bind(++place, tally.timedSteps);
    writeRank_.bind(++place, tally.timedSeconds);
    writeRank_.bind(++place, tally.stateText);
    writeRank_.bind(++place, tally.measured);
    writeRank_.run();
}

void Tallies::writeRun() {
    writeRun_.bind(":run", runKey_);
    writeRun_.bind(":spans", delta_.spans);
    bindOptional(writeRun_, ":firstSpan", delta_.firstSpan);
    bindOptional(writeRun_, ":lastSpan", delta_.lastSpan);
    bindOptional(writeRun_, ":lossMin", delta_.lossMin);
    bindOptional(writeRun_, ":lossMax", delta_.lossMax);
    bindOptional(writeRun_, ":accuracy", delta_.bestAccuracy);
    bindOptional(writeRun_, ":chosen", delta_.chosenAccuracy);
    writeRun_.bind(":chosenName", metrics::kEvalChosenAccuracy);
    writeRun_.bind(":evaluated", delta_.evaluated ? 1 : 0);
    bindOptional(writeRun_, ":evalLoss", delta_.evalLoss);
    writeRun_.bind(":error", delta_.error);
    writeRun_.exec();
    writeRun_.reset();
}

}  // namespace dasgd::storage
