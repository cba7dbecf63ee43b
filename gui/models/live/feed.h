// The window's way to the store. A thread of its own polls the workspace and delivers what is new; nothing here blocks
// the UI thread. Signals arrive on the thread that owns the Feed.
#pragma once

#include <QObject>
#include <QStringList>
#include <QThread>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gui/models/runs/run_item.h"
#include "gui/models/timeline/span_cache.h"
#include "gui/models/timeline/span_merge.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

inline constexpr int kPollMs = 50;

// New points of one metric of one run, in order of arrival.
struct MetricBatch {
    QString runId;
    std::string name;
    std::vector<storage::MetricSample> samples;
};

// What runs ended with; by id.
using TimesBatch = std::vector<std::pair<std::string, RunTimes>>;

// Where the watched run and the store are.
struct Pulse {
    QString runId;  // "" while no run is watched
    bool live = false;
    Ns newest = 0;       // newest committed instant of the run, on its own time line
    Ns clockOrigin = 0;  // raw monotonic clock of the run's instant 0; 0 where it ran on another host or boot
    TimeRange extent;    // of its spans
    std::int64_t spans = 0;
    std::int64_t databaseBytes = 0;
};

struct TimelineRequest {
    QString runId;
    TimeRange range;
    double nsPerPixel = 1;
};

class FeedWorker;

class Feed : public QObject {
    Q_OBJECT

public:
    explicit Feed(std::filesystem::path workspace, QObject* parent = nullptr);
    ~Feed() override;

    [[nodiscard]] const std::filesystem::path& workspace() const { return workspace_; }
    // The metrics that are delivered for watched runs.
    [[nodiscard]] static const std::vector<std::string>& metricNames();

    // Spans, details and pulse of `run`, metrics of it and of `others`. A run newly watched is delivered from its
    // first record.
    void watch(const QString& run, const QStringList& others);
    // Step time and evaluations of ended runs, each delivered once, in this order. The latest wish counts.
    void wantTimes(const QStringList& runs);
    // The latest wish counts; it is answered again whenever its range has grown.
    void wantTimeline(const TimelineRequest& wish);
    void wantMeasure(const QString& run, TimeRange range);

signals:
    void runsChanged(const std::vector<dasgd::gui::RunItemPtr>& changed, const QStringList& removed);
    void metricsArrived(const dasgd::gui::MetricBatch& batch);
    void detailArrived(const dasgd::storage::RunDetail& detail);
    void timesArrived(const dasgd::gui::TimesBatch& batch);
    void timelineArrived(const dasgd::gui::TimelineFramePtr& frame);
    void measured(const dasgd::gui::Measure& measure);
    void pulse(const dasgd::gui::Pulse& pulse);
    // What is wrong with the workspace, with the remedy; "" when all is well again.
    void trouble(const QString& message);

private:
    std::filesystem::path workspace_;
    QThread thread_;
    FeedWorker* worker_ = nullptr;  // lives on thread_, which deletes it
};

}  // namespace dasgd::gui
