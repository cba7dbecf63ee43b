// What the timelines of a window show of a run: its rows, in which order, and which kinds of spans. Every view reads
// and changes this object; what is chosen of the ranks is kept for each run, the kinds for all of them. UI thread only.
#pragma once

#include <QObject>
#include <map>

#include "core/analysis/lateness.h"
#include "gui/models/timeline/kind_set.h"
#include "gui/models/timeline/rank_order.h"

namespace dasgd::gui {

class TimelineRows : public QObject {
    Q_OBJECT

public:
    explicit TimelineRows(QObject* parent = nullptr);

    // Another run is looked at, or the same with more ranks than were known.
    void setRun(const QString& run, int workers);
    // Of the run that is looked at, by rank; empty where that is not known.
    void setHosts(const QStringList& hosts);
    // Of the run that is looked at. The rows keep their order until something is chosen, but for the first time:
    // nothing moves under the pointer because a number has changed.
    void setLateness(const std::optional<Lateness>& lateness);

    void togglePin(int rank);
    void pin(int rank);
    // Opens the group in which the rank is drawn with others.
    void reveal(int rank);
    void setSort(RankSort sort);
    void setCollapsed(bool collapsed);
    void toggleOpen(const QString& group);
    void setShown(SpanKind kind, bool shown);
    void setHiddenKinds(const KindSet& hidden);

    [[nodiscard]] const RowPlanPtr& plan() const { return plan_; }
    [[nodiscard]] RankSort sort() const { return order().sort; }
    [[nodiscard]] bool collapsed() const { return order().isCollapsed(facts_.workers); }
    [[nodiscard]] int workers() const { return facts_.workers; }
    [[nodiscard]] const std::optional<Lateness>& lateness() const { return lateness_; }
    [[nodiscard]] const KindSet& hiddenKinds() const { return hidden_; }

signals:
    void planChanged();
    void latenessChanged();
    void kindsChanged();

private:
    [[nodiscard]] RankOrder& order() { return orders_[run_]; }
    [[nodiscard]] const RankOrder& order() const;
    void sortByLateness();
    void replan();

    QString run_;
    RankFacts facts_;
    std::optional<Lateness> lateness_;
    std::map<QString, RankOrder> orders_;  // by run
    RowPlanPtr plan_;
    KindSet hidden_;
};

}  // namespace dasgd::gui
