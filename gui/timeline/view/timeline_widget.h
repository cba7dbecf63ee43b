// The overlap timeline of one run: rows rank × lane. With the focus, or with Ctrl, the wheel zooms at the pointer;
// shift-wheel pans, drag measures, double click fits, F follows; P pins the row under the pointer, Shift+Up and
// Shift+Down go to another one, Enter opens a group. Shows the window of a TimeSelection and the rows of a
// TimelineRows, and changes both.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "gui/data/spans/span_cache.h"
#include "gui/data/spans/time_selection.h"
#include "gui/data/spans/timeline_rows.h"
#include "gui/kit/theme/theme.h"
#include "gui/timeline/model/span_measure.h"
#include "gui/timeline/view/time_scale.h"
#include "gui/timeline/view/timeline_layout.h"
#include "gui/timeline/view/timeline_picture.h"
#include "gui/timeline/view/timeline_style.h"

namespace dasgd::gui {

class TimelineWidget : public QWidget {
    Q_OBJECT

public:
    TimelineWidget(TimeSelection& selection, TimelineRows& rows, const Look& look, QWidget* parent = nullptr);

    // Empties the timeline for another run, until a frame arrives.
    void clear();
    // Shows or hides the foot: step numbers and the hidden share of each step.
    void setFoot(bool shown);
    void setHiddenStrip(const HiddenStrip& hidden);
    void setFrame(const TimelineFramePtr& frame);
    void setMeasure(const Measure& measure);
    // Sets the name in the imported trace of a span that nameWanted() asked for; shown if the pointer is still on it.
    void setSpanName(const RankSpan& span, const QString& name);
    // Marks the span found by a search and scrolls to its row; nullopt removes the mark.
    void setFound(const std::optional<RankSpan>& span);
    // Sets the text shown when there are no spans.
    void setEmptyText(const QString& text);

    // The scale of the window; while following, on whole pixels.
    [[nodiscard]] TimeScale scale() const;
    [[nodiscard]] TimelineView view() const;
    [[nodiscard]] const std::optional<Measure>& measure() const { return measure_; }
    [[nodiscard]] const TimelineFramePtr& frame() const { return frame_; }
    // The box under the point, or null.
    [[nodiscard]] const TimelineBox* boxAt(QPointF point) const;
    [[nodiscard]] const TimelineLayout& layout() const { return layout_; }
    [[nodiscard]] const TimelineMarks& marks() const { return marks_; }

signals:
    // Asks for a frame of this view, which is a little larger than the visible part.
    void wanted(const dasgd::gui::TimelineView& view);
    void measureWanted(dasgd::TimeRange range);
    // A tool tip of one span is shown; asks for the span's own name.
    void nameWanted(const dasgd::RankSpan& span);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    enum class Drag { None, Measure, Pan };

    void relayout();
    // Updates after a change of frame, window or strip.
    void redraw();
    void repaintAll();  // after any other change
    void ask();
    void paintPicture(const QRect& band);
    // Moves the cursor of all views to x in this widget; nullopt removes it.
    void pointTo(std::optional<double> x);
    void takeCursor();
    [[nodiscard]] std::optional<double> cursorX() const;
    void paintCursor(QPainter& painter);
    void paintMarked(QPainter& painter);
    void paintMeasure(QPainter& painter, const QRectF& marked);
    void inspect(int direction);
    bool navigate(QKeyEvent* event);
    void addKeyCommands();  // adds the actions of navigate() to the command palette
    void goToWait(int direction);
    void showBox(const TimelineBox& box, QPoint global);
    // Takes over a changed choice of rows.
    void takePlan();
    void takeLateness();
    void moveCurrent(int direction);
    bool scrollTo(std::size_t row);  // false if the row is not laid out yet
    // Index of the found span's row; the number of rows if there is none.
    [[nodiscard]] std::size_t rowOfFound() const;
    void revealFound();
    void paintFound(QPainter& painter);
    // The row that keys act on, and its restoration after rows have changed their order.
    [[nodiscard]] std::optional<RankGroup> currentRow() const;
    void keepCurrent(const std::optional<RankGroup>& row);
    void setCurrent(int place);
    void togglePin(int place);
    bool openGroup(int place);
    bool clickLabel(QPointF point);
    void showTip(QPoint at, QPoint global);
    [[nodiscard]] int placeAt(double y) const;
    [[nodiscard]] const RankGroup* groupAt(int place) const;
    [[nodiscard]] double footTop() const;
    [[nodiscard]] PlaceRange placesSeen() const;
    [[nodiscard]] double rowsTop() const;  // y below the axis, which does not scroll with the rows

    TimeSelection& selection_;
    TimelineRows& rows_;
    const Look& look_;
    TimelineFramePtr frame_;
    std::optional<Measure> measure_;
    TimelineLayout layout_;
    TimelineMarks marks_;
    bool foot_ = false;
    PlaceRange asked_;
    TimelinePicture picture_;  // everything but marks and pointer
    QElapsedTimer asking_;     // time since the last request of a frame
    QTimer follow_;            // delay until the live edge is requested again
    Ns shownWidth_ = 0;        // length of the window shown last
    QString emptyText_;
    std::optional<RankSpan> found_;
    bool revealing_ = false;  // true until the found span's row exists and is laid out
    Drag drag_ = Drag::None;
    QPointF pressed_;
    Ns anchor_ = 0;
    std::optional<double> pointerX_;
    std::optional<double> paintedX_;  // x at which the cursor was painted last
    int inspected_ = -1;
    struct Described {
        RankSpan span;
        QString text;
        QPoint at;
    };
    std::optional<Described> described_;  // span of the tool tip whose own name has not arrived yet
};

}  // namespace dasgd::gui
