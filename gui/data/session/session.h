// State shared by the pages of a window: the runs, the current one, those drawn with it, their curves, and the live
// edge. Contains no widget; every page is a view of this. UI thread.
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/data/feed/feed.h"
#include "gui/data/feed/metrics_query.h"
#include "gui/data/feed/pulse_query.h"
#include "gui/data/runs/run_table_model.h"
#include "gui/data/runs/style_book.h"
#include "gui/data/spans/time_selection.h"
#include "gui/kit/curves/series.h"

namespace dasgd::gui {

class TimelineRows;

class Session : public QObject {
    Q_OBJECT

public:
    explicit Session(Feed& feed, QObject* parent = nullptr);
    ~Session() override;

    [[nodiscard]] Feed& feed() { return feed_; }
    [[nodiscard]] RunTableModel& runs() { return runs_; }
    [[nodiscard]] TimeSelection& selection() { return selection_; }
    // Choice of ranks and kinds of spans in the timelines; the same on every page.
    [[nodiscard]] TimelineRows& timelineRows() { return *timelineRows_; }

    // Chooses a run by id or unique beginning, even one not known yet. Ends following the newest run.
    void choose(const QString& run);
    [[nodiscard]] RunItemPtr current() const { return runs_.find(current_); }
    [[nodiscard]] const QString& currentId() const { return current_; }
    // While on, each run that starts becomes the current one.
    void setFollowNewest(bool follow);
    [[nodiscard]] bool followsNewest() const { return followNewest_; }
    // Follows the run of a command that was just started: until it appears, or startEnded(), there is no current run.
    void followStart();
    void startEnded();
    [[nodiscard]] bool isStarting() const { return starting_; }
    // True if a newer run has started and is not followed yet because mouse or keyboard are in use: see touched().
    [[nodiscard]] bool newestWaits() const;
    // Reports use of mouse or keyboard: for kHoldMs no other run becomes current by itself, so that nothing changes
    // under the pointer.
    void touched();
    static constexpr int kHoldMs = 4000;
    // Draws exactly these runs together; with fewer than two: the current run and others of its experiment.
    void compare(const QStringList& runs);
    // compare() with the first of them as the current run.
    void showTogether(const QStringList& runs) {
        compare(runs);
        choose(runs.front());
    }
    // Sets the runs of the Compare page, which from then on no longer follow the newest experiment. `filter`: the
    // filter that chose them; "" if they were picked one by one.
    void setComparison(const QStringList& runs, const QString& filter = {});
    [[nodiscard]] const QString& comparisonFilter() const { return comparisonFilter_; }
    [[nodiscard]] const QStringList& comparison() const { return comparison_; }
    [[nodiscard]] bool isComparing() const { return compared_.size() > 1; }

    [[nodiscard]] const std::vector<RunItemPtr>& shown() const { return shown_; }  // the current run first
    // Number of runs shown() would have without a limit: configurations of the experiment, or the chosen runs.
    [[nodiscard]] std::size_t showable() const { return showable_; }
    [[nodiscard]] const QStringList& shownNames() const { return shownNames_; }
    // From now on the series of this metric are read for all shown runs.
    void wantMetric(const std::string& metric);
    [[nodiscard]] const Series& series(const QString& run, const std::string& metric) const;
    [[nodiscard]] CurveStyle styleOf(const RunItem& run);
    // Record of the current run; nullopt until it has arrived.
    [[nodiscard]] const std::optional<storage::RunDetail>& detail() const { return detail_; }
    [[nodiscard]] const Pulse& pulse() const { return pulse_; }
    // Age of the newest shown record when it was shown, in ms; nullopt if the run is not live or has another clock.
    [[nodiscard]] std::optional<double> behindMs() const { return behindMs_; }
    // Error of the workspace; "" if there is none.
    [[nodiscard]] const QString& error() const { return error_; }
    [[nodiscard]] bool loaded() const { return loaded_; }

signals:
    void currentChanged();  // another run became current
    void shownChanged();    // the set of drawn runs, their names or styles
    void seriesChanged();
    void comparisonChanged();
    void detailChanged();
    void runsChanged();
    void pulseChanged();
    void errorChanged();

private:
    void takeRuns(const std::vector<RunItemPtr>& changed, const QStringList& removed);
    void takeMetrics(const MetricBatch& batch);
    void takeDetail(const storage::RunDetail& detail);
    void takePulse(const Pulse& pulse);
    void lookAt(const QString& run);
    void rechoose();
    [[nodiscard]] QString startedIn(const std::vector<RunItemPtr>& changed) const;
    [[nodiscard]] bool leavesFor(const RunItem& newest) const;
    void updateShown();

    Feed& feed_;
    MetricsQuery& metrics_;
    RunTableModel runs_;
    TimeSelection selection_;
    std::unique_ptr<TimelineRows> timelineRows_;
    StyleBook styles_;
    bool styled_ = false;  // all runs have been given a style
    QString current_;
    QStringList compared_;
    QStringList comparison_;
    QString comparisonFilter_;
    bool followNewest_ = true;
    bool starting_ = false;
    QTimer hold_;
    bool loaded_ = false;
    std::vector<RunItemPtr> shown_;
    QStringList shownNames_;
    std::size_t showable_ = 0;
    std::map<std::pair<QString, std::string>, Series> series_;
    std::optional<storage::RunDetail> detail_;
    Pulse pulse_;
    std::optional<double> behindMs_;
    QString error_;
};

}  // namespace dasgd::gui
