// Curves that are computed from the spans of a run, incrementally or, for figures, in one call.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "gui/data/curves/span_windows.h"
#include "gui/data/runs/run_item.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::gui {

// Reads the spans of a run in slices of about 20 000.
class SpanSlices {
public:
    // `extent`: time range of the spans recorded so far.
    static Result<SpanSlices> of(storage::SpanReader& reader, const std::string& runId, TimeRange extent);

    // Reads the next slice. False: there is none, or, for a live run, none that is recorded completely.
    Result<bool> readNext(storage::SpanReader& reader, const RunItem& run, TimeRange extent, bool live);
    [[nodiscard]] const SpanWindows& windows() const { return windows_; }

private:
    SpanSlices(TimeRange extent, Ns length) : windows_(extent), length_(length) {}
    // True if every rank has reported beyond the end of the slice.
    Result<bool> isWhole(storage::SpanReader& reader, const RunItem& run, TimeRange slice, TimeRange extent) const;

    SpanWindows windows_;
    Ns length_;
    Ns longest_ = 0;  // longest delay between start and recording of a span read so far
};

// The curve `name` (one of kSpanCurves) as SpanWindows::curve() gives it, with the epoch, samples and bytes of each
// instant taken from the training losses around it; empty for a run without spans. For a live run it ends where the
// recorded spans are complete.
[[nodiscard]] Result<std::vector<storage::MetricSample>> readSpanCurve(storage::WorkspaceReader& reader,
                                                                       const RunItem& run, const std::string& name);

}  // namespace dasgd::gui
