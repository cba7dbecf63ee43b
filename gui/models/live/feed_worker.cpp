#include "gui/models/live/feed_worker.h"

#include <algorithm>
#include <system_error>

#include "gui/models/runs/run_config.h"

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kLoadBudget{60};
// Of reading times: what is live waits no longer than that for it.
constexpr qint64 kTimesBudgetMs = 25;
constexpr std::size_t kRunsAtOnce = 1000;

bool sameRow(const storage::RunRow& a, const storage::RunRow& b) {
    return a.status == b.status && a.steps == b.steps && a.wallS == b.wallS && a.samples == b.samples &&
           a.finalLoss == b.finalLoss && a.bestAccuracy == b.bestAccuracy && a.hidden == b.hidden &&
           a.blockedS == b.blockedS && a.samplesPerS == b.samplesPerS && a.error == b.error &&
           a.stepMs == b.stepMs && a.bytesSent == b.bytesSent && a.startedAt == b.startedAt;
}

}  // namespace

void FeedWorker::setWatched(const QString& run, const QStringList& others) {
    const std::lock_guard lock(mutex_);
    wantedRun_ = run;
    wantedOthers_ = others;
    watchChanged_ = true;
}

void FeedWorker::setTimesWish(const QStringList& runs) {
    const std::lock_guard lock(mutex_);
    timesWish_ = runs;
}

void FeedWorker::setWish(const TimelineRequest& wish) {
    const std::lock_guard lock(mutex_);
    wish_ = wish;
}

void FeedWorker::setMeasure(const QString& run, TimeRange range) {
    const std::lock_guard lock(mutex_);
    measure_ = {run, range};
}

void FeedWorker::start() {
    timer_ = new QTimer(this);
    timer_->setTimerType(Qt::PreciseTimer);
    connect(timer_, &QTimer::timeout, this, &FeedWorker::poll);
    timer_->start(kPollMs);
    poll();
}

// A folder in which nothing has been run is an empty workspace, not a broken one. The first run makes lab.db, which has
// no byte before it has its tables.
bool FeedWorker::isUnused() const {
    std::error_code code;
    const std::filesystem::path database = workspace_ / "lab.db";
    if (!std::filesystem::exists(database, code)) return !code && std::filesystem::is_directory(workspace_, code);
    return std::filesystem::file_size(database, code) == 0;
}

bool FeedWorker::ensureOpen() {
    if (reader_) return true;
    if (!openPace_.due()) return false;
    openPace_.spent(0);
    if (isUnused()) {
        complain("");
        if (!saidUnused_) emit runsChanged({}, {});
        saidUnused_ = true;
        return false;
    }
    auto opened = storage::RunReader::open(workspace_);
    if (!opened) {
        complain(opened.error().message);
        return false;
    }
    reader_.emplace(std::move(*opened));
    version_ = -1;
    return true;
}

void FeedWorker::complain(const std::string& message) {
    const QString text = QString::fromStdString(message);
    if (text == complaint_) return;
    complaint_ = text;
    emit trouble(text);
}

void FeedWorker::poll() {
    if (!ensureOpen()) return;
    takeWatched();
    const auto version = reader_->dataVersion();
    if (!version) {
        complain(version.error().message);
        reader_.reset();
        return;
    }
    const bool changed = *version != version_;
    version_ = *version;
    if (changed) runsStale_ = metricsStale_ = detailStale_ = pulseStale_ = true;
    const bool staleFrame = frameStale_;
    // The pulse goes first: it moves the live edge, and the timeline is what lags visibly.
    for (const auto& part :
         {&FeedWorker::readPulse, &FeedWorker::readRuns, &FeedWorker::readMetrics, &FeedWorker::readDetail}) {
        if (const Status done = (this->*part)(); !done) {
            complain(done.error().message);
            reader_.reset();
            return;
        }
    }
    complain("");
    if (staleFrame) serveTimeline();
    serveTimes();
}

void FeedWorker::takeWatched() {
    const std::lock_guard lock(mutex_);
    if (!watchChanged_) return;
    watchChanged_ = false;
    if (wantedRun_ != current_) {
        current_ = wantedRun_;
        const auto known = runs_.find(current_);
        spans_.reset(known == runs_.end() ? 0 : known->second->row.workers);
        pulse_ = {.databaseBytes = pulse_.databaseBytes};
        answered_.reset();
        detailStale_ = pulseStale_ = true;
        detailPace_.hurry();
    }
    std::map<QString, Watched> next;
    for (const QString& run : QStringList{current_} + wantedOthers_) {
        if (!run.isEmpty()) next[run] = watched_.contains(run) ? watched_[run] : Watched{};
    }
    watched_ = std::move(next);
    metricsStale_ = true;
}

bool FeedWorker::isLiveRun(const QString& run) const {
    const auto found = runs_.find(run);
    return found == runs_.end() || isLive(found->second->row);
}

Status FeedWorker::readRuns() {
    if (!runsStale_ || !runsPace_.due()) return {};
    const qint64 begun = runsPace_.now();
    DASGD_ASSIGN(std::vector<storage::RunRow> rows, reader_->runs());
    runsStale_ = false;
    std::map<QString, RunItemPtr> next;
    std::vector<RunItemPtr> changed;
    for (storage::RunRow& row : rows) {
        const QString id = QString::fromStdString(row.runId);
        const auto old = runs_.find(id);
        if (old != runs_.end() && sameRow(old->second->row, row)) {
            next.insert(*old);
            continue;
        }
        // Ended runs may still have records that were not read when they were live.
        if (old != runs_.end() && watched_.contains(id)) metricsStale_ = pulseStale_ = detailStale_ = true;
        changed.push_back(makeRunItem(std::move(row)));
        next[id] = changed.back();
        if (changed.size() == kRunsAtOnce) {
            emit runsChanged(changed, {});
            changed.clear();
        }
    }
    QStringList removed;
    for (const auto& [id, item] : runs_) {
        if (!next.contains(id)) removed << id;
    }
    const bool first = runs_.empty();
    runs_ = std::move(next);
    runsPace_.spent(runsPace_.now() - begun);
    if (!changed.empty() || !removed.isEmpty() || first) emit runsChanged(changed, removed);
    return {};
}

Status FeedWorker::readMetrics() {
    if (!metricsStale_) return {};
    metricsStale_ = false;
    for (auto& [run, watched] : watched_) {
        if (!watched.complete) DASGD_TRY(readMetricsOf(run, watched));
    }
    return {};
}

Status FeedWorker::readMetricsOf(const QString& run, Watched& watched) {
    const bool live = isLiveRun(run);
    for (const std::string& name : Feed::metricNames()) {
        std::int64_t& last = watched.lastRowid[name];
        DASGD_ASSIGN(storage::MetricAnswer answer,
                     reader_->metrics({.runId = run.toStdString(), .name = name, .afterRowid = last}));
        if (answer.samples.empty()) continue;
        last = answer.lastRowid;
        emit metricsArrived({run, name, std::move(answer.samples)});
    }
    watched.complete = !live;
    return {};
}

Status FeedWorker::readDetail() {
    if (!detailStale_ || current_.isEmpty() || !detailPace_.due()) return {};
    const qint64 begun = detailPace_.now();
    auto detail = reader_->run(current_.toStdString());
    detailPace_.spent(detailPace_.now() - begun);
    detailStale_ = false;
    if (!detail) {
        complain(detail.error().message);
        return {};
    }
    if (pulse_.clockOrigin != detail->clockOrigin) pulseStale_ = true;
    pulse_.clockOrigin = detail->clockOrigin;
    emit detailArrived(*detail);
    return {};
}

Status FeedWorker::readPulse() {
    if (!pulseStale_ && !sizePace_.due()) return {};
    if (sizePace_.due()) {
        sizePace_.spent(0);
        pulse_.databaseBytes = 0;
        for (const char* file : {"lab.db", "lab.db-wal"}) {
            std::error_code absent;
            const auto bytes = std::filesystem::file_size(workspace_ / file, absent);
            if (!absent) pulse_.databaseBytes += static_cast<std::int64_t>(bytes);
        }
    }
    if (pulseStale_ && !current_.isEmpty()) {
        const std::string run = current_.toStdString();
        const bool live = isLiveRun(current_);
        DASGD_ASSIGN(const Ns newest, reader_->newestInstant(run));
        DASGD_ASSIGN(const std::optional<TimeRange> extent, reader_->spanExtent(run));
        DASGD_ASSIGN(pulse_.spans, reader_->spanCount(run));
        const bool grew = newest != pulse_.newest || live != pulse_.live || pulse_.runId != current_;
        pulse_.runId = current_;
        pulse_.live = live;
        pulse_.newest = newest;
        pulse_.extent = extent.value_or(TimeRange{});
        if (grew) {
            spans_.grown(newest, live);
            frameStale_ = answered_.has_value();
        }
    }
    pulseStale_ = false;
    emit pulse(pulse_);
    return {};
}

void FeedWorker::serveTimes() {
    if (!ensureOpen()) return;
    QStringList runs;
    {
        const std::lock_guard lock(mutex_);
        std::swap(runs, timesWish_);
    }
    if (runs.isEmpty()) return;
    QElapsedTimer clock;
    clock.start();
    TimesBatch batch;
    while (!runs.isEmpty() && clock.elapsed() < kTimesBudgetMs) {
        const std::string run = runs.front().toStdString();
        auto times = storage::readRunTimes(*reader_, run);
        if (!times) {
            complain(times.error().message);
            reader_.reset();
            break;
        }
        batch.emplace_back(run, std::move(*times));
        runs.removeFirst();
    }
    emit timesArrived(batch);
    if (runs.isEmpty()) return;
    {
        const std::lock_guard lock(mutex_);
        if (timesWish_.isEmpty()) timesWish_ = runs;
    }
    // After an error the next poll opens the workspace again, and goes on.
    if (!reader_) return;
    QMetaObject::invokeMethod(this, &FeedWorker::serveTimes, Qt::QueuedConnection);
}

void FeedWorker::serveTimeline() {
    if (!reader_) return;
    takeWatched();
    for (const auto& part : {&FeedWorker::answerTimeline, &FeedWorker::answerMeasure}) {
        if (const Status done = (this->*part)(); !done) complain(done.error().message);
    }
}

Status FeedWorker::answerTimeline() {
    std::optional<TimelineRequest> wish;
    {
        const std::lock_guard lock(mutex_);
        std::swap(wish, wish_);
    }
    if (!wish && frameStale_) wish = answered_;
    if (!wish || wish->runId != current_ || current_.isEmpty()) return {};
    frameStale_ = false;
    const auto fetch = [this](TimeRange range) { return reader_->spans(current_.toStdString(), range); };
    DASGD_ASSIGN(const bool complete, spans_.load(wish->range, fetch, kLoadBudget));
    auto frame = std::make_shared<TimelineFrame>(spans_.frame(wish->range, wish->nsPerPixel));
    frame->runId = current_.toStdString();
    frame->complete = complete;
    answered_ = wish;
    frameStale_ = !complete;
    emit timelineArrived(frame);
    return {};
}

Status FeedWorker::answerMeasure() {
    std::optional<std::pair<QString, TimeRange>> wanted;
    {
        const std::lock_guard lock(mutex_);
        if (measure_ && measure_->first == current_) std::swap(wanted, measure_);
    }
    if (!wanted) return {};
    const auto fetch = [this](TimeRange range) { return reader_->spans(current_.toStdString(), range); };
    DASGD_ASSIGN(const bool complete, spans_.load(wanted->second, fetch, std::chrono::seconds(2)));
    if (!complete) {
        const std::lock_guard lock(mutex_);
        if (!measure_) measure_ = wanted;
        return {};
    }
    Measure measure = spans_.measure(wanted->second);
    measure.runId = current_.toStdString();
    emit measured(measure);
    return {};
}

}  // namespace dasgd::gui
