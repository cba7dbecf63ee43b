// Of a chart: the time of training, and where an instant of the run lies on its x axis.
#include "core/base/metric_names.h"
#include "gui/models/curves/instants.h"
#include "gui/widgets/run/chart_card.h"

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

// Other runs grow, or other charts do, far more often than this one.
std::vector<Curve> ChartCard::curvesOfRanks(const CurveShape& shape) {
    const RunItemPtr run = session_.current();
    if (!run || xAxis() != XAxis::Training) return rankCurves(picker_->metric(), rankSeries(), shape);
    std::vector<std::size_t> samples{samplesOfClock(*run)};
    for (const auto& [rank, series] : rankSeries()) samples.push_back(series.samples());
    MadeOfRanks& made = madeOfRanks_;
    // Of spans as many may be others.
    const bool recorded = spans_->name().empty();
    if (recorded && made.run == run->id && made.shape == shape && made.samples == samples) return made.curves;
    std::map<int, Series> ranks;
    if (const auto clock = clockOf(*run)) {
        for (const auto& [rank, series] : rankSeries()) ranks.emplace(rank, onTrainingTime(series, *clock));
    }
    made = {recorded ? run->id : QString(), shape, std::move(samples), rankCurves(picker_->metric(), ranks, shape)};
    return made.curves;
}

// Where the timeline's window lies on this x axis, by the current run's own points; no further than these.
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
        // Before its first step a run has trained for no time.
        const double end = xAxis() == XAxis::Training ? 0 : xOf(before ? points.front() : points.back(), xAxis());
        return xAtInstant(points, t, xAxis(), clock).value_or(end);
    };
    const TimeRange window = session_.selection().window();
    plot_->setBand(std::pair(xAt(window.start), xAt(window.end)));
}

// Where the pointer in the timeline, or in another chart, lies on this x axis.
void ChartCard::updateCursor() {
    if (pointedHere_ || !isVisible()) return;
    const std::optional<Ns> at = session_.selection().cursor();
    plot_->showCursor(session_.current() && at ? xAtInstant(pointsOfCurrent(), *at, xAxis(), clockOfCurrent())
                                               : std::nullopt);
}

void ChartCard::tellCursor(std::optional<double> x) {
    // That of another view is not this card's to take away.
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
