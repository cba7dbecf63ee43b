#include "gui/data/session/session.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "gui/data/feed/detail_query.h"
#include "gui/data/feed/runs_query.h"
#include "gui/data/runs/compare.h"
#include "gui/data/spans/timeline_rows.h"

namespace dasgd::gui {

Session::Session(Feed& feed, QObject* parent)
    : QObject(parent),
      feed_(feed),
      metrics_(feed.query<MetricsQuery>()),
      timelineRows_(std::make_unique<TimelineRows>()) {
    connect(&feed_.query<RunsQuery>(), &RunsQuery::changed, this, &Session::takeRuns);
    connect(&feed_.query<PulseQuery>(), &PulseQuery::arrived, this, &Session::takePulse);
    connect(&feed_.query<DetailQuery>(), &DetailQuery::arrived, this, &Session::takeDetail);
    connect(&metrics_, &MetricsQuery::arrived, this, &Session::takeMetrics);
    connect(&feed_, &Feed::errorOccurred, this, [this](const QString& message) {
        error_ = message;
        emit errorChanged();
    });
    hold_.setSingleShot(true);
    hold_.setInterval(kHoldMs);
    connect(&hold_, &QTimer::timeout, this, [this] {
        rechoose();
        updateShown();
    });
}

Session::~Session() = default;

void Session::touched() { hold_.start(); }

void Session::takeRuns(const std::vector<RunItemPtr>& changed, const QStringList& removed) {
    // A live run changes twice a second and keeps its style.
    const auto isKnown = [this](const RunItemPtr& run) {
        const RunItemPtr before = runs_.find(run->id);
        return before && before->group == run->group;
    };
    styled_ = styled_ && removed.isEmpty() && std::ranges::all_of(changed, isKnown);
    const QString started = starting_ && loaded_ ? startedIn(changed) : QString();
    runs_.take(changed, removed);
    loaded_ = true;
    if (!started.isEmpty()) {
        starting_ = false;
        lookAt(started);
    }
    rechoose();
    updateShown();
    emit runsChanged();
}

// A current run that is still going is left only for one that is running.
bool Session::leavesFor(const RunItem& newest) const {
    const RunItemPtr old = current();
    return !old || (newest.id != current_ && (!isLive(old->row) || newest.row.status == "running"));
}

bool Session::newestWaits() const {
    const RunItemPtr newest = runs_.newest();
    return followNewest_ && hold_.isActive() && newest && current() && leavesFor(*newest);
}

// The first run of a sweep; all of its runs appear together.
QString Session::startedIn(const std::vector<RunItemPtr>& changed) const {
    RunItemPtr first;
    for (const RunItemPtr& run : changed) {
        if (runs_.find(run->id) || isOfJob(run->row)) continue;
        if (!first || run->row.seriesPlace < first->row.seriesPlace) first = run;
    }
    return first ? first->id : QString();
}

void Session::rechoose() {
    if (starting_) return;
    if (followNewest_) {
        const RunItemPtr newest = runs_.newest();
        if (newest && newest->id != current_ && leavesFor(*newest) && !newestWaits()) lookAt(newest->id);
        return;
    }
    if (current_.isEmpty() || runs_.find(current_)) return;
    const auto& items = runs_.items();
    const auto begins = [this](const RunItemPtr& item) { return item->id.startsWith(current_); };
    if (std::count_if(items.begin(), items.end(), begins) == 1) {
        lookAt((*std::find_if(items.begin(), items.end(), begins))->id);
    }
}

void Session::choose(const QString& run) {
    followNewest_ = starting_ = false;
    if (run != current_) lookAt(run);
    rechoose();
    updateShown();
}

void Session::followStart() {
    followNewest_ = starting_ = true;
    compared_.clear();
    lookAt({});
    updateShown();
}

void Session::startEnded() {
    if (!std::exchange(starting_, false)) return;
    lookAt({});
    rechoose();
    updateShown();
}

void Session::setFollowNewest(bool follow) {
    followNewest_ = follow;
    starting_ = false;
    if (!follow) return;
    hold_.stop();
    compared_.clear();
    rechoose();
    updateShown();
}

void Session::compare(const QStringList& runs) {
    compared_ = runs.size() > 1 ? runs : QStringList{};
    followNewest_ = starting_ = false;
    if (!runs.isEmpty() && !runs.contains(current_)) lookAt(runs.front());
    updateShown();
}

void Session::setComparison(const QStringList& runs, const QString& filter) {
    comparison_ = runs;
    comparisonFilter_ = filter;
    emit comparisonChanged();
}

void Session::lookAt(const QString& run) {
    current_ = run;
    detail_.reset();
    pulse_ = {};
    behindMs_.reset();
    if (!compared_.contains(run)) compared_.clear();
    const RunItemPtr item = current();
    selection_.reset(item && isLive(item->row));
    timelineRows_->setRun(run, item ? item->row.workers : 0);
    shown_.clear();
    emit currentChanged();
}

void Session::updateShown() {
    std::vector<RunItemPtr> next;
    std::size_t showable = 0;
    if (const RunItemPtr item = current()) {
        timelineRows_->setRun(current_, item->row.workers);
        if (compared_.isEmpty()) {
            next = overlaidWith(*item, runs_.items());
            showable = overlaidWith(*item, runs_.items(), std::numeric_limits<std::size_t>::max()).size();
        } else {
            next.push_back(item);
            for (const QString& id : compared_) {
                const RunItemPtr other = runs_.find(id);
                if (other && id != current_) next.push_back(other);
            }
        }
    }
    const std::size_t before = std::exchange(showable_, std::max(showable, next.size()));
    if (next == shown_ && !next.empty() && before == showable_) return;
    const auto idsOf = [](const std::vector<RunItemPtr>& items) {
        QStringList ids;
        for (const RunItemPtr& item : items) ids << item->id;
        return ids;
    };
    const QStringList ids = idsOf(next);
    const bool sameRuns = ids == idsOf(shown_);
    shown_ = std::move(next);
    if (sameRuns && !ids.isEmpty()) {
        emit detailChanged();
        return;
    }
    shownNames_ = distinguishingNames(shown_, {}, Named::EachRun);
    // Curves of runs no longer drawn are dropped and read again if needed, which bounds memory.
    std::erase_if(series_, [&ids](const auto& entry) { return !ids.contains(entry.first.first); });
    feed_.watch(current_, ids.mid(1));
    emit shownChanged();
}

void Session::wantMetric(const std::string& metric) { metrics_.want(metric); }

const Series& Session::series(const QString& run, const std::string& metric) const {
    static const Series kNone;
    const auto found = series_.find({run, metric});
    return found == series_.end() ? kNone : found->second;
}

CurveStyle Session::styleOf(const RunItem& run) {
    if (!std::exchange(styled_, true)) styles_.assign(runs_.items());
    return styles_.styleOf(run);
}

void Session::takeMetrics(const MetricBatch& batch) {
    const bool drawn =
        std::any_of(shown_.begin(), shown_.end(), [&batch](const RunItemPtr& run) { return run->id == batch.runId; });
    if (!drawn) return;
    const auto series = series_.try_emplace({batch.runId, batch.name}, alongOf(batch.name)).first;
    series->second.add(batch.samples);
    emit seriesChanged();
}

void Session::takeDetail(const storage::RunDetail& detail) {
    if (QString::fromStdString(detail.row.runId) != current_) return;
    detail_ = detail;
    QStringList hosts;
    for (const std::string& host : detail.rankHosts) hosts << QString::fromStdString(host);
    timelineRows_->setHosts(hosts);
    emit detailChanged();
}

void Session::takePulse(const Pulse& pulse) {
    const bool grew = pulse.runId == current_ && !current_.isEmpty();
    const bool newer = grew && pulse.newest != pulse_.newest;
    pulse_ = pulse;
    if (grew) {
        if (!pulse.live) {
            behindMs_.reset();
            selection_.finish(pulse.extent);
        } else if (newer && detail_ && detail_->clockOrigin > 0 && !detail_->row.timeSimulated) {
            // Instants of simulated time cannot be compared with this clock.
            behindMs_ = static_cast<double>(MonotonicClock::rawNow() - detail_->clockOrigin - pulse.newest) / 1e6;
        }
        if (pulse.live && pulse.extent.end > pulse.extent.start) selection_.setExtent(pulse.extent);
    }
    emit pulseChanged();
}

}  // namespace dasgd::gui
