// Data for the timeline of the watched run, and measurements of a selected range.
#pragma once

#include <optional>

#include "gui/data/feed/live_query.h"
#include "gui/data/spans/span_cache.h"
#include "gui/timeline/model/span_measure.h"

namespace dasgd::gui {

struct TimelineRequest {
    QString runId;
    TimelineView view;
    const void* viewer = nullptr;  // identity of the requesting view
};

class TimelineQuery final : public LiveQuery {
    Q_OBJECT

public:
    TimelineQuery() : LiveQuery(Priority::Drawing) {}
    // Replaces the former request; answered again whenever its range has grown. Answered for the watched run only.
    void request(const TimelineRequest& request);
    // The viewer is hidden, so its last request is not answered again.
    void release(const void* viewer);
    void requestMeasure(const QString& run, TimeRange range);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::TimelineFramePtr& frame);
    void measured(const dasgd::gui::Measure& measure);

private:
    void takeRun(LiveStore& store);
    Status takeGrowth(LiveStore& store);
    Status answerRequest(LiveStore& store, bool again);
    Status answerMeasure(LiveStore& store);

    struct Asked {
        std::optional<TimelineRequest> request;
        const void* released = nullptr;
    };
    Wishes<Asked> asked_{this};
    Wishes<std::optional<std::pair<QString, TimeRange>>> measure_{this};

    std::optional<std::pair<QString, TimeRange>> wantedMeasure_;  // until its run is watched
    QString run_;
    int workers_ = 0;
    bool imported_ = false;
    std::int64_t watchedSince_ = -1;
    SpanCache spans_;
    std::optional<SpanMeasure> measuring_;
    Ns newest_ = 0;
    bool live_ = false;
    std::optional<TimelineRequest> answered_;
    bool incomplete_ = false;  // the rest is still being read
    bool outdated_ = false;    // the store has more than the last answer
    std::chrono::steady_clock::time_point answeredAt_;
    std::chrono::milliseconds formed_{0};  // duration of the last frame
    std::int64_t revision_ = -1;
};

}  // namespace dasgd::gui
