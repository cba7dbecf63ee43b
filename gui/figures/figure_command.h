// `dasgd-lab figure`: the figures of a paper from the store, with no display.
#pragma once

#include <QStringList>
#include <filesystem>
#include <optional>

#include "core/analysis/overlap.h"
#include "core/analysis/scaling.h"
#include "core/base/result.h"
#include "gui/models/live/series.h"

namespace dasgd::gui {

struct FigureOptions {
    std::filesystem::path workspace;
    QStringList runs;  // ids or unique beginnings; runs that differ only in the seed become one curve with a band
    QString out;
    XAxis axis = XAxis::Step;
    double smoothing = 0.9;
    double widthIn = 5.5;
    bool logLoss = true;
    // The figures of the Scaling page instead; of all runs of `experiment` where no runs are named.
    std::optional<Scaling> scaling;
    QString experiment;
    std::optional<Target> target;
    std::optional<TimeRange> window;  // of the timeline; the steady state where absent
    QString command;                  // as typed, for figure.json
};

// Reads the words after `figure`. Errors say what is wrong with which option.
[[nodiscard]] Result<FigureOptions> parseFigureOptions(const QStringList& words);
// Writes loss.*, throughput.* and, of the first run that reduces, timeline.*, and figure.json; with `scaling` what
// writeScalingFigures() says. Answers the files written.
[[nodiscard]] Result<QStringList> writeFigures(const FigureOptions& options);

[[nodiscard]] QString figureHelp();

}  // namespace dasgd::gui
