// Editor of an experiment's text with line numbers; the line of the focused field is highlighted, lines with errors are
// marked.
#pragma once

#include <QPlainTextEdit>
#include <vector>

#include "gui/experiment/model/document/experiment_document.h"
#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

class TomlEditor : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit TomlEditor(const Look& look);

    // Shows `text` as one undo step: only the part that differs is replaced, and the scroll position stays.
    void replaceText(const QString& text);
    // Highlights a line, counted from 1; 0 for none. `note` is shown at the right of the line.
    void lightLine(int line, const QString& note = {});
    void markErrors(const std::vector<Problem>& problems);
    [[nodiscard]] int litLine() const { return lit_; }
    // Line of the first error; 0 where there is none.
    [[nodiscard]] int errorLine() const { return errors_.empty() ? 0 : errors_.front().line; }
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
    [[nodiscard]] QRectF lineRect(int line) const;  // over the whole width; empty where the line is not visible
    [[nodiscard]] bool isWrong(int line) const;
    void showMarks();
    void retheme();

    class Gutter;
    const Look& look_;
    Gutter* gutter_;
    int lit_ = 0;
    std::vector<Problem> errors_;  // errors that have a line
    QString note_;
};

}  // namespace dasgd::gui
