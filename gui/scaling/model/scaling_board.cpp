#include "gui/scaling/model/scaling_board.h"

#include <algorithm>

namespace dasgd::gui {

namespace {

constexpr int kGatherMs = 200;

}  // namespace

ScalingBoard::ScalingBoard(Session& session, QObject* parent)
    : QObject(parent), session_(session), timesQuery_(session.feed().query<TimesQuery>()) {
    pending_.setSingleShot(true);
    connect(&pending_, &QTimer::timeout, this, &ScalingBoard::gather);
    connect(&session_, &Session::runsChanged, this, &ScalingBoard::later);
    connect(&timesQuery_, &TimesQuery::arrived, this, [this](const TimesBatch& batch) {
        for (const auto& [run, times] : batch) {
            times_[run] = times;
            asked_.remove(QString::fromStdString(run));
        }
        redraw();
    });
}

void ScalingBoard::setWatching(bool watching) {
    watching_ = watching;
    if (watching_ && stale_) gather();
}

void ScalingBoard::later() {
    stale_ = true;
    if (watching_ && !pending_.isActive()) pending_.start(kGatherMs);
}

void ScalingBoard::gather() {
    stale_ = false;
    drawn_.clear();
    lines_ = scalingLines(session_.runs().items(), scaling_);
    if (!own_) {
        chosen_.clear();
        for (const ScalingLine* line : firstLines(lines_)) chosen_.insert(line->key);
    }
    emit linesChanged();
    redraw();
}

void ScalingBoard::setScaling(Scaling scaling) {
    if (scaling == scaling_) return;
    scaling_ = scaling;
    own_ = false;
    gather();
}

void ScalingBoard::setTarget(const std::optional<Target>& target) {
    if (target == target_) return;
    target_ = target;
    redraw();
}

void ScalingBoard::choose(const std::vector<std::string>& keys, bool chosen) {
    own_ = true;
    for (const std::string& key : keys) {
        if (chosen) {
            chosen_.insert(key);
        } else {
            chosen_.erase(key);
        }
    }
    redraw();
}

void ScalingBoard::redraw() {
    std::vector<const ScalingLine*> shown;
    QStringList unread;
    for (const ScalingLine& line : lines_) {
        if (!chosen_.contains(line.key)) continue;
        shown.push_back(&line);
        for (const RunItemPtr& run : line.runs) {
            if (!times_.contains(run->row.runId)) unread << run->id;
        }
    }
    const bool fresh =
        std::any_of(unread.begin(), unread.end(), [this](const QString& run) { return !asked_.contains(run); });
    if (fresh) {
        asked_ = {unread.begin(), unread.end()};
        timesQuery_.request(unread);
    }
    missing_ = static_cast<int>(unread.size());
    drawn_ = drawnLines(shown, times_, scaling_, target_, [this](const RunItem& run) { return session_.styleOf(run); });
    emit drawnChanged();
}

const DrawnLine* ScalingBoard::drawnOf(const std::string& key) const {
    const auto found =
        std::find_if(drawn_.begin(), drawn_.end(), [&](const DrawnLine& line) { return line.line->key == key; });
    return found == drawn_.end() ? nullptr : &*found;
}

QStringList ScalingBoard::runIds() const {
    QStringList ids;
    for (const DrawnLine& line : drawn_) {
        for (const ScalingPoint& point : line.points) {
            for (const std::string& id : point.runIds) ids << QString::fromStdString(id);
        }
    }
    return ids;
}

}  // namespace dasgd::gui
