#include "gui/experiment/form/toml_highlighter.h"

#include <QRegularExpression>

namespace dasgd::gui {

namespace {

const QString kBasic = QStringLiteral("\"\"\""), kLiteral = QStringLiteral("'''");

// Index behind the string whose content begins at `from`; -1 where the line ends first. `quotes`: the closing quotes.
qsizetype endOfString(const QString& line, qsizetype from, const QString& quotes) {
    for (qsizetype at = from; at < line.size(); ++at) {
        if (quotes.startsWith(u'"') && line[at] == u'\\') {
            ++at;
        } else if (QStringView(line).mid(at).startsWith(quotes)) {
            return at + quotes.size();
        }
    }
    return -1;
}

}  // namespace

TomlHighlighter::TomlHighlighter(const Look& look, QTextDocument* document)
    : QSyntaxHighlighter(document), look_(look) {
    connect(&look_, &Look::changed, this, &QSyntaxHighlighter::rehighlight);
}

std::vector<TomlHighlighter::Piece> TomlHighlighter::piecesOf(const QString& line, QString& openString) {
    static const QRegularExpression header(QStringLiteral("^\\s*\\[\\[?[^=#]*\\]\\]?\\s*(?=#|$)"));
    static const QRegularExpression number(QStringLiteral(
        "\\G(?<![\\w.-])([+-]?(\\d[\\d_]*(\\.\\d[\\d_]*)?([eE][+-]?\\d+)?|inf|nan)|true|false)(?![\\w-])"));
    std::vector<Piece> pieces;
    qsizetype at = 0;
    if (!openString.isEmpty()) {
        const qsizetype end = endOfString(line, 0, openString);
        pieces.push_back({0, end < 0 ? line.size() : end, Kind::String});
        if (end < 0) return pieces;
        openString.clear();
        at = end;
    } else if (const auto match = header.match(line); match.hasMatch()) {
        pieces.push_back({0, match.capturedEnd(), Kind::Header});
        at = match.capturedEnd();
    }
    while (at < line.size()) {
        const QChar c = line[at];
        if (c == u'#') {
            pieces.push_back({at, line.size() - at, Kind::Comment});
            break;
        }
        if (c == u'"' || c == u'\'') {
            const QString three(3, c);
            const QString quotes = QStringView(line).mid(at).startsWith(three) ? three : QString(c);
            const qsizetype end = endOfString(line, at + quotes.size(), quotes);
            pieces.push_back({at, (end < 0 ? line.size() : end) - at, Kind::String});
            if (end < 0 && quotes.size() == 3) openString = quotes;
            if (end < 0) break;
            at = end;
            continue;
        }
        const auto match = number.match(line, at);
        if (match.hasMatch()) pieces.push_back({at, match.capturedLength(), Kind::Number});
        at += match.hasMatch() ? match.capturedLength() : 1;
    }
    return pieces;
}

void TomlHighlighter::highlightBlock(const QString& text) {
    const Theme& theme = look_.theme();
    const QColor colors[] = {theme.text, theme.curves[3], theme.good, theme.accent, theme.muted};
    const QString open[] = {QString(), kBasic, kLiteral};
    QString openString = open[std::max(0, previousBlockState())];
    for (const Piece& piece : piecesOf(text, openString)) {
        setFormat(static_cast<int>(piece.from), static_cast<int>(piece.length),
                  colors[static_cast<std::size_t>(piece.kind)]);
    }
    setCurrentBlockState(openString == kBasic ? 1 : openString == kLiteral ? 2 : 0);
}

}  // namespace dasgd::gui
