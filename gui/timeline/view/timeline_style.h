// Style of a timeline, and its marks: notes of rows, the current row, and the strip of hidden shares.
#pragma once

#include <QColor>
#include <QFont>
#include <QString>
#include <map>
#include <vector>

#include "core/analysis/spans/hidden_steps.h"
#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

struct TimelineStyle {
    QColor ground, grid, text, muted, axisText, accent, warn, good;
    QFont strong, plain, small;  // fonts of ranks, of lanes and boxes, of the axis
    double minimalBox = 1;       // least width of a box, in the painter's unit
    bool crisp = true;           // true puts edges on whole pixels; false on paper
    bool milliseconds = false;   // ticks in milliseconds instead of seconds of the run
};
[[nodiscard]] TimelineStyle screenStyle(const Theme& theme);
// Tint behind the boxes in untimed intervals, which count for no number.
[[nodiscard]] QColor untimedTint(const TimelineStyle& style);

// Note below a rank's name: its lateness.
struct RowNote {
    QString text;
    bool beyondNoise = false;
    bool operator==(const RowNote&) const = default;
};

// Content of the strip of hidden shares.
struct HiddenStrip {
    std::vector<HiddenStep> steps;  // by step
    QString instead;                // text in place of the strip if `steps` is empty
};

struct TimelineMarks {
    std::map<int, RowNote> notes;  // by rank
    bool handles = false;          // true shows marks that pin ranks and open groups
    int current = -1;              // place of the row that keys act on; −1: none
    HiddenStrip hidden;
};

inline constexpr double kHandle = 18;  // width of a mark that pins a rank or opens a group

}  // namespace dasgd::gui
