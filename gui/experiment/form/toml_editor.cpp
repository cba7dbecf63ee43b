#include "gui/experiment/form/toml_editor.h"

#include <QMimeData>
#include <QPainter>
#include <QTextBlock>
#include <algorithm>

#include "gui/experiment/form/toml_highlighter.h"

namespace dasgd::gui {

namespace {

constexpr int kGutterWidth = 42;

QFont editorFont() {
    QFont font(QStringLiteral("JetBrains Mono"));
    font.setPixelSize(12);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

QString droppedFile(const QMimeData& data) {
    return data.urls().size() == 1 ? data.urls().front().toLocalFile() : QString();
}

}  // namespace

class TomlEditor::Gutter : public QWidget {
public:
    explicit Gutter(TomlEditor* editor) : QWidget(editor), editor_(*editor) {}

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        editor_.paintGutter(painter);
    }

private:
    TomlEditor& editor_;
};

TomlEditor::TomlEditor(const Look& look) : look_(look), gutter_(new Gutter(this)) {
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setFont(editorFont());
    setTabChangesFocus(true);
    setAccessibleName(tr("Text of the experiment"));
    setViewportMargins(kGutterWidth, 0, 0, 0);
    new TomlHighlighter(look, document());
    document()->setDocumentMargin(6);
    connect(this, &QPlainTextEdit::updateRequest, gutter_, [this] { gutter_->update(); });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] { emit cursorMoved(cursorLine()); });
    connect(&look_, &Look::changed, this, &TomlEditor::retheme);
    retheme();
}

void TomlEditor::retheme() {
    setStyleSheet(QStringLiteral("QPlainTextEdit { background: transparent; color: %1; selection-background-color: %2; "
                                 "selection-color: %1; font-family: \"JetBrains Mono\"; font-size: 12px; }")
                      .arg(look_.theme().text.name(), look_.theme().selection.name()));
    showMarks();
}

void TomlEditor::replaceText(const QString& text) {
    const QString old = toPlainText();
    qsizetype same = 0, tail = 0;
    const qsizetype shorter = std::min(old.size(), text.size());
    while (same < shorter && old[same] == text[same]) ++same;
    while (tail < shorter - same && old[old.size() - 1 - tail] == text[text.size() - 1 - tail]) ++tail;
    if (same + tail == old.size() && old.size() == text.size()) return;
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    cursor.setPosition(static_cast<int>(same));
    cursor.setPosition(static_cast<int>(old.size() - tail), QTextCursor::KeepAnchor);
    cursor.insertText(text.mid(same, text.size() - same - tail));
    cursor.endEditBlock();
}

void TomlEditor::lightLine(int line, const QString& note) {
    lit_ = line;
    note_ = note;
    viewport()->update();
    gutter_->update();
}

void TomlEditor::markErrors(const std::vector<Problem>& problems) {
    errors_ = problems;
    std::erase_if(errors_, [](const Problem& problem) { return problem.line <= 0; });
    showMarks();
    viewport()->update();
    gutter_->update();
}

bool TomlEditor::isWrong(int line) const { return std::ranges::find(errors_, line, &Problem::line) != errors_.end(); }

void TomlEditor::goTo(int line, int column) {
    const QTextBlock block = document()->findBlockByNumber(std::max(0, line - 1));
    if (!block.isValid()) return;
    QTextCursor cursor(block);
    cursor.setPosition(block.position() + std::clamp(column - 1, 0, std::max(0, block.length() - 1)));
    setTextCursor(cursor);
    centerCursor();
}

// Underlines each error by a wave, from its column to the end of the word.
void TomlEditor::showMarks() {
    QList<QTextEdit::ExtraSelection> marks;
    for (const Problem& error : errors_) {
        const QTextBlock block = document()->findBlockByNumber(error.line - 1);
        if (!block.isValid()) continue;
        const QString line = block.text();
        const int from = std::clamp(error.column - 1, 0, static_cast<int>(line.size()));
        qsizetype end = line.indexOf(u' ', from);
        if (end < 0) end = line.size();
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(block);
        mark.cursor.setPosition(block.position() + from);
        mark.cursor.setPosition(block.position() + static_cast<int>(end), QTextCursor::KeepAnchor);
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(look_.theme().bad);
        marks << mark;
    }
    setExtraSelections(marks);
}

QRectF TomlEditor::lineRect(int line) const {
    const QTextBlock block = document()->findBlockByNumber(line - 1);
    if (line <= 0 || !block.isValid()) return {};
    const QRectF box = blockBoundingGeometry(block).translated(contentOffset());
    return {0, box.top(), static_cast<double>(viewport()->width()), box.height()};
}

void TomlEditor::paintLine(QPainter& painter, int line, const QColor& fill, const QColor& bar) {
    const QRectF box = lineRect(line);
    if (box.isEmpty()) return;
    painter.fillRect(box, fill);
    if (bar.isValid()) painter.fillRect(QRectF(0, box.top(), 3, box.height()), bar);
}

void TomlEditor::paintEvent(QPaintEvent* event) {
    const Theme& theme = look_.theme();
    {
        QPainter painter(viewport());
        paintLine(painter, lit_, theme.raised, {});
        for (const Problem& error : errors_) paintLine(painter, error.line, theme.badTint, {});
        const QRectF box = lineRect(lit_);
        if (!note_.isEmpty() && !box.isEmpty()) {
            const QFont font = interFont(11);
            const double written =
                QFontMetricsF(this->font()).horizontalAdvance(document()->findBlockByNumber(lit_ - 1).text()) + 30;
            const QRectF room = box.adjusted(written, 0, -12, 0);
            if (room.width() > QFontMetricsF(font).horizontalAdvance(note_)) {
                painter.setFont(font);
                painter.setPen(theme.muted);
                painter.drawText(room, Qt::AlignVCenter | Qt::AlignRight, note_);
            }
        }
    }
    QPlainTextEdit::paintEvent(event);
}

void TomlEditor::paintGutter(QPainter& painter) {
    const Theme& theme = look_.theme();
    painter.setFont(font());
    paintLine(painter, lit_, theme.raised, theme.accent);
    for (const Problem& error : errors_) paintLine(painter, error.line, theme.badTint, theme.bad);
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF box = blockBoundingGeometry(block).translated(contentOffset());
        if (box.top() > height()) break;
        const int line = block.blockNumber() + 1;
        painter.setPen(isWrong(line) ? theme.bad : line == lit_ ? theme.text : theme.faint);
        painter.drawText(QRectF(0, box.top(), kGutterWidth - 10, box.height()), Qt::AlignVCenter | Qt::AlignRight,
                         QString::number(line));
    }
}

void TomlEditor::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    gutter_->setGeometry(contentsRect().left(), contentsRect().top(), kGutterWidth, contentsRect().height());
}

void TomlEditor::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppedFile(*event->mimeData()).isEmpty()) {
        event->acceptProposedAction();
    } else {
        QPlainTextEdit::dragEnterEvent(event);
    }
}

void TomlEditor::dropEvent(QDropEvent* event) {
    const QString file = droppedFile(*event->mimeData());
    if (file.isEmpty()) return QPlainTextEdit::dropEvent(event);
    event->acceptProposedAction();
    emit fileDropped(file);
}

}  // namespace dasgd::gui
