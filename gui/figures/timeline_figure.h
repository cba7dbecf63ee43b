// The overlap timeline of a run as a paper figure: some steps of the steady state, with its legend.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/analysis/overlap.h"
#include "core/base/result.h"
#include "gui/models/timeline/span_merge.h"
#include "gui/plots/paper_page.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// About a dozen steps near the middle of the run, with as little evaluation in them as may be; nullopt where it
// recorded no spans.
[[nodiscard]] Result<std::optional<TimeRange>> steadyWindow(storage::RunReader& reader, const storage::RunDetail& run);

// What is drawn of a window: rows of at most some ranks.
struct TimelineContent {
    TimelineFrame frame;
    TimeRange window;
    QString remark;                       // "4 of 16 ranks, time simulated"
    std::vector<storage::SpanRow> spans;  // of the drawn ranks, the first ones of the window
    bool cut = false;                     // there are more
};
inline constexpr std::size_t kMostSpans = 1'000'000;

// Fine enough for `widthIn`.
[[nodiscard]] Result<TimelineContent> readTimeline(storage::RunReader& reader, const storage::RunDetail& run,
                                                   TimeRange window, double widthIn, int ranks,
                                                   std::size_t mostSpans = kMostSpans);
// Text of the labels and of the axis in points.
[[nodiscard]] PaperPage layOut(const TimelineContent& content, double widthIn, int label = 8, int tick = 7);

}  // namespace dasgd::gui
