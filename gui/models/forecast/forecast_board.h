// The forecast that is being looked at: of the runs that the present text makes, from what was measured so far. UI
// thread; no I/O.
#pragma once

#include <QObject>
#include <vector>

#include "gui/models/forecast/forecast_case.h"

namespace dasgd::gui {

class ForecastBoard : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // The runs of the last dry run. What was chosen stays where there is a case of the same label.
    void setPlan(std::vector<PlannedRun> planned);
    // What measurements there are: finished runs, calibrations. Looks at them anew.
    void setRuns(std::span<const RunItemPtr> runs);
    void setCalibrations(std::vector<KnownCalibration> calibrations);
    // What the algorithms declare of their communication; without it there is no formula for any.
    void setAlgorithms(const ExperimentSchema& schema);
    void clear() { setPlan({}); }

    [[nodiscard]] const std::vector<ForecastCase>& cases() const { return cases_; }
    [[nodiscard]] std::size_t chosen() const { return chosen_; }
    // Null where nothing is planned.
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
    QString wanted_;  // label of the case that was chosen by hand
};

}  // namespace dasgd::gui
