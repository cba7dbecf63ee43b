// Totals of a range of time: by kind of span, and by reason for which ranks were idle.
#pragma once

#include <array>

#include "gui/kit/parts/parts.h"
#include "gui/timeline/model/measure_table.h"

class QTableWidget;

namespace dasgd::gui {

class SelectionCard : public Card {
    Q_OBJECT

public:
    explicit SelectionCard(QWidget* parent = nullptr);
    // `marked`: true for a selected range, false for the visible window. An empty range means that it is still being
    // read.
    void setMeasure(const Measure& measure, bool marked);
    // Sets the reason why there is nothing to show; "" otherwise.
    void setNothing(const QString& why);

signals:
    void zoomWanted();  // the user wants to zoom to the selection

protected:
    void changeEvent(QEvent* event) override;

private:
    void setLine(int row, const MeasureLine& line);
    void setHead(int row, const QString& text);
    void fitColumns();

    QLabel *length_ = nullptr, *hidden_ = nullptr, *path_ = nullptr;
    QTableWidget* table_ = nullptr;
    QPushButton *copy_, *zoom_;
    MeasureTable shown_;
    QString nothing_;
    int headRow_ = -1;             // row of the heading of the reasons; −1: there are none
    std::array<int, 4> widest_{};  // width of the widest text of each column, in pixels
};

}  // namespace dasgd::gui
