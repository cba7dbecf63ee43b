// The measurements of a selected range as lines of a table.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/timeline/model/span_measure.h"

namespace dasgd::gui {

struct MeasureLine {
    QString what;
    std::optional<SpanKind> kind;  // kind that gives the line its colour
    double meanMs = 0;             // mean over the ranks
    QString most;                  // "12.1 (rank 3)", or ""
    double share = 0;              // fraction of the selection
};

// First the kinds of the compute lane, idle last: they add up to its length, unless spans of a rank overlap; then the
// other lanes.
struct MeasureTable {
    std::vector<MeasureLine> lines;
    std::size_t beside = 0;  // index of the first line that is not part of the sum
    // Reasons why the compute lane was idle or waited; they add up to the lines "idle" and "wait".
    std::vector<MeasureLine> idle;
    double lengthMs = 0;
    int ranks = 0;
    int workers = 0;  // of the run; 0: not known
};
// "4 ranks", or "3 of 4 ranks, the others recorded nothing here".
[[nodiscard]] QString ranksOf(const MeasureTable& table);
[[nodiscard]] MeasureTable tableOf(const Measure& measure);
// "if transfers were free: 38.1 % less", or why that is not known; "" where there is no path.
[[nodiscard]] QString freeTransfersInWords(const Measure& measure);
// "critical path: 61.2 % computing, 37.9 % transfers, 0.9 % idle"; "" where there is none.
[[nodiscard]] QString pathInWords(const Measure& measure);
// Text with a header and tabs, for spreadsheets.
[[nodiscard]] QString textOf(const MeasureTable& table);

}  // namespace dasgd::gui
