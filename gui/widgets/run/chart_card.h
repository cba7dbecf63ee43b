// A metric of the drawn runs, or of the ranks of one, over step, epoch, samples, bytes sent, the time on the wall or
// that of training, live.
#pragma once

#include <QTimer>
#include <map>
#include <string>
#include <vector>

#include "gui/models/compare/siblings_query.h"
#include "gui/models/curves/metric_words.h"
#include "gui/models/curves/rank_series_query.h"
#include "gui/models/curves/run_curve.h"
#include "gui/models/curves/training_time.h"
#include "gui/models/live/session.h"
#include "gui/models/throttle.h"
#include "gui/plots/plot_view.h"
#include "gui/widgets/elided_label.h"
#include "gui/widgets/parts.h"
#include "gui/widgets/run/chart_spans.h"
#include "gui/widgets/run/curve_legend.h"
#include "gui/widgets/run/metric_picker.h"

namespace dasgd::gui {

struct ChartSpec {
    QString name;        // what its choices are remembered under
    std::string metric;  // that it begins with
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
    // Behind the runs the mean over the seeds of the current one; hidden where there is none.
    [[nodiscard]] Choice& seeds() { return *seeds_; }
    // Which runs make that mean, and which were left out.
    [[nodiscard]] QString seedWords() const { return seedWords_->text(); }
    [[nodiscard]] CurveLegend& legend() { return *legend_; }
    // The ids of the shown runs, without those whose curves are hidden in the legend.
    [[nodiscard]] QStringList drawnRuns() const;
    // The records of each rank of the current run, where they are drawn.
    [[nodiscard]] const std::map<int, Series>& rankSeries() const {
        return spans_->name().empty() ? ranks_ : spans_->ranks();
    }
    // What is drawn of a run: recorded, or, of the current one, formed from its spans.
    [[nodiscard]] const Series& seriesOf(const RunItem& run) const;
    // Nothing of it is recorded: it is of this run alone.
    [[nodiscard]] bool drawsSpans() const { return isFromSpans(picker_->metric()); }
    // The metric of the curves: the picked one, or what stands for it until something of it is recorded.
    [[nodiscard]] std::string drawnMetric() const {
        return spans_->name().empty() ? picker_->metric() : spans_->name();
    }
    // The ids of all seeds of the current run's configuration; none where it has no others.
    [[nodiscard]] QStringList familyRuns() const;
    // Whether the mean over the seeds is asked for and there is one.
    [[nodiscard]] bool drawsMean() const {
        return family_ && ofRanks_.empty() && !drawsSpans() && seeds_->chosen() > 0;
    }
    // Draws what has come since; it is also done by itself a few times a second while it is seen.
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
    // Of a run whose evaluations said how long it had trained; nullopt over every other axis.
    [[nodiscard]] std::optional<TrainingClock> clockOf(const RunItem& run) const;
    [[nodiscard]] std::optional<TrainingClock> clockOfCurrent() const;
    [[nodiscard]] std::size_t samplesOfClock(const RunItem& run) const;
    // Empty over training time where that is not known.
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
    std::string ofRanks_;          // the metric whose ranks are wanted; "" where none is
    std::map<int, Series> ranks_;  // of the current run
    ChartSpans* spans_;
    struct Made {
        CurveShape shape;
        std::size_t samples = 0;
        Curve curve;
    };
    std::map<QString, Made> made_;  // of this metric, by run
    struct MadeOfRanks {
        QString run;
        CurveShape shape;
        std::vector<std::size_t> samples;  // of the clock, and of each rank
        std::vector<Curve> curves;
    };
    MadeOfRanks madeOfRanks_;  // of this metric
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
    bool pointedHere_ = false;  // the cursor was put into this chart
    bool telling_ = false;
    QTimer pending_;
    QString timeNote_;   // that the axes have
    double formMs_ = 0;  // of the last curves
    bool stale_ = false;
    bool anew_ = false;  // another run is looked at than the curves were of, and none of it is drawn yet
};

}  // namespace dasgd::gui
