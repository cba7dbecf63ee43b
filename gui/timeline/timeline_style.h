// How a timeline is drawn, and what is told beside its spans.
#pragma once

#include <QColor>
#include <QFont>
#include <QString>
#include <map>
#include <vector>

#include "core/analysis/hidden_steps.h"
#include "gui/theme/theme.h"

namespace dasgd::gui {

struct TimelineStyle {
    QColor ground, grid, text, muted, axisText, accent, warn, good;
    QFont strong, plain, small;  // rank, lane and box labels, axis
    double minimalBox = 1;       // widths in the painter's unit
    bool crisp = true;           // edges on whole pixels; off on paper
};
[[nodiscard]] TimelineStyle screenStyle(const Theme& theme);
// Behind the boxes, where nothing counts for the numbers.
[[nodiscard]] QColor untimedTint(const TimelineStyle& style);

// Below a rank's name.
struct RowNote {
    QString text;
    bool beyondNoise = false;
    bool operator==(const RowNote&) const = default;
};

// What the strip of hidden per step has to show.
struct HiddenStrip {
    std::vector<HiddenStep> steps;  // by step
    QString instead;                // said where it has none
};

struct TimelineMarks {
    std::map<int, RowNote> notes;  // by rank
    bool handles = false;          // marks to pin ranks and to open groups with
    int current = -1;              // place of the row that keys act on
    HiddenStrip hidden;
};

inline constexpr double kHandle = 18;  // width of what pins a rank or opens a group

}  // namespace dasgd::gui
