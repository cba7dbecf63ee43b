// `dasgd-lab figure`: figures of a paper from the store, with no display.
#pragma once

#include <QStringList>
#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "gui/figures/bundle/figure_bundle.h"

namespace dasgd::gui {

// A figure that the command was asked for. Figures that options stand for may be empty; they are then left out.
struct WantedFigure {
    NamedFigure figure;
    bool mayBeEmpty = false;
};

struct FigureOptions {
    std::filesystem::path workspace;
    QString out;
    QString
        file;  // a figure or a bundle's figure.json, "-" for the standard input; "" where options choose the figures
    std::vector<WantedFigure> figures;
    QString command;  // the typed command line, for figure.json
};

// Reads the words after `figure`. Errors name the option and its fault.
[[nodiscard]] Result<FigureOptions> parseFigureOptions(const QStringList& words);
// Writes the bundle of each figure and figure.json. Answers the files written; `warnings` gets a line for each figure
// that fits no page, and for each that was left out, with the reason. UI thread.
[[nodiscard]] Result<QStringList> writeFigures(const FigureOptions& options, QStringList* warnings = nullptr);

[[nodiscard]] QString figureHelp();

}  // namespace dasgd::gui
