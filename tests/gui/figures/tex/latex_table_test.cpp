// LaTeX tables of figures; compiled where pdflatex is installed.
#include <gtest/gtest.h>

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "gui/figures/export/figure_files.h"
#include "gui/figures/model/venues.h"
#include "gui/figures/tex/latex.h"

namespace dasgd::gui {
namespace {

QStringList words(std::initializer_list<const char*> all) {
    QStringList out;
    for (const char* one : all) out << QString::fromUtf8(one);
    return out;
}

FigureTable longTable() {
    FigureTable table{.columns = words({"configuration", "time", "n", "training time [s], link emulated",
                                        "training loss, smoothed 0.9", "lowest", "highest"})};
    for (const char* name :
         {"overlap_local_sgd τ 4 d 2 batch 128", "dasgd τ 16 d 12 lr 0.05 (delay-sweep)", "sync_sgd"})
        table.rows.push_back(
            words({name, "measured, link emulated", "3", "123.4", "0.1234 ± 0.0123", "0.1234", "2.3456"}));
    table.notes << QStringLiteral("each at the last training time that all its seeds have, not at an equal budget")
                << QStringLiteral("mean ± std over seeds");
    return table;
}

TEST(LatexTable, HasARowForEachAndItsNotesBelow) {
    const QString table = booktabsOf(
        {.columns = words({"name", "loss"}), .rows = {words({"a & b", "1.5 ± 0.1"})}, .notes = words({"50 % of it"})});
    EXPECT_TRUE(table.contains(QLatin1String("\\begin{tabular}{@{}#1r@{}}")));
    EXPECT_TRUE(table.contains(QLatin1String("#2a \\& b & 1.5 $\\pm$ 0.1 \\\\")));
    EXPECT_TRUE(table.contains(QLatin1String("\\toprule")));
    EXPECT_GT(table.indexOf(QLatin1String("50 \\% of it")), table.indexOf(QLatin1String("\\bottomrule")));
}

TEST(LatexTable, WhatAllRowsSayAlikeOfClockAndSeedsIsSaidOnce) {
    FigureTable table = longTable();
    const QString alike = booktabsOf(table);
    EXPECT_EQ(alike.count(QLatin1String("measured")), 1);
    EXPECT_TRUE(alike.contains(QLatin1String("time measured, link emulated")));
    EXPECT_TRUE(alike.contains(QLatin1String("n = 3")));
    for (QStringList& row : table.rows) row[1] = QStringLiteral("time simulated");
    EXPECT_FALSE(booktabsOf(table).contains(QLatin1String("time time")));
    table.rows[1][2] = QStringLiteral("2 of 3");
    EXPECT_TRUE(booktabsOf(table).contains(QLatin1String("& 2 of 3 &")));
}

TEST(LatexTable, AHeadIsNoWiderThanItsNumbersWhereItHasWords) {
    const QString table = booktabsOf(longTable());
    EXPECT_TRUE(table.contains(
        QLatin1String("\\begin{tabular}[b]{@{}r@{}}training\\\\time\\\\{[}s],\\\\link\\\\emulated\\end{tabular}")))
        << table.toStdString();
}

TEST(LatexTable, FitsTheColumnOfEveryVenue) {
    if (QStandardPaths::findExecutable(QStringLiteral("pdflatex")).isEmpty())
        GTEST_SKIP() << "pdflatex is not installed (apt-get install texlive-pictures)";
    FigureTable narrow{.columns = words({"configuration", "loss"}), .rows = {words({"sync_sgd", "0.1"})}};
    for (const Venue& venue : venues()) {
        const QTemporaryDir folder;
        const QString document =
            QStringLiteral(
                "\\documentclass{article}\\usepackage{booktabs,graphicx}\\setlength{\\textwidth}{%1in}\\begin{document}"
                "\n"
                "\\begin{table}\\centering\n%2\\end{table}\n\\begin{table}\\centering\n%3\\end{table}\\end{document}\n")
                .arg(venue.columnIn)
                .arg(booktabsOf(longTable()), booktabsOf(narrow));
        ASSERT_TRUE(writeText(document, folder.filePath(QStringLiteral("t.tex"))));
        QProcess process;
        process.setWorkingDirectory(folder.path());
        process.start(QStringLiteral("pdflatex"), {QStringLiteral("-interaction=nonstopmode"),
                                                   QStringLiteral("-halt-on-error"), QStringLiteral("t.tex")});
        ASSERT_TRUE(process.waitForFinished(50'000));
        const QString log = QString::fromUtf8(process.readAll());
        EXPECT_TRUE(QFile::exists(folder.filePath(QStringLiteral("t.pdf")))) << log.toStdString();
        EXPECT_FALSE(log.contains(QLatin1String("Overfull"))) << venue.id << '\n' << log.toStdString();
    }
}

}  // namespace
}  // namespace dasgd::gui
