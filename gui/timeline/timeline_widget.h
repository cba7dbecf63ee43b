// The overlap timeline of one run: rows rank × lane. With the focus, or with Ctrl, the wheel zooms at the pointer;
// shift-wheel pans, drag measures, double click fits, F follows; P pins the row under the pointer, Shift+Up and
// Shift+Down go to another one, Enter opens a group. Shows the window of a TimeSelection and the rows of a
// TimelineRows, and changes both.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "gui/models/timeline/span_cache.h"
#include "gui/models/timeline/span_measure.h"
#include "gui/models/timeline/time_selection.h"
#include "gui/models/timeline/timeline_rows.h"
#include "gui/theme/theme.h"
#include "gui/timeline/time_scale.h"
#include "gui/timeline/timeline_layout.h"
#include "gui/timeline/timeline_picture.h"
#include "gui/timeline/timeline_style.h"

namespace dasgd::gui {

class TimelineWidget : public QWidget {
    Q_OBJECT

public:
    TimelineWidget(TimeSelection& selection, TimelineRows& rows, const Look& look, QWidget* parent = nullptr);

    // Another run: nothing to show until a frame comes.
    void clear();
    // Below the rows: the steps, and the hidden share of each.
    void setFoot(bool shown);
    void setHiddenStrip(const HiddenStrip& hidden);
    void setFrame(const TimelineFramePtr& frame);
    void setMeasure(const Measure& measure);
    // What another program calls the span of which nameWanted() told; shown if the pointer is still on it.
    void setSpanName(const RankSpan& span, const QString& name);
    // Points out the span that was searched for, and scrolls to its row.
    void setFound(const std::optional<RankSpan>& span);
    // Said where there are no spans.
    void setEmptyText(const QString& text);

    // Of the window; while following it lies on whole pixels.
    [[nodiscard]] TimeScale scale() const;
    [[nodiscard]] TimelineView view() const;
    [[nodiscard]] const std::optional<Measure>& measure() const { return measure_; }
    [[nodiscard]] const TimelineFramePtr& frame() const { return frame_; }
    // Box under the point, or null.
    [[nodiscard]] const TimelineBox* boxAt(QPointF point) const;
    [[nodiscard]] const TimelineLayout& layout() const { return layout_; }
    [[nodiscard]] const TimelineMarks& marks() const { return marks_; }

signals:
    // A frame for the view is wanted, a little more than what is seen.
    void wanted(const dasgd::gui::TimelineView& view);
    void measureWanted(dasgd::TimeRange range);
    // A tool tip of one span is shown: it may have a name of its own.
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
    // After a change of frame, window or the strip under the rows.
    void redraw();
    void repaintAll();  // of anything else
    void ask();
    void paintPicture(const QRect& band);
    // The pointer of this widget, or where that of another view is.
    void pointTo(std::optional<double> x);
    void takeCursor();
    [[nodiscard]] std::optional<double> cursorX() const;
    void paintCursor(QPainter& painter);
    void paintMarked(QPainter& painter);
    void paintMeasure(QPainter& painter, const QRectF& marked);
    void inspect(int direction);
    bool navigate(QKeyEvent* event);
    void addKeyCommands();  // what navigate() does, by name
    void goToWait(int direction);
    void showBox(const TimelineBox& box, QPoint global);
    // Of what was chosen of the rows.
    void takePlan();
    void takeLateness();
    void moveCurrent(int direction);
    bool scrollTo(std::size_t row);  // false: its place is not laid out yet
    // The row of the found span; the number of rows where it has none.
    [[nodiscard]] std::size_t rowOfFound() const;
    void revealFound();
    void paintFound(QPainter& painter);
    // The row that keys act on stays the same one where rows change their order.
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
    [[nodiscard]] double rowsTop() const;  // below the axis, which stays where rows are scrolled

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
    QElapsedTimer asking_;     // since a frame was asked for
    QTimer follow_;            // until the live edge is asked for again
    Ns shownWidth_ = 0;        // of the window
    QString emptyText_;
    std::optional<RankSpan> found_;
    bool revealing_ = false;  // its row was not there, or not laid out, when it was found
    Drag drag_ = Drag::None;
    QPointF pressed_;
    Ns anchor_ = 0;
    std::optional<double> pointerX_;
    std::optional<double> paintedX_;  // of the cursor
    int inspected_ = -1;
    struct Described {
        RankSpan span;
        QString text;
        QPoint at;
    };
    std::optional<Described> described_;  // by the tool tip, as long as its name has not arrived
};

}  // namespace dasgd::gui
