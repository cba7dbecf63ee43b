// A metric of the drawn runs over step, epoch, time, samples or bytes sent, live.
#pragma once

#include <QTimer>
#include <string>

#include "gui/models/live/session.h"
#include "gui/plots/plot_view.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

struct ChartSpec {
    QString title;
    std::string metric;
    QString yLabel;
    bool logY = false;
    bool fromZero = false;
};

class ChartCard : public Card {
    Q_OBJECT

public:
    ChartCard(const ChartSpec& spec, Session& session, const Look& look, QWidget* parent = nullptr);
    [[nodiscard]] PlotView& plot() { return *plot_; }
    [[nodiscard]] Choice& axis() { return *axis_; }
    [[nodiscard]] Choice& scale() { return *scale_; }
    [[nodiscard]] Choice& smoothing() { return *smoothing_; }
    // Draws what has come since; it is also done by itself a few times a second.
    void refresh();

private:
    void later();
    void updateAxes();
    void updateBand();
    void goTo(double x);

    ChartSpec spec_;
    Session& session_;
    PlotView* plot_;
    Choice* axis_;
    Choice* scale_;
    Choice* smoothing_;
    QTimer pending_;
};

}  // namespace dasgd::gui
