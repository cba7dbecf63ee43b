// The curves of a comparison: those that charts want, as far as they are read, and where their values are read. UI
// thread.
#pragma once

#include <QObject>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/compare/model/compare_choice.h"
#include "gui/compare/model/compare_query.h"

namespace dasgd::gui {

class CompareCurves : public QObject {
    Q_OBJECT

public:
    CompareCurves(const CompareChoice& choice, CompareQuery& query);

    // Curves to compute: one per chart, any number of charts.
    void want(const void* chart, const CompareCurveKey& key);
    [[nodiscard]] std::vector<CompareCurveKey> wanted() const;
    // Null until it is computed.
    [[nodiscard]] const GroupCurve* curve(const CompareCurveKey& key, std::size_t group) const;
    // Time axis of charts whose axis nobody chose, the same for all: training time, or wall time if one of the wanted
    // curves has no run that recorded its training time. Decided anew when other runs are shown.
    [[nodiscard]] XAxis usualTime();
    // Number of runs in the curves whose values are read, over all groups; a mean without a point counts none.
    [[nodiscard]] std::size_t runsInCurves() const;

    void setMembers(Members members);
    [[nodiscard]] Members members() const { return members_; }
    void setSpread(Spread spread);
    [[nodiscard]] Spread spread() const { return spread_; }

    // The x at which values are read; shared by the charts of one axis.
    void setCursor(const std::optional<double>& x, const CompareCurveKey& key);
    [[nodiscard]] const std::optional<double>& cursor() const { return cursor_; }
    [[nodiscard]] const CompareCurveKey& cursorKey() const { return cursorKey_; }
    // The x at which the values beside the names are read: the cursor; without one, under Members::AsFarAsAll, the end
    // of the shown curve that ends first; nullopt: each curve at its own end.
    [[nodiscard]] std::optional<double> readAt() const;

signals:
    void wantedChanged();  // other curves, or of other members
    void curvesChanged();  // curves have arrived, or are drawn otherwise
    void spreadChanged();
    void cursorChanged();

private:
    void prune();
    [[nodiscard]] bool isUnclocked(const CompareCurveKey& key) const;

    const CompareChoice& choice_;
    CompareQuery& query_;
    QTimer arrived_;
    std::map<const void*, CompareCurveKey> wanted_;
    std::optional<std::set<std::string>> unclocked_;  // shown runs for which usualTime() is wall time
    std::map<std::pair<CompareCurveKey, std::string>, std::shared_ptr<const GroupCurve>> curves_;
    int left_ = 0;
    Members members_ = Members::Finished;
    Spread spread_ = Spread::Std;
    std::optional<double> cursor_;
    CompareCurveKey cursorKey_;
};

}  // namespace dasgd::gui
