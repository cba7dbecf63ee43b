// Another run below the timeline of the watched one, on the same time axis from one step on, and a table of what a step
// of each is made of.
#pragma once

#include <QTimer>

#include "gui/models/live/session.h"
#include "gui/models/timeline/timeline_rows.h"
#include "gui/models/traces/beside_table.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/widgets/parts.h"
#include "gui/widgets/wrapped_label.h"

class QComboBox;
class QLineEdit;
class QSpinBox;
class QTableWidget;

namespace dasgd::gui {

class BesideCard : public Card {
    Q_OBJECT

public:
    BesideCard(Session& session, const Look& look, QWidget* parent = nullptr);
    // Another run than the watched one; both move together from then on. Where the watched run becomes this one, the
    // run that was watched before takes its place, else the newest other one.
    void showRun(const QString& run);
    [[nodiscard]] const QString& run() const { return run_; }
    // What is typed chooses among runs.
    void takeFocus();
    [[nodiscard]] TimelineWidget& timeline() { return *timeline_; }
    [[nodiscard]] TimeSelection& selection() { return selection_; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void makeHead();
    QWidget* makeTable();
    void connectAll();
    void offerRuns();
    void sayRun();
    void avoidWatched();
    void align();
    void takeOrigin(const BesideOrigin& origin);
    // From the watched run to this one, or back.
    void follow(const TimeSelection& from, TimeSelection& to, Ns by);
    void requestNumbers();
    // What its axis shows, where that is not the time of the watched run's window.
    [[nodiscard]] std::optional<TimeRange> drawnElsewhere() const;
    void showTable(const BesideTable& table);
    [[nodiscard]] bool isOfBoth(const QString& a, const QString& b) const;

    Session& session_;
    const Look& look_;
    BesideQuery& query_;
    TimeSelection selection_;
    TimelineRows rows_;
    TimelineWidget* timeline_;
    QLineEdit* find_;
    QComboBox* runs_;
    QSpinBox* step_;
    QLabel* origin_;
    WrappedLabel* remarks_;
    QTableWidget* table_;
    QPushButton* copy_;
    BesideTable shown_;
    QString run_, other_;      // this one, and the watched one that it is aligned with
    std::optional<Ns> shift_;  // from the watched run's time line to this one's
    bool moving_ = false;
    QTimer settle_;
};

}  // namespace dasgd::gui
