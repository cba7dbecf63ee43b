// The overlap timeline with its legend, the follow switch and the strip that says the two overlap numbers in words.
#pragma once

#include <QTimer>

#include "gui/models/live/session.h"
#include "gui/models/live/timeline_query.h"
#include "gui/models/ranks/hidden_query.h"
#include "gui/models/throttle.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/widgets/parts.h"
#include "gui/widgets/steady_label.h"
#include "gui/widgets/wrapped_label.h"

class QBoxLayout;

namespace dasgd::gui {

class KindLegend;

// "hidden 99.2 %   blocked 0.3 ms/step   skew 1.1 ms   compute inflation 1.02   longest compute: rank 2
// (+8 %)". A straggler it calls nobody: that is a rank whose lateness is beyond noise.
[[nodiscard]] QString overlapInWords(const storage::RunDetail& detail);

class TimelineCard : public Card {
    Q_OBJECT

public:
    TimelineCard(Session& session, const Look& look, QWidget* parent = nullptr);
    [[nodiscard]] TimelineWidget& timeline() { return *timeline_; }
    // With steps and their hidden share below the rows, and with the choices of order and groups.
    void showDetails();
    // Where what it stands in scrolls its rows: with the least of them in sight.
    [[nodiscard]] int leastHeight() const;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void fitHead();
    void updateRange();
    void updateFollow();
    void updateStrip();
    void updateRows();
    void requestHidden();
    void takeHidden(const HiddenAnswer& answer);
    QWidget* makeChoices();
    void startOver();
    void ask(const TimelineView& view);

    Session& session_;
    TimelineQuery& query_;
    TimelineWidget* timeline_;
    KindLegend* legend_;
    QToolButton* follow_;
    SteadyLabel* range_;
    WrappedLabel* strip_;
    QLabel* title_;
    QBoxLayout *head_, *state_;
    QWidget* choices_;
    Choice* sort_;
    QToolButton* groups_;
    Throttle rangePace_;
    QTimer settle_;  // until the hidden share of the steps is asked for
    bool details_ = false;
    bool waits_ = false;  // to ask, until the extent of the run is known
};

}  // namespace dasgd::gui
