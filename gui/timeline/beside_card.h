// Timeline of another run below that of the watched one, aligned at one step, and a table that compares the parts of a
// step of both.
#pragma once

#include <QTimer>

#include "gui/data/session/session.h"
#include "gui/data/spans/timeline_rows.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/parts/wrapped_label.h"
#include "gui/timeline/model/beside/beside_table.h"
#include "gui/timeline/view/timeline_widget.h"

class QComboBox;
class QLineEdit;
class QSpinBox;
class QTableWidget;

namespace dasgd::gui {

class BesideCard : public Card {
    Q_OBJECT

public:
    BesideCard(Session& session, const Look& look, QWidget* parent = nullptr);
    // Shows a run other than the watched one; both timelines move together from then on. If this run becomes the
    // watched one, the run watched before takes its place, else the newest other run.
    void showRun(const QString& run);
    [[nodiscard]] const QString& run() const { return run_; }
    // Gives the focus to the field that searches for runs.
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
    // Copies window and selection from one timeline to the other, shifted by `by`.
    void follow(const TimeSelection& from, TimeSelection& to, Ns by);
    void requestNumbers();
    // The window of this run if it does not match that of the watched run; nullopt if it does.
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
    QString run_, other_;      // ids of this run, and of the watched run that it is aligned with
    std::optional<Ns> shift_;  // this run's time minus the watched run's; nullopt until aligned
    bool moving_ = false;
    QTimer settle_;
};

}  // namespace dasgd::gui
