// The kinds of spans with their colours; each can be hidden and shown again.
#pragma once

#include <QAbstractButton>
#include <QWidget>

#include "gui/models/timeline/timeline_rows.h"
#include "gui/theme/theme.h"

namespace dasgd::gui {

class KindToggle : public QAbstractButton {
    Q_OBJECT

public:
    KindToggle(SpanKind kind, const Look& look, QWidget* parent = nullptr);
    [[nodiscard]] SpanKind kind() const { return kind_; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    SpanKind kind_;
    const Look& look_;
};

class KindLegend : public QWidget {
    Q_OBJECT

public:
    KindLegend(TimelineRows& rows, const Look& look, QWidget* parent = nullptr);
    // With the kinds that only traces of other programs have.
    void setImported(bool imported);

private:
    void takeKinds();

    TimelineRows& rows_;
    std::vector<KindToggle*> toggles_;
};

// "forward, update"; "" where every kind is drawn.
[[nodiscard]] QString hiddenKindsInWords(const KindSet& hidden);

}  // namespace dasgd::gui
