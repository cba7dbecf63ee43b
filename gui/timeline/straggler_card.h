// Table of the ranks that are latest at the averages, and whether their lateness is beyond noise.
#pragma once

#include <map>

#include "gui/kit/parts/parts.h"
#include "gui/timeline/model/lateness_query.h"

class QTableWidget;

namespace dasgd::gui {

// Summary of the lateness with the number of averages: "only rank 3 is beyond noise (± 9 ms), of 40 averages".
[[nodiscard]] QString latenessInWords(const LatenessAnswer& answer);
// Words for each rank beyond noise: "rank 3 comes +1.2 ms late to the averages (noise ± 0.1 ms)".
[[nodiscard]] std::map<int, QString> lateRanksInWords(const LatenessAnswer& answer);

class StragglerCard : public Card {
    Q_OBJECT

public:
    static constexpr int kShown = 4;

    explicit StragglerCard(const Look& look, QWidget* parent = nullptr);
    void setAnswer(const LatenessAnswer& answer);
    // Sets the reason why there is nothing to show; "" otherwise.
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
