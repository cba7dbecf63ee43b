// `dasgd-lab figure`: figures of a paper from the store, with no display.
#pragma once

#include <QStringList>
#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "gui/figures/figure_bundle.h"

namespace dasgd::gui {

// A figure that is asked for. Of those that options stand for some may be empty and are then left out.
struct WantedFigure {
    NamedFigure figure;
    bool mayBeEmpty = false;
};

struct FigureOptions {
    std::filesystem::path workspace;
    QString out;
    QString file;  // a figure or a bundle's figure.json, "-" for the standard input; "" where options say what is drawn
    std::vector<WantedFigure> figures;
    QString command;  // as typed, for figure.json
};

// Reads the words after `figure`. Errors say what is wrong with which option.
[[nodiscard]] Result<FigureOptions> parseFigureOptions(const QStringList& words);
// Writes the bundle of each figure and figure.json. Answers the files written; `warnings` gets a line of each figure
// that fits no page, and of each that was left out, with why. UI thread.
[[nodiscard]] Result<QStringList> writeFigures(const FigureOptions& options, QStringList* warnings = nullptr);

[[nodiscard]] QString figureHelp();

}  // namespace dasgd::gui
