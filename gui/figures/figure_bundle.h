// Everything that a paper takes of a figure, written to a folder.
#pragma once

#include <QJsonArray>
#include <QString>
#include <QStringList>

#include "core/base/result.h"
#include "gui/figures/figure_content.h"

namespace dasgd::gui {

// Errors: a file of the bundle NAME that is already there.
[[nodiscard]] Status checkFree(const QString& name, const QString& folder);

// Writes NAME.pdf .svg .png .csv, NAME-plot.tex and the NAME-plot.csv that it reads, NAME-table.tex,
// NAME-caption.tex, and for scaling NAME-points.csv; adds the files to `written`. What the kind does not have is not
// written. UI thread. Errors: a file that is already there. Answers what is to be said of a figure that was written as
// it is: that it is higher than a page; "" where nothing is.
[[nodiscard]] Result<QString> writeBundle(const FigureContent& content, const NamedFigure& figure,
                                          const QString& folder, QStringList& written);

// What figure.json says of a figure: the spec, the runs and their commits, what was done with them. figuresOf() reads
// it again.
[[nodiscard]] QJsonObject recordOf(const FigureContent& content, const NamedFigure& figure, const QStringList& files,
                                   const QString& folder);
// The whole file.
[[nodiscard]] QJsonObject bundleRecord(const QJsonArray& figures, const QString& command);

// The figures of a file: of a spec that one, named like the file; of a bundle's figure.json all of it, of the very runs
// that it was made of. Errors name the file and the field.
[[nodiscard]] Result<std::vector<NamedFigure>> figuresOf(const QByteArray& text, const QString& file);

}  // namespace dasgd::gui
