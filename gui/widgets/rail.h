// The rail on the left: the pages with their shortcuts, the workspace at the foot.
#pragma once

#include <QAbstractButton>
#include <QWidget>
#include <vector>

#include "gui/theme/theme.h"

class QLabel;
class QVBoxLayout;

namespace dasgd::gui {

class RailButton : public QAbstractButton {
    Q_OBJECT

public:
    RailButton(const QString& title, const QString& icon, const QString& shortcut, const Look& look);
    QSize sizeHint() const override { return {190, 38}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void paintIcon(QPainter& painter, const QRectF& box) const;

    QString icon_, shortcut_;
    const Look& look_;
};

class Rail : public QWidget {
    Q_OBJECT

public:
    Rail(const Look& look, const QString& workspace, QWidget* parent = nullptr);
    // Pages in their order; Ctrl+1, Ctrl+2 … choose them. `icon`: path data of SVG, from 0 to 15 in x and y.
    void add(const QString& title, const QString& icon);
    void choose(int page);

signals:
    void chosen(int page);
    void themeWanted();
    void workspaceWanted();  // another one

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Look& look_;
    QVBoxLayout* items_;
    std::vector<RailButton*> buttons_;
};

}  // namespace dasgd::gui
