// The cases of the last forecast, and the one on show. UI thread.
#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "core/cost/plan_forecast.h"

namespace dasgd::gui {

class ForecastBoard : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // Sets the forecast of the last dry run. The chosen case is kept if one with the same label exists.
    void setForecast(PlanForecast forecast);
    void clear() { setForecast({}); }

    [[nodiscard]] const std::vector<ForecastCase>& cases() const { return forecast_.cases; }
    [[nodiscard]] std::size_t chosen() const { return chosen_; }
    // Null if no run is planned.
    [[nodiscard]] const ForecastCase* current() const { return cases().empty() ? nullptr : &cases()[chosen_]; }
    void choose(std::size_t index);

signals:
    void changed();

private:
    PlanForecast forecast_;
    std::size_t chosen_ = 0;
    std::string wanted_;  // label of the case chosen by the user
};

// A case's label for narrow places: "τ 4 d 3" for "τ = 4, d = 3".
[[nodiscard]] QString narrow(QString label);

}  // namespace dasgd::gui
