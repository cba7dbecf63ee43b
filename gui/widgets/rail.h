// The rail on the left: the pages with their shortcuts, the workspace at the foot.
#pragma once

#include <QAbstractButton>
#include <QWidget>
#include <vector>

#include "gui/theme/theme.h"

class QLabel;
class QToolButton;
class QVBoxLayout;

namespace dasgd::gui {

class RailButton : public QAbstractButton {
    Q_OBJECT

public:
    RailButton(const QString& title, const QString& icon, const QString& shortcut, const Look& look);
    QSize sizeHint() const override { return {folded_ ? 38 : 190, 38}; }
    // The icon alone.
    void setFolded(bool folded);

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void paintIcon(QPainter& painter, const QRectF& box) const;

    QString icon_, shortcut_;
    const Look& look_;
    bool folded_ = false;
};

class Rail : public QWidget {
    Q_OBJECT

public:
    Rail(const Look& look, const QString& workspace, QWidget* parent = nullptr);
    // Pages in their order; Ctrl+1, Ctrl+2 … choose them. `icon`: path data of SVG, from 0 to 15 in x and y.
    void add(const QString& title, const QString& icon);
    void choose(int page);
    // To the icons of the pages, for a narrow window; tool tips and keys stay.
    void setFolded(bool folded);
    [[nodiscard]] bool isFolded() const { return folded_; }

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
    QLabel *title_, *workspaceHead_;
    QToolButton *theme_, *path_;
    QString workspace_;
    bool folded_ = true;  // until the constructor has set all of its parts
};

}  // namespace dasgd::gui
