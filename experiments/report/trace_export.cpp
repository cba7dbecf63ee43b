#include "experiments/report/trace_export.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/analysis/timings.h"
#include "core/base/metric_names.h"
#include "experiments/report/run_summary.h"

namespace dasgd::experiments {

namespace {

constexpr std::int64_t kSpansAtATime = 100'000;
constexpr int kTracksPerLane = 16;
constexpr std::uint64_t kMostRanks = 4096;

// Plain or compressed, by the name; the last error is kept until close().
class TraceFile {
public:
    static Result<TraceFile> open(const std::filesystem::path& file) {
        const bool packed = file.extension() == ".gz";
        gzFile handle = ::gzopen(file.c_str(), packed ? "wb6" : "wbT");
        if (!handle) return fail(file.string() + ": cannot be written; does its folder exist?");
        return TraceFile(handle, file);
    }
    void write(const std::string& text) {
        if (!text.empty() && ::gzwrite(file_.get(), text.data(), static_cast<unsigned>(text.size())) <= 0) bad_ = true;
    }
    Status close() {
        const bool closed = ::gzclose(file_.release()) == Z_OK;
        if (closed && !bad_) return {};
        return fail(name_.string() + ": could not be written to its end; is the disk full?");
    }

private:
    struct Close {
        void operator()(gzFile file) const { ::gzclose(file); }
    };
    TraceFile(gzFile file, std::filesystem::path name) : file_(file), name_(std::move(name)) {}
    std::unique_ptr<gzFile_s, Close> file_;
    std::filesystem::path name_;
    bool bad_ = false;
};

// The viewers count in microseconds.
std::string micros(Ns ns) {
    char text[40];
    std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                  static_cast<long long>(std::abs(ns % 1000)));
    return text;
}

class TraceWriter {
public:
    explicit TraceWriter(TraceFile& file) : file_(file) {}

    void begin(const std::string& runId) {
        file_.write("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"run\":" + dumpLine(nlohmann::json(runId)) +
                    "},\"traceEvents\":[\n");
    }
    void end() { file_.write("\n]}\n"); }

    void span(const storage::SpanRow& row) {
        const Span& span = row.span;
        const int track = trackOf(row);
        const Ns length = std::max<Ns>(span.end - span.start, 0);
        char text[400];
        std::snprintf(text, sizeof text,
                      R"({"ph":"X","pid":%d,"tid":%d,"name":"%s","cat":"%s","ts":%s,"dur":%s,)"
                      R"("args":{"step":%lld,"bytes":%lld,"collective":%llu}})",
                      row.rank, track, std::string(nameOf(span.kind)).c_str(), std::string(nameOf(span.lane)).c_str(),
                      micros(span.start).c_str(), micros(length).c_str(), static_cast<long long>(span.step),
                      static_cast<long long>(span.bytes), static_cast<unsigned long long>(span.collective));
        event(text);
        if (span.collective == 0) return;
        if (isReduce(span.kind)) arrow(beginsArrow(row) ? 's' : 't', row, track, span.start);
        if (span.kind == SpanKind::Merge) arrow('f', row, track, span.start);
    }

    void metric(const storage::MetricSample& sample, const std::string& name) {
        const bool number = std::isfinite(sample.value);
        nlohmann::json json = {
            {"ph", number ? "C" : "i"}, {"pid", std::max(sample.rank, 0)}, {"tid", 0}, {"name", name},
            {"ts", sample.wallS * 1e6}, {"args", {{"step", sample.step}}}};
        if (number) {
            json["args"] = {{"value", sample.value}};
        } else {
            json["s"] = "p";
            json["args"]["value"] = std::isnan(sample.value) ? "nan" : sample.value > 0 ? "inf" : "-inf";
        }
        event(dumpLine(json));
    }

private:
    void event(const std::string& json) {
        file_.write((any_ ? ",\n" : "") + json);
        any_ = true;
    }

    // The arrow to the merge begins where the rank arrived: at the skew, or at the transfer of the last rank.
    bool beginsArrow(const storage::SpanRow& row) {
        const auto id = std::pair(row.rank, row.span.collective);
        if (row.span.kind == SpanKind::Skew) return arrived_.insert(id).second;
        return arrived_.erase(id) == 0;
    }

    void arrow(char phase, const storage::SpanRow& row, int track, Ns at) {
        char text[240];
        const std::uint64_t id = row.span.collective * kMostRanks + static_cast<std::uint64_t>(row.rank);
        std::snprintf(text, sizeof text,
                      R"({"ph":"%c","pid":%d,"tid":%d,"name":"average","cat":"average","id":%llu,"ts":%s%s})", phase,
                      row.rank, track, static_cast<unsigned long long>(id), micros(at).c_str(),
                      phase == 'f' ? R"(,"bp":"e")" : "");
        event(text);
    }

    // The first track of the lane on which nothing runs any more; spans come by start.
    int trackOf(const storage::SpanRow& row) {
        auto& ends = ends_[{row.rank, row.span.lane}];
        auto free = std::find_if(ends.begin(), ends.end(), [&](Ns end) { return end <= row.span.start; });
        if (free == ends.end() && ends.size() == kTracksPerLane) free = std::min_element(ends.begin(), ends.end());
        if (free == ends.end()) free = ends.insert(ends.end(), 0);
        const int index = static_cast<int>(free - ends.begin());
        const int track = static_cast<int>(row.span.lane) * kTracksPerLane + index + 1;
        *free = std::max(row.span.end, row.span.start);
        nameTrack(row, track, index);
        return track;
    }

    void nameTrack(const storage::SpanRow& row, int track, int index) {
        if (!named_[{row.rank, 0}]) metadata(row.rank, 0, "process_name", "rank " + std::to_string(row.rank));
        named_[{row.rank, 0}] = true;
        if (named_[{row.rank, track}]) return;
        named_[{row.rank, track}] = true;
        const std::string lane(nameOf(row.span.lane));
        metadata(row.rank, track, "thread_name", index == 0 ? lane : lane + " " + std::to_string(index + 1));
    }

    void metadata(int rank, int track, const char* what, const std::string& name) {
        event(dumpLine({{"ph", "M"}, {"pid", rank}, {"tid", track}, {"name", what}, {"args", {{"name", name}}}}));
    }

    TraceFile& file_;
    bool any_ = false;
    std::map<std::pair<int, Lane>, std::vector<Ns>> ends_;
    std::map<std::pair<int, int>, bool> named_;
    std::set<std::pair<int, std::uint64_t>> arrived_;  // whose skew is written and whose transfer is not
};

}  // namespace

Status forEachSpan(storage::RunReader& reader, const std::string& runId,
                   const std::function<void(const storage::SpanRow&)>& take) {
    DASGD_ASSIGN(const auto extent, reader.spanExtent(runId));
    if (!extent) return {};
    DASGD_ASSIGN(const std::int64_t count, reader.spanCount(runId));
    const std::int64_t windows = std::max<std::int64_t>(1, count / kSpansAtATime + 1);
    const Ns width = std::max<Ns>(1, (extent->end - extent->start) / windows + 1);
    for (Ns from = extent->start; from <= extent->end; from += width) {
        DASGD_ASSIGN(auto rows, reader.spans(runId, {from, from + width}));
        // A window also has what began before it, which an earlier window has told.
        std::erase_if(
            rows, [&](const storage::SpanRow& row) { return row.span.start < from || row.span.start >= from + width; });
        std::stable_sort(rows.begin(), rows.end(), [](const storage::SpanRow& a, const storage::SpanRow& b) {
            return a.span.start < b.span.start;
        });
        for (const storage::SpanRow& row : rows) take(row);
    }
    return {};
}

Status exportTrace(storage::RunReader& reader, const std::string& runId, const std::filesystem::path& file) {
    DASGD_ASSIGN(TraceFile out, TraceFile::open(file));
    TraceWriter writer(out);
    writer.begin(runId);
    DASGD_TRY(forEachSpan(reader, runId, [&](const storage::SpanRow& row) { writer.span(row); }));
    for (const char* name : {metrics::kTrainLoss, metrics::kEvalLoss, metrics::kEvalAccuracy, metrics::kSamplesPerS}) {
        DASGD_ASSIGN(const auto answer, reader.metrics({.runId = runId, .name = name}));
        for (const storage::MetricSample& sample : answer.samples) writer.metric(sample, name);
    }
    writer.end();
    return out.close();
}

}  // namespace dasgd::experiments
