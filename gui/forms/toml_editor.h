// The text of an experiment: line numbers, the line of the focused field lit, the line with the error marked.
#pragma once

#include <QPlainTextEdit>

#include "gui/theme/theme.h"

namespace dasgd::gui {

class TomlEditor : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit TomlEditor(const Look& look);

    // Shows `text` as one step of the undo: only the part that differs is replaced, and what is seen stays where it is.
    void replaceText(const QString& text);
    // Lines from 1, 0 for none. `note` stands at the right of the lit line.
    void lightLine(int line, const QString& note = {});
    void markError(int line, int column);
    [[nodiscard]] int litLine() const { return lit_; }
    [[nodiscard]] int errorLine() const { return error_; }
    [[nodiscard]] int cursorLine() const { return textCursor().blockNumber() + 1; }
    void goTo(int line, int column);

signals:
    void cursorMoved(int line);
    void fileDropped(const QString& path);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void paintGutter(QPainter& painter);
    void paintLine(QPainter& painter, int line, const QColor& fill, const QColor& bar);
    [[nodiscard]] QRectF lineRect(int line) const;  // over the whole width; empty where it is not seen
    void showMarks();
    void retheme();

    class Gutter;
    const Look& look_;
    Gutter* gutter_;
    int lit_ = 0, error_ = 0, errorColumn_ = 0;
    QString note_;
};

}  // namespace dasgd::gui
