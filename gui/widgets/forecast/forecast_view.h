// The forecast of one round: the picture, what it adds up to, what would be better, and where its numbers are from.
#pragma once

#include <utility>
#include <vector>

#include "gui/models/forecast/forecast_board.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

class RoundGantt;
class WrappedLabel;

class ForecastView : public QWidget {
    Q_OBJECT

public:
    // `board` outlives it.
    ForecastView(ForecastBoard& board, const Look& look);

    // What belongs into the head of the card: the choice among several cases, and where T_c and T_m are from.
    [[nodiscard]] QWidget& head() const { return *head_; }
    // Keys that a sweep or a case of the text sets: a remedy that depends on one of them has no button.
    void setVaried(const QStringList& keys);
    // While another text is checked than the one that this is the forecast of, its remedy is not to be set.
    void setChecking(bool checking) { set_->setEnabled(!checking); }
    // Low: without the second picture and with the figures in one line.
    void setLow(bool low);
    [[nodiscard]] RoundGantt& gantt() const { return *gantt_; }
    // What the focus goes to.
    [[nodiscard]] QWidget& firstStop() const;

signals:
    // Keys and values in TOML.
    void settingsWanted(const std::vector<std::pair<QString, QString>>& written);
    void calibrateWanted();
    void adviseWanted();
    void scaleWanted();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Figure {
        QLabel *caption, *number, *unit;
    };
    void makeHead();
    [[nodiscard]] QWidget* makeWarning();
    [[nodiscard]] QWidget* makeFigures();
    void showChooser();
    void showCase();
    [[nodiscard]] bool canSet(const ForecastCase& one) const;
    void fitActions();
    void showFigures(const ForecastCase& one);

    ForecastBoard& board_;
    QWidget *head_, *body_, *warning_ = nullptr, *figures_ = nullptr;
    QToolButton *chooser_, *calibrate_, *advise_ = nullptr, *scale_ = nullptr;
    QLabel *basis_, *why_, *reason_ = nullptr, *marked_;
    WrappedLabel* warningWords_ = nullptr;
    QPushButton* set_ = nullptr;
    RoundGantt* gantt_;
    std::vector<Figure> numbers_;  // hidden, blocked, step, ÷ a step alone
    QStringList varied_;
    bool low_ = false;
};

}  // namespace dasgd::gui
