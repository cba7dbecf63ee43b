// What the Compare page looks at: the chosen runs as configurations, which of them are shown, and their curves and
// numbers as far as they were formed. Plots, bars, map and table all show `shown()`. UI thread.
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

#include "gui/models/compare/compare_numbers.h"
#include "gui/models/compare/compare_query.h"
#include "gui/models/compare/compare_view.h"
#include "gui/models/filter/filter_expression.h"
#include "gui/models/live/session.h"

namespace dasgd::gui {

class CompareBoard : public QObject {
    Q_OBJECT

public:
    explicit CompareBoard(Session& session, QObject* parent = nullptr);

    // While off it costs nothing, whatever runs.
    void setWatching(bool watching);
    // These runs; runs that come later are not added. `filter`: what chose them, for figures of them; "" where they
    // were picked one by one.
    void setRuns(const QStringList& ids, const QString& filter = {});
    // Every run of the experiment that started last, those to come too; no probe that has its name.
    void takeNewestExperiment();
    [[nodiscard]] bool isEmpty() const { return groups_.empty(); }

    [[nodiscard]] const std::vector<CompareGroup>& groups() const { return groups_; }
    // The filter that the runs came from, with that of the legend; "" where they were picked.
    [[nodiscard]] QString origin() const;
    // Group that ratios refer to; null where none was chosen.
    [[nodiscard]] const CompareGroup* chosenBaseline() const;
    // Every run of the workspace, compared or not.
    [[nodiscard]] const std::vector<RunItemPtr>& allRuns() const { return session_.runs().items(); }
    // "delay-sweep", or how many experiments the runs are of.
    [[nodiscard]] QString title() const;
    // Places of the groups that are shown: what passes the filter and the brushes and is not hidden, in order.
    [[nodiscard]] const std::vector<std::size_t>& shown() const { return shown_; }
    // The same with those that are hidden: what a list of them has.
    [[nodiscard]] const std::vector<std::size_t>& listed() const { return listed_; }
    [[nodiscard]] bool passesFilter(std::size_t group) const;
    // Why a comparison that has configurations shows none of them, and what shows them again.
    [[nodiscard]] static QString nothingShownInWords();
    [[nodiscard]] bool isNothingShown() const { return !groups_.empty() && shown_.empty(); }
    [[nodiscard]] bool isHidden(std::size_t group) const { return hidden_.contains(groups_[group].key); }
    void setHidden(const std::vector<std::size_t>& groups, bool hidden);
    // nullopt: none, or one that is not shown, for which nothing else steps back.
    [[nodiscard]] std::optional<std::size_t> highlighted() const;
    void highlight(std::optional<std::size_t> group);
    // A group is kept where one of its runs passes; an error leaves what was before. "" keeps all. Other runs have
    // none.
    void setFilter(const QString& text);
    [[nodiscard]] const std::optional<FilterError>& filterError() const { return filterError_; }
    // Only these are shown, of all that pass the filter; nullopt: all.
    void setBrushed(const std::optional<std::set<std::string>>& keys);

    // Curves that are to be formed: one a chart, in any number.
    void want(const void* chart, const CompareCurveKey& key);
    // Null while it is not formed.
    [[nodiscard]] const GroupCurve* curve(const CompareCurveKey& key, std::size_t group) const;
    // The time that charts are drawn over whose axis nobody chose, all of them the same: that of training or, where one
    // of their curves has no run that knows how long it has trained, that on the wall, which all know. Others may know:
    // it is asked anew once other runs are shown.
    [[nodiscard]] XAxis usualTime();
    [[nodiscard]] const std::vector<std::string>& metrics() const { return metrics_; }
    // Runs that are in the curves whose values are read, of all groups: none of a mean without a point.
    [[nodiscard]] std::size_t runsInCurves() const;
    [[nodiscard]] int curvesLeft() const { return left_; }

    void setMembers(Members members);
    [[nodiscard]] Members members() const { return members_; }
    void setSpread(Spread spread);
    [[nodiscard]] Spread spread() const { return spread_; }
    void setTarget(const std::optional<Target>& target);
    [[nodiscard]] const std::optional<Target>& target() const { return target_; }
    // The group that ratios refer to; nullopt: as `dasgd compare` chooses.
    void setBaseline(std::optional<std::size_t> group);
    // Of what is compared now; nullopt where nothing was timed.
    [[nodiscard]] std::optional<std::size_t> baseline() const {
        return CompareView(groups_, compared_.get()).baseline();
    }
    // What pictures show of it, until it changes.
    [[nodiscard]] CompareView view() const;
    // Those of the view. Formed once: the lines that have them are written anew with every move of the cursor.
    [[nodiscard]] const QString& cautionsInWords() const;

    // Null until it is formed. While runs are added the row before stands until the next is formed.
    [[nodiscard]] const ComparedGroup* row(std::size_t group) const {
        return CompareView(groups_, compared_.get()).row(group);
    }
    // Whether the times to the target are those of the target that is set.
    [[nodiscard]] bool isTargetRead() const { return compared_ && compared_->target == target_; }
    [[nodiscard]] const Compared* compared() const { return compared_.get(); }
    // Which runs are in no mean, or not whole, one a line.
    [[nodiscard]] QStringList leftOutInWords() const { return leftOut(groups_, members_); }

    // The x at which values are read; shared by the charts of one axis.
    void setCursor(const std::optional<double>& x, const CompareCurveKey& key);
    [[nodiscard]] const std::optional<double>& cursor() const { return cursor_; }
    [[nodiscard]] const CompareCurveKey& cursorKey() const { return cursorKey_; }
    // Where the values beside the names are of: the cursor; without one, of curves as far as all go, where the first of
    // those that are shown ends; nullopt: each curve's own end.
    [[nodiscard]] std::optional<double> readAt() const;

signals:
    void groupsChanged();  // which there are, their runs, names or styles
    void shownChanged();   // which are shown
    void filterCleared();  // with the runs that it was of
    void highlightChanged();
    void curvesChanged();    // some have arrived, or how their spread is drawn
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
    bool isReset_ = false;  // other runs were chosen, which may be the same again
    QStringList ids_;
    QString origin_;      // the filter that chose the runs
    QString experiment_;  // whose runs are taken as they come; "": `ids_`
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
    std::optional<std::set<std::string>> unclocked_;  // shown runs for which it is wall time
    std::map<std::pair<CompareCurveKey, std::string>, std::shared_ptr<const GroupCurve>> curves_;
    std::vector<std::string> metrics_;
    int left_ = 0;
    Members members_ = Members::Finished;
    Spread spread_ = Spread::Interval;
    std::optional<Target> target_;
    std::string baselineKey_;
    std::shared_ptr<const Compared> compared_;
    mutable std::optional<QString> cautions_;  // of `compared_` and `shown_`
    std::optional<double> cursor_;
    CompareCurveKey cursorKey_;
};

}  // namespace dasgd::gui
