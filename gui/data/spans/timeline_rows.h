// Choice of rows, their order and the kinds of spans in the timelines of a window. Every view reads and changes this
// object; choices of ranks are stored for each run, kinds for all of them. UI thread only.
#pragma once

#include <QObject>
#include <map>

#include "core/analysis/spans/lateness.h"
#include "gui/data/spans/kind_set.h"
#include "gui/data/spans/rank_order.h"

namespace dasgd::gui {

class TimelineRows : public QObject {
    Q_OBJECT

public:
    explicit TimelineRows(QObject* parent = nullptr);

    // Sets the run, or a larger number of ranks of the same run.
    void setRun(const QString& run, int workers);
    // Hosts of the run's ranks, by rank; empty if not known.
    void setHosts(const QStringList& hosts);
    // Lateness of the run's ranks. After the first call the rows keep their order until the user changes something, so
    // that nothing moves under the pointer.
    void setLateness(const std::optional<Lateness>& lateness);

    void togglePin(int rank);
    void pin(int rank);
    // Opens the group that contains the rank.
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
