// Forecasts for the runs that the present text plans, from measurements so far. UI thread; no I/O.
#pragma once

#include <QObject>
#include <vector>

#include "gui/experiment/model/forecast/forecast_case.h"

namespace dasgd::gui {

class ForecastBoard : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // Sets the runs of the last dry run. The chosen case is kept if one with the same label exists.
    void setPlan(std::vector<PlannedRun> planned);
    // Sets the finished runs and calibrations that serve as measurements, and forecasts anew.
    void setRuns(std::span<const RunItemPtr> runs);
    void setCalibrations(std::vector<KnownCalibration> calibrations);
    // Sets the communication patterns that algorithms declare; without them no algorithm has a formula.
    void setAlgorithms(const ExperimentSchema& schema);
    void clear() { setPlan({}); }

    [[nodiscard]] const std::vector<ForecastCase>& cases() const { return cases_; }
    [[nodiscard]] std::size_t chosen() const { return chosen_; }
    // Null if no run is planned.
    [[nodiscard]] const ForecastCase* current() const { return cases_.empty() ? nullptr : &cases_[chosen_]; }
    void choose(std::size_t index);

signals:
    void changed();

private:
    void forecast();

    std::vector<PlannedRun> planned_;
    ForecastSources sources_;
    std::vector<ForecastCase> cases_;
    std::size_t chosen_ = 0;
    QString wanted_;  // label of the case chosen by the user
};

}  // namespace dasgd::gui
