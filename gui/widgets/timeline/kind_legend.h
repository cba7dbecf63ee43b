// The kinds of spans with their colours; each can be hidden and shown again.
#pragma once

#include <QAbstractButton>
#include <QWidget>
#include <array>
#include <vector>

#include "gui/models/timeline/timeline_rows.h"
#include "gui/theme/theme.h"

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
    QSize size_;  // asked for several times a second while a run is followed
};

// What the ground behind the spans means where it is grey; nothing to hide.
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
    // With the kinds that only traces of other programs have.
    void setImported(bool imported);
    [[nodiscard]] int widthOfOneRow() const;
    // 1 or 2, where one has no room.
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

// "forward, update"; "" where every kind is drawn.
[[nodiscard]] QString hiddenKindsInWords(const KindSet& hidden);

}  // namespace dasgd::gui
