// The forecast in the last line of `dasgd run FILE --dry-run --json`. Pure; any thread.
#pragma once

#include <QJsonObject>

#include "core/cost/plan_forecast.h"

namespace dasgd::gui {

// Fields that are missing or of another type keep their defaults, so that a program of another version says less.
[[nodiscard]] PlanForecast planForecastOf(const QJsonObject& json);

}  // namespace dasgd::gui
