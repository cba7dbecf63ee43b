// One round of a forecast as a small timeline: computing above, the link below, and optionally the round with a better
// delay. Left and Right step through its spans.
#pragma once

#include <QWidget>
#include <optional>

#include "core/cost/round_forecast.h"
#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

class RoundGantt : public QWidget {
    Q_OBJECT

public:
    explicit RoundGantt(const Look& look);

    // `remedy`: the round with a better delay, if any. `bytes`: size of one average.
    void show(const RoundForecast& round, const std::optional<RoundForecast>& remedy, double bytes);
    void clear();
    // Description of the span chosen by keys: "wait 14.0 ms, step 4, from 16.2 ms"; "" without one.
    [[nodiscard]] QString marked() const;
    // Description of the span under a point; "" where there is none.
    [[nodiscard]] QString describe(const QPointF& at) const;
    QSize sizeHint() const override { return {420, 124}; }
    QSize minimumSizeHint() const override { return {200, 74}; }

signals:
    void markedChanged(const QString& words);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Layout {
        QRectF compute, comm, remedy;  // lanes; `remedy` is empty if there is none
        double axis = 0, seconds = 1;  // height of the axis; seconds over the whole width
        [[nodiscard]] double xAt(double t) const { return compute.left() + t / seconds * compute.width(); }
        [[nodiscard]] QRectF rectOf(const RoundSpan& span, const QRectF& lane) const;
    };
    [[nodiscard]] Layout layoutNow() const;
    void paintAxis(QPainter& painter, const Layout& layout) const;
    void paintSpans(QPainter& painter, const Layout& layout, const RoundForecast& round, bool thin) const;
    void paintBlockNote(QPainter& painter, const Layout& layout) const;
    void paintLinks(QPainter& painter, const Layout& layout) const;
    [[nodiscard]] QString labelOf(const RoundSpan& span) const;
    [[nodiscard]] QString wordsOf(const RoundSpan& span) const;
    void mark(int span);

    const Look& look_;
    std::optional<RoundForecast> round_, remedy_;
    double bytes_ = 0;
    int marked_ = -1;
};

}  // namespace dasgd::gui
