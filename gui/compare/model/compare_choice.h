// What the Compare page compares: the chosen runs grouped into configurations, and which of these are shown. UI thread.
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gui/compare/model/compare_set.h"
#include "gui/data/filter/filter_expression.h"
#include "gui/data/session/session.h"

namespace dasgd::gui {

class CompareChoice : public QObject {
    Q_OBJECT

public:
    explicit CompareChoice(Session& session);

    // While off nothing is gathered.
    void setWatching(bool watching);
    // Compares exactly these runs; later ones are not added. `filter`: the filter that chose them, kept for figures; ""
    // if they were picked one by one.
    void setRuns(const QStringList& ids, const QString& filter = {});
    // Compares every run of the experiment that started last, future ones included; probes of that experiment are left
    // out.
    void takeNewestExperiment();

    [[nodiscard]] const std::vector<CompareGroup>& groups() const { return groups_; }
    // Every run of the workspace, compared or not.
    [[nodiscard]] const std::vector<RunItemPtr>& allRuns() const { return session_.runs().items(); }
    // The filter that chose the runs, combined with that of the legend; "" if they were picked one by one.
    [[nodiscard]] QString origin() const;
    // "delay-sweep", or the number of experiments where the runs are of several.
    [[nodiscard]] QString title() const;
    // Indices into groups() of those shown: they pass the filter and the brushes and are not hidden. In order.
    [[nodiscard]] const std::vector<std::size_t>& shown() const { return shown_; }
    // Like shown(), with the hidden groups: the rows of the legend.
    [[nodiscard]] const std::vector<std::size_t>& listed() const { return listed_; }
    [[nodiscard]] bool passesFilter(std::size_t group) const;
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
    // The group that ratios refer to; null: none was chosen, the default of `dasgd compare`.
    [[nodiscard]] const CompareGroup* chosenBaseline() const;
    void setBaseline(std::optional<std::size_t> group);

signals:
    void restarted();      // other runs were chosen, without a filter or a baseline
    void groupsChanged();  // the groups, their runs, names or styles
    void shownChanged();   // the set of shown groups
    void highlightChanged();
    void baselineChanged();

private:
    void later();
    void gather();
    void regroup(const std::vector<RunItemPtr>& runs);
    void sift();

    Session& session_;
    QTimer pending_;
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
    std::string baselineKey_;
};

// There are configurations, and all are filtered out or hidden.
[[nodiscard]] inline bool isNothingShown(const CompareChoice& choice) {
    return !choice.groups().empty() && choice.shown().empty();
}
inline const QString kNothingShown = QStringLiteral(
    "Nothing is shown. Every configuration is hidden (Space in the list), filtered out, or outside what is marked on "
    "an "
    "axis (Escape there).");

}  // namespace dasgd::gui
