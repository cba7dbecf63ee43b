#include "gui/experiment/model/forecast/forecast_board.h"

#include <algorithm>

namespace dasgd::gui {

void ForecastBoard::setForecast(PlanForecast forecast) {
    forecast_ = std::move(forecast);
    const auto same = std::ranges::find(cases(), wanted_, &ForecastCase::label);
    const auto first = static_cast<std::size_t>(std::max<std::int64_t>(0, forecast_.first));
    chosen_ = same != cases().end() ? static_cast<std::size_t>(same - cases().begin())
                                    : std::min(first, std::max<std::size_t>(1, cases().size()) - 1);
    emit changed();
}

void ForecastBoard::choose(std::size_t index) {
    if (index >= cases().size()) return;
    wanted_ = cases()[index].label;
    if (index == chosen_) return;
    chosen_ = index;
    emit changed();
}

QString narrow(QString label) {
    return label.replace(QStringLiteral(" = "), QStringLiteral("\u00a0"))
        .replace(QStringLiteral(", "), QStringLiteral(" "));
}

}  // namespace dasgd::gui
