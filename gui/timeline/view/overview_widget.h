// Overview of a run from beginning to end, with a line for each rank and the window of the timeline marked on it. A
// click, a drag, Left, Right, Home and End move that window.
#pragma once

#include <QImage>
#include <QWidget>
#include <map>

#include "gui/data/spans/time_selection.h"
#include "gui/kit/theme/theme.h"
#include "gui/timeline/model/overview_picture.h"

namespace dasgd::gui {

class OverviewWidget : public QWidget {
    Q_OBJECT

public:
    OverviewWidget(TimeSelection& selection, const Look& look, QWidget* parent = nullptr);
    void clear();
    void setPicture(const OverviewPicturePtr& picture);
    // Marks the lines of these ranks; the words appear in a tool tip and for screen readers.
    void setLate(std::map<int, QString> words);
    // Rectangle of this rank's mark; empty if it has none.
    [[nodiscard]] QRectF markRect(int rank) const;
    [[nodiscard]] QRectF windowRect() const;
    [[nodiscard]] const QImage& image() const { return image_; }

signals:
    void widthWanted(int pixels);  // width of the picture to deliver; 0: the widget is hidden

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void redraw();
    void moveWindow();
    void moveTo(double x);

    TimeSelection& selection_;
    const Look& look_;
    OverviewPicturePtr picture_;
    QImage image_;  // one row of pixels per rank, in the memory of picture_; transparent where a rank was idle
    QRect shown_;   // the window rectangle as painted last
    std::map<int, QString> late_;
};

}  // namespace dasgd::gui
