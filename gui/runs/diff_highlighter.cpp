#include "gui/runs/diff_highlighter.h"

#include <algorithm>

namespace dasgd::gui {

DiffHighlighter::DiffHighlighter(const Look& look, QTextDocument* document)
    : QSyntaxHighlighter(document), look_(look) {
    connect(&look_, &Look::changed, this, &QSyntaxHighlighter::rehighlight);
}

DiffHighlighter::Kind DiffHighlighter::kindOf(const QString& line, Place& place) {
    if (line.startsWith(QLatin1String("diff --git "))) place = Place::Head;
    if (line.startsWith(QLatin1Char('#'))) place = Place::Before;
    if (place == Place::Before || line.isEmpty()) return Kind::Plain;
    if (line.startsWith(QLatin1String("@@"))) {
        place = Place::Changes;
        return Kind::Hunk;
    }
    if (place == Place::Head) return Kind::File;
    return line[0] == QLatin1Char('+') ? Kind::Added : line[0] == QLatin1Char('-') ? Kind::Removed : Kind::Plain;
}

void DiffHighlighter::highlightBlock(const QString& text) {
    auto place = static_cast<Place>(std::max(0, previousBlockState()));
    const Kind kind = kindOf(text, place);
    setCurrentBlockState(static_cast<int>(place));
    if (kind == Kind::Plain) return;
    const Theme& theme = look_.theme();
    const QColor colors[] = {theme.text, theme.muted, theme.accent, theme.good, theme.bad};
    setFormat(0, static_cast<int>(text.size()), colors[static_cast<std::size_t>(kind)]);
}

}  // namespace dasgd::gui
