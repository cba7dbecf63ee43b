// Functions of ChartCard for training time and for the x of an instant of the run.
#include "core/base/metric_names.h"
#include "gui/data/curves/instants.h"
#include "gui/run/chart/chart_card.h"

namespace dasgd::gui {

std::optional<TrainingClock> ChartCard::clockOf(const RunItem& run) const {
    if (xAxis() != XAxis::Training) return std::nullopt;
    return TrainingClock::of(session_.series(run.id, metrics::kTrainedSeconds), run.row.timeSimulated);
}

std::optional<TrainingClock> ChartCard::clockOfCurrent() const {
    const RunItemPtr run = session_.current();
    return run ? clockOf(*run) : std::nullopt;
}

std::size_t ChartCard::samplesOfClock(const RunItem& run) const {
    return xAxis() == XAxis::Training ? session_.series(run.id, metrics::kTrainedSeconds).samples() : 0;
}

Curve ChartCard::curveOnAxis(const RunItem& run, const Series& series, const CurveShape& shape) const {
    if (xAxis() != XAxis::Training) return dasgd::gui::curveOf(series, shape);
    const auto clock = clockOf(run);
    return clock ? dasgd::gui::curveOf(onTrainingTime(series, *clock), shape) : Curve{};
}

// Curves of the ranks, cached over training time: refreshes come far more often than new samples of this metric.
std::vector<Curve> ChartCard::curvesOfRanks(const CurveShape& shape) {
    const RunItemPtr run = session_.current();
    if (!run || xAxis() != XAxis::Training) return rankCurves(picker_->metric(), rankSeries(), shape);
    std::vector<std::size_t> samples{samplesOfClock(*run)};
    for (const auto& [rank, series] : rankSeries()) samples.push_back(series.samples());
    MadeOfRanks& made = madeOfRanks_;
    // Series from spans may change without changing their number of samples, so they are not cached.
    const bool recorded = spans_->name().empty();
    if (recorded && made.run == run->id && made.shape == shape && made.samples == samples) return made.curves;
    std::map<int, Series> ranks;
    if (const auto clock = clockOf(*run)) {
        for (const auto& [rank, series] : rankSeries()) ranks.emplace(rank, onTrainingTime(series, *clock));
    }
    made = {recorded ? run->id : QString(), shape, std::move(samples), rankCurves(picker_->metric(), ranks, shape)};
    return made.curves;
}

// Sets the band to the timeline's window on this x axis, by the points of the current run and not beyond them.
void ChartCard::updateBand() {
    if (!isVisible()) return;
    const std::vector<SeriesPoint>& points = pointsOfCurrent();
    if (points.size() < 2) {
        plot_->setBand(std::nullopt);
        return;
    }
    const auto clock = clockOfCurrent();
    if (xAxis() == XAxis::Training && !clock) return plot_->setBand(std::nullopt);
    const auto xAt = [&](Ns t) {
        const bool before = static_cast<double>(t) / 1e9 < points.front().wallS;
        // Training time is 0 before the first step of a run.
        const double end = xAxis() == XAxis::Training ? 0 : xOf(before ? points.front() : points.back(), xAxis());
        return xAtInstant(points, t, xAxis(), clock).value_or(end);
    };
    const TimeRange window = session_.selection().window();
    plot_->setBand(PlotBand{xAt(window.start), xAt(window.end), tr("in timeline")});
}

// Shows the cursor of the timeline or of another chart at its x on this axis.
void ChartCard::updateCursor() {
    if (pointedHere_ || !isVisible()) return;
    const std::optional<Ns> at = session_.selection().cursor();
    plot_->showCursor(session_.current() && at ? xAtInstant(pointsOfCurrent(), *at, xAxis(), clockOfCurrent())
                                               : std::nullopt);
}

void ChartCard::tellCursor(std::optional<double> x) {
    // A cursor set by another view is not removed by this card.
    if (!std::exchange(pointedHere_, x.has_value()) && !x) return;
    telling_ = true;
    session_.selection().setCursor(x ? instantAt(*x) : std::nullopt);
    telling_ = false;
}

std::optional<Ns> ChartCard::instantAt(double x) const {
    if (!session_.current()) return std::nullopt;
    return instantAtX(pointsOfCurrent(), x, xAxis(), clockOfCurrent());
}

void ChartCard::goTo(double x) {
    const std::optional<Ns> middle = instantAt(x);
    if (!middle) return;
    const TimeRange window = session_.selection().window();
    const Ns half = (window.end - window.start) / 2;
    session_.selection().setWindow({*middle - half, *middle + half});
}

}  // namespace dasgd::gui
