// Parallel coordinates to be laid out: long names, long numbers, words.
#pragma once

#include "gui/kit/plots/paper/parallel_words.h"

namespace dasgd::gui {

// `axes` of them, every third with words; numbers from 0.00012 on are long.
inline ParallelFigure parallelFigure(int axes, double width) {
    ParallelFigure figure{.widthIn = width};
    for (int i = 0; i < axes; ++i) {
        ParallelAxis axis{.key = "train.number_" + std::to_string(i),
                          .title = QStringLiteral("number %1").arg(i),
                          .full = QStringLiteral("a number of its own %1 [ms], simulated").arg(i),
                          .low = 0.00012,
                          .high = 0.00019};
        if (i % 3 == 0) {
            axis.kind = ParallelAxis::Kind::Category;
            axis.categories = {QStringLiteral("hybrid_sgd"), QStringLiteral("local_sgd"), QStringLiteral("sync_sgd")};
        }
        figure.plot.axes.push_back(std::move(axis));
    }
    for (int which = 0; which < 3; ++which) {
        ParallelLine line{.name = QStringLiteral("configuration %1").arg(which), .style = {which, which, which}};
        for (int i = 0; i < axes; ++i) line.values.emplace_back(i % 3 == 0 ? which : 0.00012 + 0.00003 * which);
        figure.plot.lines.push_back(std::move(line));
    }
    figure.legend = figure.plot.lines;
    return figure;
}

}  // namespace dasgd::gui
