// Legend of the kinds of spans with their colours; each kind can be hidden and shown.
#pragma once

#include <QAbstractButton>
#include <QWidget>
#include <array>
#include <vector>

#include "gui/data/spans/timeline_rows.h"
#include "gui/kit/theme/theme.h"

class QHBoxLayout;

namespace dasgd::gui {

class KindToggle : public QAbstractButton {
    Q_OBJECT

public:
    KindToggle(SpanKind kind, const Look& look, QWidget* parent = nullptr);
    [[nodiscard]] SpanKind kind() const { return kind_; }
    QSize sizeHint() const override { return size_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    SpanKind kind_;
    const Look& look_;
    QSize size_;  // cached, since it is read several times a second while a run is followed
};

// Legend entry of the tint of untimed intervals; it cannot be hidden.
class UntimedSample : public QWidget {
    Q_OBJECT

public:
    explicit UntimedSample(const Look& look, QWidget* parent = nullptr);
    QSize sizeHint() const override { return size_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Look& look_;
    QSize size_;
};

class KindLegend : public QWidget {
    Q_OBJECT

public:
    KindLegend(TimelineRows& rows, const Look& look, QWidget* parent = nullptr);
    // True shows the kinds that only imported traces and profiled steps have.
    void setImported(bool imported);
    [[nodiscard]] int widthOfOneRow() const;
    // Sets the number of lines, 1 or 2.
    void setRows(int rows);

private:
    void takeKinds();
    void placeToggles();

    TimelineRows& rows_;
    std::array<QHBoxLayout*, 2> lines_{};
    int shownLines_ = 0;
    bool imported_ = false;
    std::vector<KindToggle*> toggles_;
    UntimedSample* untimed_;
};

// Names of the hidden kinds: "forward, update"; "" if every kind is drawn.
[[nodiscard]] QString hiddenKindsInWords(const KindSet& hidden);

}  // namespace dasgd::gui
