// A selection's numbers as the lines of a table.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/models/timeline/span_measure.h"

namespace dasgd::gui {

struct MeasureLine {
    QString what;
    std::optional<SpanKind> kind;  // whose colour it has
    double meanMs = 0;             // of a rank
    QString most;                  // "12.1 (rank 3)", or ""
    double share = 0;              // of the selection
};

// First what the compute lane did, idle last: they add up to its length, where spans of a rank do not overlap;
// then what happened beside it.
struct MeasureTable {
    std::vector<MeasureLine> lines;
    std::size_t beside = 0;  // index of the first line that is not part of the sum
    // Why the compute lane was idle or waited: adds up to the lines "idle" and "wait".
    std::vector<MeasureLine> idle;
    double lengthMs = 0;
    int ranks = 0;
    int workers = 0;  // of the run; 0: not known
};
// "4 ranks", or "3 of 4 ranks, the others recorded nothing here".
[[nodiscard]] QString ranksOf(const MeasureTable& table);
[[nodiscard]] MeasureTable tableOf(const Measure& measure);
// With a head and tabs, as spreadsheets take it.
[[nodiscard]] QString textOf(const MeasureTable& table);

}  // namespace dasgd::gui
