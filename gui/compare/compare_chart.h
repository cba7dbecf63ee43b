// Chart of a metric of the shown configurations: mean with band and, if wanted, the curves of the seeds behind it.
#pragma once

#include <string>

#include "gui/compare/model/compare_board.h"
#include "gui/data/curves/metric_words.h"
#include "gui/figures/model/figure_spec.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/parts/wrapped_label.h"
#include "gui/kit/plots/plot_view.h"

namespace dasgd::gui {

class CompareChart : public Card {
    Q_OBJECT

public:
    CompareChart(const std::string& metric, XAxis axis, CompareBoard& board, const Look& look,
                 QWidget* parent = nullptr);
    [[nodiscard]] PlotView& plot() { return *plot_; }
    [[nodiscard]] Choice& axis() { return *axis_; }
    [[nodiscard]] Choice& scale() { return *scale_; }
    [[nodiscard]] Choice& smoothing() { return *smoothing_; }
    [[nodiscard]] const CompareCurveKey& key() const { return key_; }
    void setMetric(const std::string& metric);
    void setSeeds(bool behind);
    // The chart as a figure, with all runs of the shown configurations.
    [[nodiscard]] FigureSpec figure() const;

signals:
    // The choice of curves has changed.
    void asked();

private:
    void layOut();
    void drawOver(XAxis axis);
    [[nodiscard]] bool fallsBack();
    void fillMetrics();
    void updateAxes();
    void redraw();
    [[nodiscard]] bool isTime() const { return key_.axis == XAxis::Wall || key_.axis == XAxis::Training; }

    CompareBoard& board_;
    CompareCurveKey key_;
    MetricWords words_;
    QToolButton* metric_;
    Choice* axis_;
    Choice* scale_;
    Choice* smoothing_;
    PlotView* plot_;
    WrappedLabel* note_;
    bool seeds_ = false;
    bool isChosen_;  // true if the x axis was chosen by the user or the maker of the chart
};

}  // namespace dasgd::gui
