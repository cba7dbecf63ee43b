// A strip over all ranks of a run, a line each, from its beginning to its end, with the window of the timeline on it. A
// click or drag moves that window; so do Left and Right, Home and End.
#pragma once

#include <QImage>
#include <QWidget>
#include <map>

#include "gui/models/timeline/overview_picture.h"
#include "gui/models/timeline/time_selection.h"
#include "gui/theme/theme.h"

namespace dasgd::gui {

class OverviewWidget : public QWidget {
    Q_OBJECT

public:
    OverviewWidget(TimeSelection& selection, const Look& look, QWidget* parent = nullptr);
    void clear();
    void setPicture(const OverviewPicturePtr& picture);
    // Marks the lines of these ranks; their words are shown at the pointer and read out.
    void setLate(std::map<int, QString> words);
    // Of the mark of this rank; empty where it has none.
    [[nodiscard]] QRectF markRect(int rank) const;
    [[nodiscard]] QRectF windowRect() const;
    [[nodiscard]] const QImage& image() const { return image_; }

signals:
    void widthWanted(int pixels);  // 0: hidden

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
    QImage image_;  // a pixel high for each rank, of the picture's memory; clear where a rank did nothing
    QRect shown_;   // the window, as it was painted
    std::map<int, QString> late_;
};

}  // namespace dasgd::gui
