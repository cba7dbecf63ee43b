// State of the Compare page: the chosen runs grouped into configurations, which of them are shown, and their curves and
// numbers as far as these are computed. Plots, bars, map and table all show `shown()`. UI thread.
#pragma once

#include <QObject>
#include <QSet>
#include <QStringList>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gui/compare/model/compare_numbers.h"
#include "gui/compare/model/compare_query.h"
#include "gui/compare/model/compare_view.h"
#include "gui/data/filter/filter_expression.h"
#include "gui/data/session/session.h"

namespace dasgd::gui {

class CompareBoard : public QObject {
    Q_OBJECT

public:
    explicit CompareBoard(Session& session, QObject* parent = nullptr);

    // While off nothing is read or computed.
    void setWatching(bool watching);
    // Compares exactly these runs; later ones are not added. `filter`: the filter that chose them, kept for figures; ""
    // if they were picked one by one.
    void setRuns(const QStringList& ids, const QString& filter = {});
    // Compares every run of the experiment that started last, future ones included; probes of that experiment are left
    // out.
    void takeNewestExperiment();
    [[nodiscard]] bool isEmpty() const { return groups_.empty(); }

    [[nodiscard]] const std::vector<CompareGroup>& groups() const { return groups_; }
    // The filter that chose the runs, combined with that of the legend; "" if they were picked one by one.
    [[nodiscard]] QString origin() const;
    // Group that ratios refer to; null where none was chosen.
    [[nodiscard]] const CompareGroup* chosenBaseline() const;
    // Every run of the workspace, compared or not.
    [[nodiscard]] const std::vector<RunItemPtr>& allRuns() const { return session_.runs().items(); }
    // "delay-sweep", or the number of experiments where the runs are of several.
    [[nodiscard]] QString title() const;
    // Indices into groups() of those shown: they pass the filter and the brushes and are not hidden. In order.
    [[nodiscard]] const std::vector<std::size_t>& shown() const { return shown_; }
    // Like shown(), with the hidden groups: the rows of the legend.
    [[nodiscard]] const std::vector<std::size_t>& listed() const { return listed_; }
    [[nodiscard]] bool passesFilter(std::size_t group) const;
    // Message for a comparison whose configurations are all filtered out or hidden, with the remedy.
    [[nodiscard]] static QString nothingShownInWords();
    [[nodiscard]] bool isNothingShown() const { return !groups_.empty() && shown_.empty(); }
    [[nodiscard]] bool isHidden(std::size_t group) const { return hidden_.contains(groups_[group].key); }
    void setHidden(const std::vector<std::size_t>& groups, bool hidden);
    // nullopt if no group is highlighted, or the highlighted one is not shown.
    [[nodiscard]] std::optional<std::size_t> highlighted() const;
    void highlight(std::optional<std::size_t> group);
    // A group is kept if one of its runs passes. A text with an error leaves the filter before in force. "" keeps all.
    // setRuns() removes the filter.
    void setFilter(const QString& text);
    [[nodiscard]] const std::optional<FilterError>& filterError() const { return filterError_; }
    // Restricts the shown groups to these keys, in addition to the filter; nullopt: no restriction.
    void setBrushed(const std::optional<std::set<std::string>>& keys);

    // Curves to compute: one per chart, any number of charts.
    void want(const void* chart, const CompareCurveKey& key);
    // Null until it is computed.
    [[nodiscard]] const GroupCurve* curve(const CompareCurveKey& key, std::size_t group) const;
    // Time axis of charts whose axis nobody chose, the same for all: training time, or wall time if one of the wanted
    // curves has no run that recorded its training time. Decided anew when other runs are shown.
    [[nodiscard]] XAxis usualTime();
    [[nodiscard]] const std::vector<std::string>& metrics() const { return metrics_; }
    // Number of runs in the curves whose values are read, over all groups; a mean without a point counts none.
    [[nodiscard]] std::size_t runsInCurves() const;
    [[nodiscard]] int curvesLeft() const { return left_; }

    void setMembers(Members members);
    [[nodiscard]] Members members() const { return members_; }
    void setSpread(Spread spread);
    [[nodiscard]] Spread spread() const { return spread_; }
    void setTarget(const std::optional<Target>& target);
    [[nodiscard]] const std::optional<Target>& target() const { return target_; }
    // Sets the group that ratios refer to; nullopt: the default of `dasgd compare`.
    void setBaseline(std::optional<std::size_t> group);
    // Baseline of the current table; nullopt where nothing was timed.
    [[nodiscard]] std::optional<std::size_t> baseline() const {
        return CompareView(groups_, compared_.get()).baseline();
    }
    // Snapshot for plots, bars and map; valid until the board changes.
    [[nodiscard]] CompareView view() const;
    // The cautions of view(), cached: lines that contain them are redrawn with every move of the cursor.
    [[nodiscard]] const QString& cautionsInWords() const;

    // Null until it is computed. When runs are added the former row is kept until the next is computed.
    [[nodiscard]] const ComparedGroup* row(std::size_t group) const {
        return CompareView(groups_, compared_.get()).row(group);
    }
    // The times to the target in the table were computed for the target that is set now.
    [[nodiscard]] bool isTargetRead() const { return compared_ && compared_->target == target_; }
    [[nodiscard]] const Compared* compared() const { return compared_.get(); }
    // Runs that are in no mean, or only in part, one a line.
    [[nodiscard]] QStringList leftOutInWords() const { return leftOut(groups_, members_); }

    // The x at which values are read; shared by the charts of one axis.
    void setCursor(const std::optional<double>& x, const CompareCurveKey& key);
    [[nodiscard]] const std::optional<double>& cursor() const { return cursor_; }
    [[nodiscard]] const CompareCurveKey& cursorKey() const { return cursorKey_; }
    // The x at which the values beside the names are read: the cursor; without one, under Members::AsFarAsAll, the end
    // of the shown curve that ends first; nullopt: each curve at its own end.
    [[nodiscard]] std::optional<double> readAt() const;

signals:
    void groupsChanged();  // the groups, their runs, names or styles
    void shownChanged();   // the set of shown groups
    void filterCleared();  // together with the runs that it chose
    void highlightChanged();
    void curvesChanged();    // curves have arrived, or the spread is drawn otherwise
    void comparedChanged();  // the table
    void cursorChanged();
    void metricsChanged();

private:
    void later();
    void gather();
    void regroup(const std::vector<RunItemPtr>& runs);
    void take(const std::shared_ptr<const Compared>& compared);
    void request();
    void sift();

    Session& session_;
    CompareQuery& query_;
    QTimer pending_, arrived_;
    bool watching_ = false, stale_ = true;
    bool isReset_ = false;  // setRuns() was called, possibly with the same runs
    QStringList ids_;
    QString origin_;      // the filter that chose the runs
    QString experiment_;  // its runs are added as they come; "": only `ids_`
    std::vector<CompareGroup> groups_;
    FieldCatalog fields_;
    std::vector<std::size_t> shown_, listed_;
    std::set<std::string> hidden_;
    std::optional<std::set<std::string>> brushed_;
    std::optional<std::size_t> highlighted_;
    QString filterText_;
    FilterExpression filter_;
    std::optional<FilterError> filterError_;
    [[nodiscard]] bool isUnclocked(const CompareCurveKey& key) const;

    std::map<const void*, CompareCurveKey> wanted_;
    std::optional<std::set<std::string>> unclocked_;  // shown runs for which usualTime() is wall time
    std::map<std::pair<CompareCurveKey, std::string>, std::shared_ptr<const GroupCurve>> curves_;
    std::vector<std::string> metrics_;
    int left_ = 0;
    Members members_ = Members::Finished;
    Spread spread_ = Spread::Interval;
    std::optional<Target> target_;
    std::string baselineKey_;
    std::shared_ptr<const Compared> compared_;
    mutable std::optional<QString> cautions_;  // text for `compared_` and `shown_`
    std::optional<double> cursor_;
    CompareCurveKey cursorKey_;
};

}  // namespace dasgd::gui
