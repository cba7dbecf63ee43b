// The curves that the spans of a run add up to: slice by slice, and one read as a whole, for a figure.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "gui/models/curves/span_windows.h"
#include "gui/models/runs/run_item.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// Reads the spans of a run in slices of some ten thousand.
class SpanSlices {
public:
    // `extent`: of the spans that are recorded now.
    static Result<SpanSlices> of(storage::RunReader& reader, const std::string& runId, TimeRange extent);

    // Reads the next slice. False: there is none, or of a live run none of which every span is recorded.
    Result<bool> readNext(storage::RunReader& reader, const RunItem& run, TimeRange extent, bool live);
    [[nodiscard]] const SpanWindows& windows() const { return windows_; }

private:
    SpanSlices(TimeRange extent, Ns length) : windows_(extent), length_(length) {}
    // Whether every rank has reported beyond the end of the slice.
    Result<bool> isWhole(storage::RunReader& reader, const RunItem& run, TimeRange slice, TimeRange extent) const;

    SpanWindows windows_;
    Ns length_;
    Ns longest_ = 0;  // span that was read
};

// `name`: one of kSpanCurves. As SpanWindows::curve() has it, each record with the epoch, samples and bytes of its
// instant by the training losses around it; empty of a run without spans. Of a live run so far as every span is
// recorded.
[[nodiscard]] Result<std::vector<storage::MetricSample>> readSpanCurve(storage::RunReader& reader, const RunItem& run,
                                                                       const std::string& name);

}  // namespace dasgd::gui
