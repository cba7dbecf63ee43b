// The ranks that come latest to the averages, and whether that is more than noise.
#pragma once

#include <map>

#include "gui/models/ranks/lateness_query.h"
#include "gui/widgets/parts.h"

class QTableWidget;

namespace dasgd::gui {

// "only rank 3 is beyond noise (± 9 ms)": what the numbers say, and of how many averages.
[[nodiscard]] QString latenessInWords(const LatenessAnswer& answer);
// Of each rank that is beyond noise: "rank 3 comes +1.2 ms late to the averages (noise ± 0.1 ms)".
[[nodiscard]] std::map<int, QString> lateRanksInWords(const LatenessAnswer& answer);

class StragglerCard : public Card {
    Q_OBJECT

public:
    static constexpr int kShown = 4;

    explicit StragglerCard(const Look& look, QWidget* parent = nullptr);
    void setAnswer(const LatenessAnswer& answer);
    // Why there is nothing to read; "" where there is.
    void setNothing(const QString& why);

signals:
    void rankChosen(int rank);  // Enter or a double click

private:
    const Look& look_;
    QTableWidget* table_;
    QLabel* words_;
    LatenessAnswer shown_;
    QString nothing_;
};

}  // namespace dasgd::gui
