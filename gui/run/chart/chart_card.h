// Live chart of a metric of the drawn runs, or of the ranks of one, over step, epoch, samples, bytes sent, wall time or
// training time.
#pragma once

#include <QTimer>
#include <map>
#include <string>
#include <vector>

#include "gui/compare/model/siblings_query.h"
#include "gui/data/curves/metric_words.h"
#include "gui/data/curves/run_curve.h"
#include "gui/data/curves/training_time.h"
#include "gui/data/session/session.h"
#include "gui/kit/parts/elided_label.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/plots/plot_view.h"
#include "gui/kit/words/throttle.h"
#include "gui/run/chart/chart_spans.h"
#include "gui/run/chart/curve_legend.h"
#include "gui/run/chart/metric_picker.h"
#include "gui/run/model/rank_series_query.h"

namespace dasgd::gui {

struct ChartSpec {
    QString name;        // key under which the chart's choices are stored
    std::string metric;  // metric shown at first
};

class ChartCard : public Card {
    Q_OBJECT

public:
    ChartCard(const ChartSpec& spec, Session& session, const Look& look, QWidget* parent = nullptr);
    ~ChartCard() override;
    [[nodiscard]] PlotView& plot() { return *plot_; }
    [[nodiscard]] MetricPicker& picker() { return *picker_; }
    [[nodiscard]] Choice& axis() { return *axis_; }
    [[nodiscard]] Choice& scale() { return *scale_; }
    [[nodiscard]] Choice& smoothing() { return *smoothing_; }
    [[nodiscard]] double smoothingWeight() const;
    // Choice that adds the mean over the seeds of the current run's configuration; hidden where there is none.
    [[nodiscard]] Choice& seeds() { return *seeds_; }
    // Words on the runs in that mean and the runs left out.
    [[nodiscard]] QString seedWords() const { return seedWords_->text(); }
    [[nodiscard]] CurveLegend& legend() { return *legend_; }
    // Ids of the shown runs, without those hidden in the legend.
    [[nodiscard]] QStringList drawnRuns() const;
    // The series of each rank of the current run, if ranks are drawn.
    [[nodiscard]] const std::map<int, Series>& rankSeries() const {
        return spans_->name().empty() ? ranks_ : spans_->ranks();
    }
    // The drawn series of a run: the recorded one or, for the current run, one computed from its spans.
    [[nodiscard]] const Series& seriesOf(const RunItem& run) const;
    // True for metrics that are never recorded but computed from spans, of the current run only.
    [[nodiscard]] bool drawsSpans() const { return isFromSpans(picker_->metric()); }
    // The metric of the curves: the picked one, or the one that stands in until it is recorded.
    [[nodiscard]] std::string drawnMetric() const {
        return spans_->name().empty() ? picker_->metric() : spans_->name();
    }
    // Ids of all seeds of the current run's configuration; empty if there is no other.
    [[nodiscard]] QStringList familyRuns() const;
    // True if the mean over the seeds is wanted and exists.
    [[nodiscard]] bool drawsMean() const {
        return family_ && ofRanks_.empty() && !drawsSpans() && seeds_->chosen() > 0;
    }
    // Draws new records. A visible chart also does so by itself, a few times a second at most.
    void refresh();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void layOut();
    void connectAll();
    void later();
    void takeMetric();
    void takeRanks(const RankBatch& batch);
    [[nodiscard]] std::string wantedOfSpans() const;
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] const std::vector<SeriesPoint>& pointsOfCurrent() const;
    [[nodiscard]] QString timeNote() const;
    void updateAxes();
    void updateBand();
    void updateCursor();
    void tellCursor(std::optional<double> x);
    [[nodiscard]] std::optional<Ns> instantAt(double x) const;
    void goTo(double x);
    void remember();
    void recall();
    [[nodiscard]] XAxis xAxis() const { return static_cast<XAxis>(axis_->chosen()); }
    // The training clock of a run whose evaluations recorded it; nullopt if the x axis is not training time.
    [[nodiscard]] std::optional<TrainingClock> clockOf(const RunItem& run) const;
    [[nodiscard]] std::optional<TrainingClock> clockOfCurrent() const;
    [[nodiscard]] std::size_t samplesOfClock(const RunItem& run) const;
    // The curve of a series on the chosen x axis; empty over training time if that is not known.
    [[nodiscard]] Curve curveOnAxis(const RunItem& run, const Series& series, const CurveShape& shape) const;
    [[nodiscard]] std::vector<Curve> curvesOfRanks(const CurveShape& shape);
    [[nodiscard]] std::vector<Curve> runCurves();
    void wantSiblings();
    void addMean(std::vector<Curve>& curves);
    [[nodiscard]] const Curve& curveOfRun(const RunItem& run, const Series& series, const CurveShape& shape);

    ChartSpec spec_;
    Session& session_;
    RankSeriesQuery& rankQuery_;
    MetricWords words_;
    std::string ofRanks_;          // metric whose ranks are wanted; "" for none
    std::map<int, Series> ranks_;  // recorded series of the current run, by rank
    ChartSpans* spans_;
    struct Made {
        CurveShape shape;
        std::size_t samples = 0;
        Curve curve;
    };
    std::map<QString, Made> made_;  // cached curves of this metric, by run
    struct MadeOfRanks {
        QString run;
        CurveShape shape;
        std::vector<std::size_t> samples;  // number of samples of the clock, then of each rank
        std::vector<Curve> curves;
    };
    MadeOfRanks madeOfRanks_;  // cached curves of the ranks, of this metric
    PlotView* plot_;
    MetricPicker* picker_;
    Choice* axis_;
    Choice* scale_;
    Choice* smoothing_;
    SiblingsQuery& siblings_;
    std::optional<CompareGroup> family_;  // the current run and its siblings
    bool familyStale_ = true;
    Choice* seeds_;
    ElidedLabel* seedWords_;
    CurveLegend* legend_;
    Throttle bandPace_, cursorPace_;
    bool pointedHere_ = false;  // true while the pointer in this chart sets the cursor
    bool telling_ = false;
    QTimer pending_;
    QString timeNote_;   // the remark in the axes' labels
    double formMs_ = 0;  // time that it took to make the last curves
    bool stale_ = false;
    bool anew_ = false;  // true after a change of the current run, until one of its curves is drawn
};

}  // namespace dasgd::gui
