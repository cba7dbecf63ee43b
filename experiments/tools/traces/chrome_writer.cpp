// Chrome's JSON format: one event a line, times in microseconds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/analysis/spans/timings.h"
#include "experiments/base/text.h"
#include "experiments/tools/traces/trace_writer.h"

namespace dasgd::experiments {

namespace {

std::string micros(Ns ns) {
    char text[40];
    std::snprintf(text, sizeof text, "%s%lld.%03lld", ns < 0 ? "-" : "", std::llabs(ns / 1000), std::llabs(ns % 1000));
    return text;
}

class ChromeWriter final : public TraceWriter {
public:
    explicit ChromeWriter(TraceFile& file) : file_(file) {}

    void begin(const storage::RunRow& run, Ns) override {
        const nlohmann::json ours{{"run", run.runId},
                                  {"experiment", run.experiment},
                                  {"algorithm", run.algorithm},
                                  {"steps", run.steps},
                                  {"simulated", run.timeSimulated}};
        file_.write("{\"displayTimeUnit\":\"ms\",\"otherData\":" + dumpLine(ours) + ",\"traceEvents\":[\n");
    }
    void end() override { file_.write("\n]}\n"); }

    void span(const storage::NamedSpan& named) override {
        const storage::SpanRow& row = named.row;
        const Span& span = row.span;
        const TraceTracks::Track track = tracks_.trackOf(row);
        nameTrack(row, track);
        std::string category(nameOf(span.lane)), name(nameOf(span.kind));
        if (!named.name.empty()) {
            category += "/" + name;
            name = named.name;
        }
        char text[240];
        std::snprintf(text, sizeof text, R"("ts":%s,"dur":%s,"args":{"step":%lld,"bytes":%lld,"collective":%llu}})",
                      micros(span.start).c_str(), micros(std::max<Ns>(span.end - span.start, 0)).c_str(),
                      static_cast<long long>(span.step), static_cast<long long>(span.bytes),
                      static_cast<unsigned long long>(span.collective));
        char place[80];
        std::snprintf(place, sizeof place, R"({"ph":"X","pid":%d,"tid":%d,"name":)", row.rank, track.number);
        const std::string shown = named.name.empty() ? '"' + name + '"' : dumpLine(nlohmann::json(name));
        event(place + shown + ",\"cat\":\"" + category + "\"," + text);
        if (span.collective == 0) return;
        if (isReduce(span.kind)) arrow(tracks_.beginsArrow(row) ? 's' : 't', row, track.number, span.start);
        if (span.kind == SpanKind::Merge) arrow('f', row, track.number, span.start);
    }

    void metric(const storage::MetricSample& sample, const std::string& name) override {
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

    void arrow(char phase, const storage::SpanRow& row, int track, Ns at) {
        char text[240];
        std::snprintf(text, sizeof text,
                      R"({"ph":"%c","pid":%d,"tid":%d,"name":"average","cat":"average","id":%llu,"ts":%s%s})", phase,
                      row.rank, track, static_cast<unsigned long long>(TraceTracks::arrowOf(row)), micros(at).c_str(),
                      phase == 'f' ? R"(,"bp":"e")" : "");
        event(text);
    }

    void nameTrack(const storage::SpanRow& row, const TraceTracks::Track& track) {
        if (track.isNewRank) metadata(row.rank, 0, "process_name", "rank " + std::to_string(row.rank));
        if (!track.isNew) return;
        const std::string lane(nameOf(row.span.lane));
        metadata(row.rank, track.number, "thread_name",
                 track.index == 0 ? lane : lane + " " + std::to_string(track.index + 1));
    }

    void metadata(int rank, int track, const char* what, const std::string& name) {
        event(dumpLine({{"ph", "M"}, {"pid", rank}, {"tid", track}, {"name", what}, {"args", {{"name", name}}}}));
    }

    TraceFile& file_;
    TraceTracks tracks_;
    bool any_ = false;
};

}  // namespace

std::unique_ptr<TraceWriter> chromeWriter(TraceFile& file) { return std::make_unique<ChromeWriter>(file); }

}  // namespace dasgd::experiments
