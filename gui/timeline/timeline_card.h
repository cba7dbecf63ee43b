// The overlap timeline with its legend, the follow switch and a strip with the overlap numbers in words.
#pragma once

#include <QTimer>

#include "gui/data/session/session.h"
#include "gui/kit/parts/elided_label.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/parts/wrapped_label.h"
#include "gui/kit/words/throttle.h"
#include "gui/timeline/model/hidden_query.h"
#include "gui/timeline/model/timeline_query.h"
#include "gui/timeline/view/timeline_widget.h"

class QBoxLayout;

namespace dasgd::gui {

class KindLegend;

// Overlap numbers of a run: "hidden 99.2 %   blocked 0.3 ms/step   skew 1.1 ms   compute inflation 1.02
// longest compute: rank 2 (+8 %)". The rank of the longest compute is not called a straggler, which is a rank whose
// lateness is beyond noise.
[[nodiscard]] QString overlapInWords(const storage::RunDetail& detail);

class TimelineCard : public Card {
    Q_OBJECT

public:
    TimelineCard(Session& session, const Look& look, QWidget* parent = nullptr);
    [[nodiscard]] TimelineWidget& timeline() { return *timeline_; }
    // Shows step numbers and hidden shares below the rows, and the choices of order and groups.
    void showDetails();
    // Least height of a scroll area around the card at which one of its rows is visible.
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
    ElidedLabel* range_;
    WrappedLabel* strip_;
    QLabel* title_;
    QBoxLayout *head_, *state_;
    QWidget* choices_;
    Choice* sort_;
    QToolButton* groups_;
    Throttle rangePace_;
    QTimer settle_;  // delay until the hidden shares are requested
    bool details_ = false;
    bool waits_ = false;  // true while a request waits for the extent of the run
};

}  // namespace dasgd::gui
