// The navigation rail on the left: the pages with their shortcuts, the workspace at the foot.
#pragma once

#include <QAbstractButton>
#include <QWidget>
#include <vector>

#include "gui/kit/theme/theme.h"

class QLabel;
class QToolButton;
class QVBoxLayout;

namespace dasgd::gui {

class RailButton : public QAbstractButton {
    Q_OBJECT

public:
    RailButton(const QString& title, const QString& icon, const QString& shortcut, const Look& look);
    QSize sizeHint() const override { return {folded_ ? 38 : 190, 38}; }
    // True shows the icon only.
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
    // Adds a page at the end; Ctrl+1, Ctrl+2 … choose pages in order. `icon`: SVG path data, 0 to 15 in x and y.
    void add(const QString& title, const QString& icon);
    void choose(int page);
    // True reduces the rail to the icons of the pages, for a narrow window; tool tips and keys stay.
    void setFolded(bool folded);
    [[nodiscard]] bool isFolded() const { return folded_; }

signals:
    void chosen(int page);
    void themeWanted();
    void workspaceWanted();  // the user wants to open another workspace

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Look& look_;
    QVBoxLayout* items_;
    std::vector<RailButton*> buttons_;
    QLabel *title_, *workspaceHead_;
    QToolButton *theme_, *path_;
    QString workspace_;
    bool folded_ = true;  // true initially, so that the constructor's setFolded(false) takes effect
};

}  // namespace dasgd::gui
