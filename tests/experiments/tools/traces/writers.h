// Spans that a writer of traces writes, as they are read back.
#pragma once

#include <zlib.h>

#include <functional>

#include "experiments/tools/traces/trace_writer.h"
#include "tests/experiments/tools/traces/trace_files.h"

namespace dasgd::test {

inline storage::NamedSpan named(int rank, Lane lane, SpanKind kind, Ns start, Ns end, const char* name = "",
                                std::uint64_t collective = 0) {
    const Span span{
        .lane = lane, .kind = kind, .step = 3, .start = start, .end = end, .bytes = 8, .collective = collective};
    return {.row = {.rank = rank, .span = span}, .name = name};
}

// The spans of a file, as "name lane kind step start..end" once it is imported.
inline std::vector<std::string> writtenAndRead(
    const char* fileName, const std::vector<storage::NamedSpan>& spans,
    std::unique_ptr<experiments::TraceWriter> (*writerOf)(experiments::TraceFile&)) {
    const ImportFolder folder;
    {
        auto file = orDie(experiments::TraceFile::open(folder.path() / fileName));
        const auto writer = writerOf(file);
        storage::RunRow run;
        run.runId = "run \"1\"";
        run.algorithm = "dasgd";
        writer->begin(run, spans.front().row.span.start);
        for (const auto& span : spans) writer->span(span);
        writer->metric({.rank = -1, .step = 1, .wallS = 0.5, .value = 2}, "eval/loss");
        writer->metric({.rank = 0, .step = 1, .wallS = 0.5, .value = 1.0 / 0.0 - 1.0 / 0.0}, "train/loss");
        writer->end();
        orDie(file.close());
    }
    const auto outcome = orDie(folder.import({folder.path() / fileName}));
    return folder.lines(outcome);
}

inline const std::vector<storage::NamedSpan> kSomeSpans{
    named(0, Lane::Compute, SpanKind::Forward, -1500, 20),
    named(1, Lane::Comm, SpanKind::Skew, 0, 5, "", 7),
    named(0, Lane::Comm, SpanKind::Transfer, 5, 5, "", 7),
    named(0, Lane::Compute, SpanKind::Compute, 30, 40, "a \"b\" \\ ä"),
    named(0, Lane::Comm, SpanKind::Transfer, 35, 60, "", 8),
    named(0, Lane::Comm, SpanKind::Transfer, 40, 50, "", 9)};

inline const std::vector<std::string> kSomeLines{
    "0 compute forward 3 -1500..20",           "1 comm skew 3 0..5",       "0 comm transfer 3 5..5",
    "0 compute compute 3 30..40 a \"b\" \\ ä", "0 comm transfer 3 35..60", "0 comm transfer 3 40..50"};

}  // namespace dasgd::test
