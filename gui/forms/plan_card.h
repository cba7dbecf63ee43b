// The runs that an experiment would make, as its dry run found them.
#pragma once

#include "gui/models/experiment/dry_run.h"
#include "gui/models/experiment/hiding.h"
#include "gui/widgets/parts.h"

class QListWidget;

namespace dasgd::gui {

class PlanCard : public Card {
    Q_OBJECT

public:
    PlanCard();
    // `total`: how many there are, where `runs` are the first of them.
    void showPlan(const std::vector<PlannedRun>& runs, qint64 total = 0);
    // Without runs: why there are none.
    void showWords(const QString& words);
    // `settable`: one delay for all runs stands in the text, so that a button can change it.
    void showForecast(const std::optional<Hiding>& hiding, bool settable);
    [[nodiscard]] QListWidget& list() const { return *list_; }

signals:
    void delayWanted(int delay, int period);

private:
    QLabel *summary_, *words_, *forecast_;
    QPushButton* set_;
    int delay_ = 0, period_ = 0;
    QListWidget* list_;
};

}  // namespace dasgd::gui
