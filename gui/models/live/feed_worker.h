// The reader's thread behind Feed. Everything below its slots runs there.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QTimer>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "gui/models/live/feed.h"

namespace dasgd::gui {

// A question that is asked again no sooner than a multiple of what it cost last time.
class RefreshInterval {
public:
    RefreshInterval(qint64 leastMs, qint64 timesCost) : leastMs_(leastMs), timesCost_(timesCost) { clock_.start(); }
    [[nodiscard]] bool due() const { return clock_.elapsed() >= next_; }
    void hurry() { next_ = 0; }
    void spent(qint64 costMs) { next_ = clock_.elapsed() + std::max(leastMs_, timesCost_ * costMs); }
    [[nodiscard]] qint64 now() const { return clock_.elapsed(); }

private:
    QElapsedTimer clock_;
    qint64 leastMs_, timesCost_;
    qint64 next_ = 0;
};

class FeedWorker : public QObject {
    Q_OBJECT

public:
    explicit FeedWorker(std::filesystem::path workspace) : workspace_(std::move(workspace)) {}

    // From any thread.
    void setWatched(const QString& run, const QStringList& others);
    void setTimesWish(const QStringList& runs);
    void setWish(const TimelineRequest& wish);
    void setMeasure(const QString& run, TimeRange range);

public slots:
    void start();
    void poll();
    void serveTimeline();
    void serveTimes();

signals:
    void runsChanged(const std::vector<dasgd::gui::RunItemPtr>& changed, const QStringList& removed);
    void metricsArrived(const dasgd::gui::MetricBatch& batch);
    void detailArrived(const dasgd::storage::RunDetail& detail);
    void timesArrived(const dasgd::gui::TimesBatch& batch);
    void timelineArrived(const dasgd::gui::TimelineFramePtr& frame);
    void measured(const dasgd::gui::Measure& measure);
    void pulse(const dasgd::gui::Pulse& pulse);
    void trouble(const QString& message);

private:
    struct Watched {
        std::map<std::string, std::int64_t> lastRowid;
        bool complete = false;  // the run had ended before everything was read
    };

    bool ensureOpen();
    [[nodiscard]] bool isUnused() const;
    void complain(const std::string& message);
    Status readRuns();
    Status readMetrics();
    Status readMetricsOf(const QString& run, Watched& watched);
    Status readDetail();
    Status readPulse();
    Status answerTimeline();
    Status answerMeasure();
    void takeWatched();
    [[nodiscard]] bool isLiveRun(const QString& run) const;

    std::filesystem::path workspace_;
    std::optional<storage::RunReader> reader_;
    QTimer* timer_ = nullptr;
    QString complaint_;
    bool saidUnused_ = false;
    std::int64_t version_ = -1;
    bool runsStale_ = true, metricsStale_ = true, detailStale_ = true, pulseStale_ = true, frameStale_ = false;
    RefreshInterval runsPace_{100, 10}, detailPace_{500, 20}, openPace_{500, 1}, sizePace_{500, 1};
    std::map<QString, RunItemPtr> runs_;
    std::map<QString, Watched> watched_;
    QString current_;
    SpanCache spans_;
    Pulse pulse_;
    std::optional<TimelineRequest> answered_;

    std::mutex mutex_;  // guards the wishes below
    QString wantedRun_;
    QStringList wantedOthers_;
    bool watchChanged_ = false;
    QStringList timesWish_;
    std::optional<TimelineRequest> wish_;
    std::optional<std::pair<QString, TimeRange>> measure_;
};

}  // namespace dasgd::gui
