// Bundle of a figure: every file that a paper needs, written to a folder.
#pragma once

#include <QJsonArray>
#include <QString>
#include <QStringList>

#include "core/base/result.h"
#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

// Checks that writeBundle() would overwrite nothing. Errors: a file of the bundle NAME that exists.
[[nodiscard]] Status checkFree(const QString& name, const QString& folder);

// Writes NAME.pdf .svg .png .csv, NAME-plot.tex and the NAME-plot.csv that it reads, NAME-table.tex,
// NAME-caption.tex, and for scaling NAME-points.csv; adds the files to `written`. Files that the kind of figure lacks
// are not written. UI thread. Errors: a file that is already there. Answers a warning if the figure is higher than a
// page, else "".
[[nodiscard]] Result<QString> writeBundle(const FigureContent& content, const NamedFigure& figure,
                                          const QString& folder, QStringList& written);

// Entry of a figure in figure.json: its spec, its runs with their commits, and how they were used. figuresOf() reads it
// back.
[[nodiscard]] QJsonObject recordOf(const FigureContent& content, const NamedFigure& figure, const QStringList& files,
                                   const QString& folder);
// Content of figure.json: the entries of all its figures and the command that made them.
[[nodiscard]] QJsonObject bundleRecord(const QJsonArray& figures, const QString& command);

// The figures of a file. A spec gives one figure, named like the file; a bundle's figure.json gives all of its figures,
// each pinned to the runs that it was made of. Errors name the file and the field.
[[nodiscard]] Result<std::vector<NamedFigure>> figuresOf(const QByteArray& text, const QString& file);

}  // namespace dasgd::gui
