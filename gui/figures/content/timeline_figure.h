// The overlap timeline of a run as a paper figure: some steps of the steady state, with its legend.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/analysis/spans/overlap.h"
#include "core/base/result.h"
#include "gui/data/spans/kind_set.h"
#include "gui/data/spans/span_merge.h"
#include "gui/figures/model/figure_spec.h"
#include "gui/kit/plots/paper/paper_page.h"
#include "storage/read/run_reader.h"
#include "storage/read/span_reader.h"

namespace dasgd::gui {

// A window of about a dozen steps near the middle of the run, with as little evaluation as possible; nullopt where the
// run recorded no spans.
[[nodiscard]] Result<std::optional<TimeRange>> steadyWindow(storage::SpanReader& reader, const storage::RunDetail& run);

// The rows that are drawn, and the kinds of span hidden in them.
struct TimelineChoice {
    RowPlan rows;
    KindSet hidden;
    QString missing = {};  // ranks that the figure asks for and the run lacks, in words
};
// The first `ranks` of `workers` ranks, each in a row of its own.
[[nodiscard]] TimelineChoice firstRanks(int ranks, int workers);
// The rows that a figure asks for, for a run with `workers` ranks; ranks that the run lacks are left out.
[[nodiscard]] Result<TimelineChoice> timelineChoiceOf(const FigureSpec& spec, int workers);

// Content of the drawn window of a run.
struct TimelineContent {
    TimelineFrame frame;
    TimeRange window;
    QString remark;                       // "4 of 16 ranks, not drawn: wait, time simulated"
    std::vector<storage::SpanRow> spans;  // spans of the drawn ranks; the earliest ones where they are cut
    bool cut = false;                     // true if the window has more than `mostSpans` spans
    bool fromZero = false;  // several runs from a common zero: ticks in milliseconds, rows by the names of the plan
};
inline constexpr std::size_t kMostSpans = 1'000'000;

// Colour of a kind on paper, as 0xRRGGBB: as in the window, but a snapshot is darker than a merge so that the two
// differ in grey; paper has no pointer that names a box.
[[nodiscard]] std::uint32_t rgbOnPaper(SpanKind kind);

// Reads the spans of a window, with short ones merged as far as `widthIn` inches of paper allow.
[[nodiscard]] Result<TimelineContent> readTimeline(storage::SpanReader& reader, const storage::RunDetail& run,
                                                   TimeRange window, double widthIn, const TimelineChoice& choice,
                                                   std::size_t mostSpans = kMostSpans);
// The timeline as a page of `widthIn` inches. `label`, `tick`: text size of labels and of the axis, in points.
[[nodiscard]] PaperPage layOut(const TimelineContent& content, double widthIn, int label = 8, int tick = 7);

}  // namespace dasgd::gui
