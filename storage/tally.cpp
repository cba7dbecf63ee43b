#include "storage/tally.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace dasgd::storage {

namespace {

constexpr const char* kFetchRank =
    "SELECT events, state, step, samples, bytes_sent, newest_ns, train_loss, trained, hidden_s, reduce_s, blocked_s, "
    "compute_s, state_text FROM rank_state WHERE run = ? AND rank = ?";

// `sequence` is left to who reads the journal.
constexpr const char* kWriteRank =
    "INSERT INTO rank_state (run, rank, events, state, step, samples, bytes_sent, newest_ns, train_loss, trained, "
    "hidden_s, reduce_s, blocked_s, compute_s, state_text) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) "
    "ON CONFLICT (run, rank) DO UPDATE SET events = excluded.events, state = excluded.state, step = excluded.step, "
    "samples = excluded.samples, bytes_sent = excluded.bytes_sent, newest_ns = excluded.newest_ns, "
    "train_loss = excluded.train_loss, trained = excluded.trained, hidden_s = excluded.hidden_s, "
    "reduce_s = excluded.reduce_s, blocked_s = excluded.blocked_s, compute_s = excluded.compute_s, "
    "state_text = excluded.state_text";

constexpr const char* kWriteRun =
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
    "error = CASE WHEN error = '' THEN :error ELSE error END WHERE id = :run";

template <class T>
void bindOptional(SQLite::Statement& statement, const char* name, const std::optional<T>& value) {
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

}  // namespace

Tallies::Tallies(SQLite::Database& database, std::int64_t runKey)
    : runKey_(runKey),
      fetchRank_(database, kFetchRank),
      writeRun_(database, kWriteRun),
      writeRank_(database, kWriteRank) {}

void Tallies::span(int rank, const Span& span) {
    RankTally& tally = changing(rank);
    tally.newest = std::max(tally.newest, span.end);
    ++batch_.spans;
    improve(batch_.firstSpan, span.start, std::less<>());
    improve(batch_.lastSpan, span.end, std::greater<>());
}

void Tallies::metric(int rank, const Metric& metric) {
    RankTally& tally = changing(rank);
    tally.newest = std::max(tally.newest, metric.wall);
    tally.samples = std::max(tally.samples, metric.samples);
    tally.bytesSent = std::max(tally.bytesSent, metric.bytesSent);
    const std::optional<double> number = std::isnan(metric.value) ? std::nullopt : std::optional(metric.value);
    if (metric.name == "train/loss") {
        trained(tally, metric);
        tally.trainLoss = number;
        tally.trained = true;
        if (number) improve(batch_.lossMin, *number, std::less<>());
        if (number) improve(batch_.lossMax, *number, std::greater<>());
    } else if (metric.name == "train/step_ms") {
        trained(tally, metric);
    } else if (metric.name == "overlap/hidden_s") {
        tally.hidden = number;
    } else if (metric.name == "overlap/reduce_s") {
        tally.reduce = number;
    } else if (metric.name == "overlap/blocked_s") {
        tally.blocked = number;
    } else if (metric.name == "overlap/compute_s") {
        tally.compute = number;
    } else if (rank == 0 && metric.name == "eval/loss") {
        batch_.evalLoss = number;
        batch_.evaluated = true;
    } else if (rank == 0 && metric.name == "eval/accuracy" && number) {
        improve(batch_.bestAccuracy, *number, std::greater<>());
    }
}

// Steps, and the time and samples between the first and the last of such records: what throughput is formed from.
void Tallies::trained(RankTally& tally, const Metric& metric) {
    tally.step = std::max(tally.step, metric.step);
    if (!batch_.firstWall || metric.wall < *batch_.firstWall) {
        batch_.firstWall = metric.wall;
        batch_.firstSamples = metric.samples;
    }
    improve(batch_.lastWall, metric.wall, std::greater<>());
}

void Tallies::state(int rank, RankState state, std::int64_t step, std::string_view text) {
    RankTally& tally = changing(rank);
    tally.state = static_cast<std::int64_t>(state);
    tally.stateText = text;
    tally.step = std::max(tally.step, step);
    if (state == RankState::Failed && batch_.error.empty()) {
        batch_.error = "rank " + std::to_string(rank) + " failed at step " + std::to_string(step) + ": ";
        batch_.error += text;
    }
}

Tallies::RankTally& Tallies::changing(int rank) {
    if (!latest_ || latest_->rank != rank) latest_ = &known(rank);
    ++latest_->events;
    if (!std::exchange(latest_->changed, true)) changed_.push_back(latest_);
    return *latest_;
}

Tallies::RankTally& Tallies::known(int rank) {
    const auto [place, fresh] = ranks_.try_emplace(rank, RankTally{.rank = rank});
    if (fresh) fetch(place->second);
    return place->second;
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
        tally.reduce = optionalColumn(fetchRank_.getColumn(9));
        tally.blocked = optionalColumn(fetchRank_.getColumn(10));
        tally.compute = optionalColumn(fetchRank_.getColumn(11));
        tally.stateText = fetchRank_.getColumn(12).getString();
    }
    fetchRank_.reset();
}

void Tallies::write() {
    for (const RankTally* tally : changed_) writeRank(*tally);
    writeRun();
}

void Tallies::committed() {
    for (RankTally* tally : changed_) tally->changed = false;
    changed_.clear();
    batch_ = {};
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
    writeRank_.bind(++place, tally.reduce);
    writeRank_.bind(++place, tally.blocked);
    writeRank_.bind(++place, tally.compute);
    writeRank_.bind(++place, tally.stateText);
    writeRank_.run();
}

void Tallies::writeRun() {
    writeRun_.bind(":run", runKey_);
    writeRun_.bind(":spans", batch_.spans);
    bindOptional(writeRun_, ":firstSpan", batch_.firstSpan);
    bindOptional(writeRun_, ":lastSpan", batch_.lastSpan);
    bindOptional(writeRun_, ":firstWall", batch_.firstWall);
    bindOptional(writeRun_, ":lastWall", batch_.lastWall);
    writeRun_.bind(":firstSamples", batch_.firstSamples);
    bindOptional(writeRun_, ":lossMin", batch_.lossMin);
    bindOptional(writeRun_, ":lossMax", batch_.lossMax);
    bindOptional(writeRun_, ":accuracy", batch_.bestAccuracy);
    writeRun_.bind(":evaluated", batch_.evaluated ? 1 : 0);
    bindOptional(writeRun_, ":evalLoss", batch_.evalLoss);
    writeRun_.bind(":error", batch_.error);
    writeRun_.exec();
    writeRun_.reset();
}

}  // namespace dasgd::storage
