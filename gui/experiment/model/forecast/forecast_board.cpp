#include "gui/experiment/model/forecast/forecast_board.h"

#include <algorithm>

namespace dasgd::gui {

void ForecastBoard::setPlan(std::vector<PlannedRun> planned) {
    planned_ = std::move(planned);
    if (planned_.size() > ForecastCase::kMostPlanned) planned_.resize(ForecastCase::kMostPlanned);
    forecast();
}

void ForecastBoard::setRuns(std::span<const RunItemPtr> runs) {
    sources_.runs = timedRuns(runs);
    forecast();
}

void ForecastBoard::setCalibrations(std::vector<KnownCalibration> calibrations) {
    sources_.calibrations = std::move(calibrations);
    forecast();
}

void ForecastBoard::setAlgorithms(const ExperimentSchema& schema) {
    const SchemaSection* section = schema.section("algorithm");
    sources_.algorithms = section ? section->plugins : std::vector<SchemaPlugin>();
    forecast();
}

void ForecastBoard::choose(std::size_t index) {
    if (index >= cases_.size()) return;
    wanted_ = cases_[index].label;
    if (index == chosen_) return;
    chosen_ = index;
    emit changed();
}

void ForecastBoard::forecast() {
    sources_.now = QDateTime::currentDateTimeUtc();
    cases_ = forecastCases(planned_, sources_);
    const auto same = std::ranges::find(cases_, wanted_, &ForecastCase::label);
    chosen_ = same == cases_.end() ? mostExposed(cases_) : static_cast<std::size_t>(same - cases_.begin());
    emit changed();
}

}  // namespace dasgd::gui
