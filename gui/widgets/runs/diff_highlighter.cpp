#include "gui/widgets/runs/diff_highlighter.h"

namespace dasgd::gui {

DiffHighlighter::DiffHighlighter(const Look& look, QTextDocument* document)
    : QSyntaxHighlighter(document), look_(look) {
    connect(&look_, &Look::changed, this, &QSyntaxHighlighter::rehighlight);
}

DiffHighlighter::Kind DiffHighlighter::kindOf(const QString& line, bool& inDiff) {
    if (line.startsWith(QLatin1String("diff --git "))) inDiff = true;
    if (line.startsWith(QLatin1Char('#'))) inDiff = false;
    if (!inDiff || line.isEmpty()) return Kind::Plain;
    for (const char* head : {"diff --git ", "index ", "+++ ", "--- "}) {
        if (line.startsWith(QLatin1String(head))) return Kind::File;
    }
    if (line.startsWith(QLatin1String("@@"))) return Kind::Place;
    return line[0] == QLatin1Char('+') ? Kind::Added : line[0] == QLatin1Char('-') ? Kind::Removed : Kind::Plain;
}

void DiffHighlighter::highlightBlock(const QString& text) {
    bool inDiff = previousBlockState() == 1;
    const Kind kind = kindOf(text, inDiff);
    setCurrentBlockState(inDiff ? 1 : 0);
    if (kind == Kind::Plain) return;
    const Theme& theme = look_.theme();
    const QColor colors[] = {theme.text, theme.muted, theme.accent, theme.good, theme.bad};
    setFormat(0, static_cast<int>(text.size()), colors[static_cast<std::size_t>(kind)]);
}

}  // namespace dasgd::gui
