// A figure as it is printed: at its true size between lines of text of the venue's size, under a ruler.
#pragma once

#include <QImage>
#include <QWidget>

#include "gui/figures/model/venues.h"
#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

class FigurePreview : public QWidget {
    Q_OBJECT

public:
    explicit FigurePreview(const Look& look, QWidget* parent = nullptr);

    // `size`: size of the figure in points of 1/72 in, to which the image is scaled. `venue` outlives the preview.
    void setFigure(const QImage& image, QSizeF size, const Venue& venue, const QString& caption);
    // Shows words in place of a figure: the reason why there is none.
    void setWords(const QString& title, const QString& words);
    // Zoom factor; 1 is the printed size.
    void setZoom(double zoom);
    [[nodiscard]] double zoom() const { return zoom_; }
    void setGrey(bool grey);
    // Resolution of the screen with the zoom; a screen that does not know its size counts as 96 dots per inch.
    [[nodiscard]] double pixelsPerPoint() const;
    [[nodiscard]] double dotsPerInch() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QRectF sheet() const;
    [[nodiscard]] QFont bodyFont(double points) const;
    void paintRuler(QPainter& painter, const QRectF& area, double left, double width) const;
    // Paints a block of text; answers the y below it.
    double paintText(QPainter& painter, QRectF area, const QString& text, double points) const;
    void paintSheet(QPainter& painter) const;
    void paintWords(QPainter& painter) const;

    const Look& look_;
    QImage image_;
    QSizeF size_;  // size of the figure in points
    const Venue* venue_ = nullptr;
    QString caption_, title_, words_;
    double zoom_ = 1;
    bool isGrey_ = false;
};

}  // namespace dasgd::gui
