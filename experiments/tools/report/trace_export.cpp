#include "experiments/tools/report/trace_export.h"

#include <algorithm>
#include <vector>

#include "core/base/metric_names.h"
#include "experiments/tools/traces/trace_writer.h"

namespace dasgd::experiments {

namespace {

constexpr std::int64_t kSpansAtATime = 100'000;

// All spans of a run by start. `read` answers those that touch a range, `rowOf` the row of one of them.
template <class Read, class RowOf, class Take>
Status eachByStart(storage::SpanReader& reader, const std::string& runId, Read&& read, RowOf&& rowOf, Take&& take) {
    DASGD_ASSIGN(const auto extent, reader.extent(runId));
    if (!extent) return {};
    DASGD_ASSIGN(const std::int64_t count, reader.count(runId));
    const std::int64_t windows = std::max<std::int64_t>(1, count / kSpansAtATime + 1);
    const Ns width = std::max<Ns>(1, (extent->end - extent->start) / windows + 1);
    for (Ns from = extent->start; from <= extent->end; from += width) {
        DASGD_ASSIGN(auto rows, read(TimeRange{from, from + width}));
        // A window also has what began before it, which an earlier window has told.
        std::erase_if(rows, [&](const auto& one) {
            return rowOf(one).span.start < from || rowOf(one).span.start >= from + width;
        });
        std::stable_sort(rows.begin(), rows.end(),
                         [&](const auto& a, const auto& b) { return rowOf(a).span.start < rowOf(b).span.start; });
        for (const auto& one : rows) take(one);
    }
    return {};
}

// By the ending of the name, before that of the compression.
bool isPerfetto(std::filesystem::path file) {
    if (file.extension() == ".gz") file = file.stem();
    return file.extension() == ".pftrace" || file.extension() == ".perfetto-trace";
}

}  // namespace

Status forEachSpan(storage::SpanReader& reader, const std::string& runId,
                   const std::function<void(const storage::SpanRow&)>& take) {
    return eachByStart(
        reader, runId, [&](TimeRange range) { return reader.touching(runId, range); },
        [](const storage::SpanRow& row) -> const storage::SpanRow& { return row; }, take);
}

Status exportTrace(storage::WorkspaceReader& reader, const std::string& runId, const std::filesystem::path& file) {
    DASGD_ASSIGN(const storage::RunRow run, reader.runs().row(runId));
    DASGD_ASSIGN(const auto extent, reader.spans().extent(runId));
    DASGD_ASSIGN(TraceFile out, TraceFile::open(file));
    const auto writer = isPerfetto(file) ? perfettoWriter(out) : chromeWriter(out);
    writer->begin(run, extent ? extent->start : 0);
    if (run.imported()) {
        DASGD_TRY(eachByStart(
            reader.spans(), runId, [&](TimeRange range) { return reader.spans().named(runId, range); },
            [](const storage::NamedSpan& named) -> const storage::SpanRow& { return named.row; },
            [&](const storage::NamedSpan& named) { writer->span(named); }));
    } else {
        DASGD_TRY(forEachSpan(reader.spans(), runId,
                              [&](const storage::SpanRow& row) { writer->span({.row = row, .name = {}}); }));
    }
    for (const char* name : {metrics::kTrainLoss, metrics::kEvalLoss, metrics::kEvalAccuracy, metrics::kSamplesPerS}) {
        DASGD_ASSIGN(const auto answer, reader.metrics().samples({.runId = runId, .name = name}));
        for (const storage::MetricSample& sample : answer.samples) writer->metric(sample, name);
    }
    writer->end();
    return out.close();
}

}  // namespace dasgd::experiments
