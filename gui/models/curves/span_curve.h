// The curve that the spans of a run add up to, read as a whole: for a figure.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "gui/models/curves/span_windows.h"
#include "gui/models/runs/run_item.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// How much later than its beginning a span may be recorded. An evaluation is waited for as long as it takes.
[[nodiscard]] Ns delayOf(const Span& span);

// How long a part of the extent is that holds some ten thousand spans.
[[nodiscard]] Result<Ns> sliceOfSpans(storage::RunReader& reader, const std::string& runId, TimeRange extent);

// `name`: one of kSpanCurves. As SpanWindows::curve() has it, each record with the epoch, samples and bytes of its
// instant by the training losses around it; empty of a run without spans. Of a live run so far as every span is
// recorded.
[[nodiscard]] Result<std::vector<storage::MetricSample>> readSpanCurve(storage::RunReader& reader, const RunItem& run,
                                                                       const std::string& name);

}  // namespace dasgd::gui
