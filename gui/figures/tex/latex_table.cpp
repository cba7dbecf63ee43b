#include <algorithm>
#include <vector>

#include "gui/figures/tex/latex.h"

namespace dasgd::gui {

namespace {

constexpr qsizetype kLeastHead = 6;  // least width of a column head, in letters

// True for a column `time` or `n` with the same value in every row: a note below the table says it once.
bool isSaidOnce(const FigureTable& table, qsizetype column) {
    const QString& head = table.columns[column];
    if (table.rows.size() < 2 || (head != QLatin1String("time") && head != QLatin1String("n"))) return false;
    return std::ranges::all_of(
        table.rows, [&](const QStringList& row) { return row.value(column) == table.rows.front().value(column); });
}

// Column head broken into lines of at most `letters`, so that the column is as wide as its numbers, not as their unit.
QString headCell(const QString& head, qsizetype letters, bool first) {
    QStringList lines;
    for (const QString& word : head.split(QLatin1Char(' '))) {
        if (!lines.isEmpty() && lines.back().size() + 1 + word.size() <= letters) {
            lines.back() += QLatin1Char(' ') + word;
        } else {
            lines << word;
        }
    }
    if (lines.size() < 2) return latexText(head);
    QStringList escaped;
    for (const QString& line : lines) escaped << latexText(line);
    return QStringLiteral("\\begin{tabular}[b]{@{}%1@{}}%2\\end{tabular}")
        .arg(QLatin1String(first ? "l" : "r"), escaped.join(QStringLiteral("\\\\")));
}

QString tabularOf(const FigureTable& table, const std::vector<qsizetype>& columns) {
    QString out =
        QStringLiteral("\\begin{tabular}{@{}#1%1@{}}\n\\toprule\n")
            .arg(QString(static_cast<qsizetype>(std::max<std::size_t>(columns.size(), 1)) - 1, QLatin1Char('r')));
    const auto line = [&out](const QStringList& cells) {
        out += cells.join(QStringLiteral(" & ")) + QStringLiteral(" \\\\\n");
    };
    QStringList heads;
    for (const qsizetype column : columns) {
        qsizetype letters = kLeastHead;
        for (const QStringList& row : table.rows) letters = std::max(letters, row.value(column).size());
        heads << headCell(table.columns[column], letters, column == 0);
    }
    line(heads);
    out += QStringLiteral("\\midrule\n");
    for (const QStringList& row : table.rows) {
        QStringList cells;
        for (const qsizetype column : columns)
            cells << (column == 0 ? QStringLiteral("#2") : QString()) + latexText(row.value(column));
        line(cells);
    }
    return out + QStringLiteral("\\bottomrule\n\\end{tabular}");
}

}  // namespace

QString booktabsOf(const FigureTable& table) {
    std::vector<qsizetype> columns;
    QStringList notes;
    for (qsizetype column = 0; column < table.columns.size(); ++column) {
        if (!isSaidOnce(table, column)) {
            columns.push_back(column);
            continue;
        }
        const QString& value = table.rows.front().value(column);
        const bool named = value.startsWith(QLatin1String("time "));  // "time simulated"
        notes << (table.columns[column] == QLatin1String("n") ? QStringLiteral("n = ")
                  : named                                     ? QString()
                                                              : QStringLiteral("time ")) +
                     value;
    }
    notes += table.notes;
    QString out = QStringLiteral(
        "% \\usepackage{booktabs,graphicx}\n"
        "% No wider than the text around it: smaller where it would be.\n"
        "\\begingroup\n"
        "\\def\\figuretable#1#2{");
    out += tabularOf(table, columns) + QStringLiteral("}%\n");
    out += QStringLiteral(
        "\\setbox0=\\hbox{\\figuretable{l}{}}%\n"
        "\\ifdim\\wd0>\\linewidth \\small \\tabcolsep=4pt \\setbox0=\\hbox{\\figuretable{l}{}}\\fi\n"
        "\\ifdim\\wd0>\\linewidth \\footnotesize \\tabcolsep=3pt \\setbox0=\\hbox{\\figuretable{l}{}}\\fi\n"
        "\\ifdim\\wd0>\\linewidth \\setbox0=\\hbox{\\figuretable{p{0.45\\linewidth}}{\\raggedright }}\\fi\n"
        "\\ifdim\\wd0>\\linewidth \\setbox0=\\hbox{\\resizebox{\\linewidth}{!}{\\box0}}\\fi\n"
        "\\noindent\\box0\\par\n");
    if (!notes.isEmpty()) {
        QStringList escaped;
        for (const QString& note : notes) escaped << latexText(note);
        out += QStringLiteral("\\smallskip\n\\noindent\\parbox{\\linewidth}{\\footnotesize\\raggedright ") +
               escaped.join(QStringLiteral(" \\\\\n")) + QStringLiteral("}\\par\n");
    }
    return out + QStringLiteral("\\endgroup\n");
}

}  // namespace dasgd::gui
