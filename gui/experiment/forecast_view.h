// The forecast of one round: its timeline, key figures, a better setting, and the sources of its numbers.
#pragma once

#include <utility>
#include <vector>

#include "gui/experiment/model/forecast/forecast_board.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

class RoundGantt;
class WrappedLabel;

class ForecastView : public QWidget {
    Q_OBJECT

public:
    // `board` outlives the view.
    ForecastView(ForecastBoard& board, const Look& look);

    // Widget for the head of the card: the choice among several cases, and the sources of T_c and T_m.
    [[nodiscard]] QWidget& head() const { return *head_; }
    // Keys that a sweep or a case of the text sets; a suggested setting of one of them has no button.
    void setVaried(const QStringList& keys);
    // True disables the suggested setting while a newer text than that of the forecast is being checked.
    void setChecking(bool checking) { set_->setEnabled(!checking); }
    // True saves height: no second timeline, and the figures in one line.
    void setLow(bool low);
    [[nodiscard]] RoundGantt& gantt() const { return *gantt_; }
    // The widget that takes the focus.
    [[nodiscard]] QWidget& firstStop() const;

signals:
    // `written`: keys with their values in TOML.
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
    std::vector<Figure> numbers_;  // covered, blocked, time per step, ratio to a step without communication
    QStringList varied_;
    bool low_ = false;
};

}  // namespace dasgd::gui
