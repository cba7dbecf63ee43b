// What the experiment would do: the forecast of one of its rounds, or the runs that its dry run found.
#pragma once

#include "gui/models/experiment/dry_run.h"
#include "gui/widgets/forecast/forecast_view.h"
#include "gui/widgets/parts.h"

class QListWidget;
class QStackedLayout;

namespace dasgd::gui {

class PlanCard : public Card {
    Q_OBJECT

public:
    // `board` outlives it.
    PlanCard(ForecastBoard& board, const Look& look);
    // `total`: how many there are, where `runs` are the first of them.
    void showPlan(const std::vector<PlannedRun>& runs, qint64 total = 0);
    // Without runs: why there are none.
    void showWords(const QString& words);
    // Another text is being checked: what is shown is that of the one before.
    void showChecking();
    // With little room: short words.
    void setLow(bool low);
    enum class Side { Forecast, Runs };
    void turnTo(Side side);
    [[nodiscard]] QListWidget& list() const { return *list_; }
    [[nodiscard]] ForecastView& forecast() const { return *forecast_; }
    // What the focus goes to.
    [[nodiscard]] QWidget& firstStop() const;

private:
    void makeHead();
    void arrange();

    QLabel *summary_, *words_;
    QToolButton *asForecast_, *asRuns_;
    ForecastView* forecast_;
    QListWidget* list_;
    QStackedLayout* sides_;
    Side side_ = Side::Forecast;
    bool planned_ = false;
};

}  // namespace dasgd::gui
