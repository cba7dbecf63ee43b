// Plan of the experiment: the forecast of one round, or the list of runs that the dry run found.
#pragma once

#include "gui/experiment/forecast_view.h"
#include "gui/experiment/model/document/dry_run.h"
#include "gui/kit/parts/parts.h"

class QListWidget;
class QStackedLayout;

namespace dasgd::gui {

class PlanCard : public Card {
    Q_OBJECT

public:
    // `board` outlives the card.
    PlanCard(ForecastBoard& board, const Look& look);
    // `total`: number of all runs, where `runs` holds only the first ones.
    void showPlan(const std::vector<PlannedRun>& runs, qint64 total = 0);
    // Shows words in place of the runs: the reason why there are none.
    void showWords(const QString& words);
    // A new dry run has begun. Runs of the one before stay until it ends; without any the card says "Checking …".
    void showChecking();
    // True shortens the words for a small window.
    void setLow(bool low);
    enum class Side { Forecast, Runs };
    void turnTo(Side side);
    [[nodiscard]] QListWidget& list() const { return *list_; }
    [[nodiscard]] ForecastView& forecast() const { return *forecast_; }
    // The widget that takes the focus.
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
