// The overlap timeline of a run as a paper figure: some steps of the steady state, with its legend.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/analysis/overlap.h"
#include "core/base/result.h"
#include "gui/models/figures/figure_spec.h"
#include "gui/models/timeline/kind_set.h"
#include "gui/models/timeline/span_merge.h"
#include "gui/plots/paper_page.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// About a dozen steps near the middle of the run, with as little evaluation in them as may be; nullopt where it
// recorded no spans.
[[nodiscard]] Result<std::optional<TimeRange>> steadyWindow(storage::RunReader& reader, const storage::RunDetail& run);

// Which rows are drawn, and what is not drawn in them.
struct TimelineChoice {
    RowPlan rows;
    KindSet hidden;
    QString missing = {};  // ranks that were asked for and that the run has not, in words
};
// The first `ranks` ranks of `workers`, each alone.
[[nodiscard]] TimelineChoice firstRanks(int ranks, int workers);
// As a figure asks for them, of a run with so many ranks; those that the run does not have are left out.
[[nodiscard]] Result<TimelineChoice> timelineChoiceOf(const FigureSpec& spec, int workers);

// What is drawn of a window.
struct TimelineContent {
    TimelineFrame frame;
    TimeRange window;
    QString remark;                       // "4 of 16 ranks, not drawn: wait, time simulated"
    std::vector<storage::SpanRow> spans;  // of the drawn ranks, the first ones of the window
    bool cut = false;                     // there are more
};
inline constexpr std::size_t kMostSpans = 1'000'000;

// 0xRRGGBB of a kind on paper, where nothing points at a box to name it: as in the window, and a snapshot darker than
// the merge, so that grey tells them apart too.
[[nodiscard]] std::uint32_t rgbOnPaper(SpanKind kind);

// Fine enough for `widthIn`.
[[nodiscard]] Result<TimelineContent> readTimeline(storage::RunReader& reader, const storage::RunDetail& run,
                                                   TimeRange window, double widthIn, const TimelineChoice& choice,
                                                   std::size_t mostSpans = kMostSpans);
// Text of the labels and of the axis in points.
[[nodiscard]] PaperPage layOut(const TimelineContent& content, double widthIn, int label = 8, int tick = 7);

}  // namespace dasgd::gui
