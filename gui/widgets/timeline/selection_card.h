// What a stretch of time adds up to: by kind, and why the ranks were idle.
#pragma once

#include <array>

#include "gui/models/timeline/measure_table.h"
#include "gui/widgets/parts.h"

class QTableWidget;

namespace dasgd::gui {

class SelectionCard : public Card {
    Q_OBJECT

public:
    explicit SelectionCard(QWidget* parent = nullptr);
    // `marked`: it is selected, not just in sight. An empty range: it is still read.
    void setMeasure(const Measure& measure, bool marked);
    // Why there is nothing to read; "" where there is.
    void setNothing(const QString& why);

signals:
    void zoomWanted();  // to what is selected

protected:
    void changeEvent(QEvent* event) override;

private:
    void setLine(int row, const MeasureLine& line);
    void setHead(int row, const QString& text);
    void fitColumns();

    QLabel *length_ = nullptr, *hidden_ = nullptr;
    QTableWidget* table_ = nullptr;
    QPushButton *copy_, *zoom_;
    MeasureTable shown_;
    QString nothing_;
    int headRow_ = -1;             // of the reasons; −1: there are none
    std::array<int, 4> widest_{};  // text of each column, in pixels
};

}  // namespace dasgd::gui
