// Traces for tests: written as other programs write them, read back as runs of a workspace.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/tools/traces/import/chrome_reader.h"
#include "experiments/tools/traces/import/perfetto_reader.h"
#include "experiments/tools/traces/import/trace_import.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/runs.h"

namespace dasgd::test {

// "name lane kind step start end" of every span, by start.
inline std::vector<std::string> spanLines(const std::filesystem::path& workspace, const std::string& run) {
    auto reader = orDie(storage::SpanReader::open(workspace));
    auto rows = orDie(reader.named(run, {-(1LL << 62), 1LL << 62}));
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return std::tuple(a.row.span.start, a.row.rank, a.row.span.kind, a.row.span.end) <
               std::tuple(b.row.span.start, b.row.rank, b.row.span.kind, b.row.span.end);
    });
    std::vector<std::string> lines;
    for (const auto& [row, name] : rows) {
        std::ostringstream line;
        line << row.rank << " " << nameOf(row.span.lane) << " " << nameOf(row.span.kind) << " " << row.span.step << " "
             << row.span.start << ".." << row.span.end << (name.empty() ? "" : " " + name);
        lines.push_back(line.str());
    }
    return lines;
}

inline std::string gzipped(const std::string& text) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    const std::size_t size = packed.size() - stream.avail_out;
    deflateEnd(&stream);
    return packed.substr(0, size);
}

inline std::string slice(const std::string& name, const std::string& category, const std::string& thread,
                         const std::string& start, const std::string& length, const std::string& arguments = "") {
    return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":7,"tid":)" + thread + R"(,"ts":)" +
           start + R"(,"dur":)" + length + R"(,"args":{)" + arguments + "}}";
}

// A trace as PyTorch's profiler writes it: two steps of 100 µs each.
inline std::string pytorchTrace(int rank, int ranks, const std::vector<std::string>& more) {
    std::string events;
    for (const auto& [step, at] : {std::pair("11", "1000.000"), std::pair("12", "1100.000")}) {
        events += slice(std::string("ProfilerStep#") + step, "user_annotation", "1", at, "100.000") + ",\n";
    }
    for (const std::string& event : more) events += event + ",\n";
    events += R"({"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"python"}})";
    return "{\"schemaVersion\": 1, \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " + std::to_string(rank) +
           ", \"world_size\": " + std::to_string(ranks) + "},\n\"baseTimeNanoseconds\": 1700000000000000000,\n" +
           "\"traceEvents\": [\n" + events + "\n], \"traceName\": \"t.json\"}\n";
}

// A CPU trace with one step of 10 ms: what ranks do in one process with gloo. Instants in µs.
inline std::string cpuTrace(const std::vector<std::string>& events) {
    std::string text =
        R"({"schemaVersion":1,"distributedInfo":{"backend":"gloo","rank":0,"world_size":1},"traceEvents":[)" +
        slice("ProfilerStep#0", "user_annotation", "1", "0", "10000");
    for (const std::string& event : events) text += ",\n" + event;
    return text + "]}";
}

// A folder for traces and the workspace that they are imported into.
class ImportFolder {
public:
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        writeText(folder_ / name, text);
        return folder_ / name;
    }
    Result<experiments::ImportOutcome> import(const std::vector<std::filesystem::path>& files) const {
        return experiments::importTraces({.files = files, .workspace = workspace()});
    }
    [[nodiscard]] std::filesystem::path workspace() const { return folder_ / "w"; }
    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
    [[nodiscard]] std::vector<std::string> lines(const experiments::ImportOutcome& outcome) const {
        return spanLines(workspace(), outcome.runId);
    }
    [[nodiscard]] storage::RunRow row(const experiments::ImportOutcome& outcome) const {
        return orDie(orDie(storage::RunReader::open(workspace())).row(outcome.runId));
    }

private:
    TempDir folder_;
};

}  // namespace dasgd::test
