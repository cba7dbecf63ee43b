// Reads the spans from which latenessOf() (core/analysis/spans/lateness.h) is computed: in parts for the window, at
// once for a command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/spans/lateness.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::storage {

// Arrivals and windows of a run from the newest to the oldest: of all averages, or of the newest where they are many.
class LatenessSpans {
public:
    static constexpr std::size_t kMostSpans = 100'000;  // number of spans after which no further part is read

    // Begins anew, with what is recorded by now. false: the run has no span.
    Result<bool> begin(SpanReader& reader, const std::string& runId);
    // Reads on, some 40,000 spans of all kinds; true: that was the last part. Not before begin() answered true.
    Result<bool> readPart(SpanReader& reader);
    // Older averages were not read.
    [[nodiscard]] bool newestOnly() const { return next_ > extent_.start; }
    // After the last part: without the averages of which a part was not read. None are kept.
    [[nodiscard]] std::vector<RankSpan> take();

private:
    std::string run_;
    TimeRange extent_;
    Ns next_ = 0;   // down to here it is read
    Ns slice_ = 0;  // is read at once
    std::vector<RankSpan> kept_;
};

// nullopt: the record has too few averages.
[[nodiscard]] Result<std::optional<Lateness>> readLateness(WorkspaceReader& reader, const RunRow& run);

}  // namespace dasgd::storage
