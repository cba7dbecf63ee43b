// Perfetto's protobuf format: a packet for each begin and end, all of one writer; times in nanoseconds.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/spans/timings.h"
#include "experiments/tools/traces/protobuf.h"
#include "experiments/tools/traces/trace_writer.h"
#include "experiments/tools/traces/track_event.h"

namespace dasgd::experiments {

namespace {

namespace pf = perfetto;

constexpr std::uint64_t kTracksOfRank = 1024;
constexpr std::uint64_t kCounters = 1ULL << 40;  // above all tracks of ranks

std::uint64_t trackId(int rank, int number) {
    return (static_cast<std::uint64_t>(rank) + 1) * kTracksOfRank + static_cast<std::uint64_t>(number);
}

class PerfettoWriter final : public TraceWriter {
public:
    explicit PerfettoWriter(TraceFile& file) : file_(file) {}

    void begin(const storage::RunRow& run, Ns start) override {
        // The format has no instants before 0; a reader of ours takes it back.
        origin_ = std::min<Ns>(start, 0);
        ProtoWriter event;
        event.number(pf::event::kType, pf::event::kInstant).text(pf::event::kName, pf::kRunMark);
        event.message(pf::event::kAnnotation, annotation("run", run.runId));
        event.message(pf::event::kAnnotation, annotation("experiment", run.experiment));
        event.message(pf::event::kAnnotation, annotation("algorithm", run.algorithm));
        event.message(pf::event::kAnnotation, annotation("steps", run.steps));
        event.message(pf::event::kAnnotation, annotation("simulated", run.timeSimulated ? 1 : 0));
        event.message(pf::event::kAnnotation, annotation("origin", origin_));
        packet(ProtoWriter()
                   .number(pf::packet::kTimestamp, 0)
                   .number(pf::packet::kSequenceFlags, pf::packet::kFlagCleared)
                   .message(pf::packet::kTrackEvent, event));
    }
    void end() override {}

    void span(const storage::NamedSpan& named) override {
        const storage::SpanRow& row = named.row;
        const Span& span = row.span;
        const TraceTracks::Track track = tracks_.trackOf(row);
        describe(row, track);
        std::string category(nameOf(span.lane)), name(nameOf(span.kind));
        if (!named.name.empty()) {
            category += "/" + name;
            name = named.name;
        }
        const std::uint64_t id = trackId(row.rank, track.number);
        ProtoWriter event;
        event.number(pf::event::kType, pf::event::kBegin).number(pf::event::kTrack, id);
        event.text(pf::event::kCategory, category).text(pf::event::kName, name);
        event.message(pf::event::kAnnotation, annotation("step", span.step));
        event.message(pf::event::kAnnotation, annotation("bytes", span.bytes));
        event.message(pf::event::kAnnotation, annotation("collective", static_cast<std::int64_t>(span.collective)));
        if (span.collective != 0 && isReduce(span.kind)) {
            event.fixed64(pf::event::kFlow, TraceTracks::arrowOf(row));
        } else if (span.collective != 0 && span.kind == SpanKind::Merge) {
            event.fixed64(pf::event::kTerminatingFlow, TraceTracks::arrowOf(row));
        }
        packet(at(span.start).message(pf::packet::kTrackEvent, event));
        ProtoWriter finish;
        finish.number(pf::event::kType, pf::event::kEnd).number(pf::event::kTrack, id);
        packet(at(std::max(span.end, span.start)).message(pf::packet::kTrackEvent, finish));
    }

    void metric(const storage::MetricSample& sample, const std::string& name) override {
        // A curve of the viewer has no place for what is no number.
        if (!std::isfinite(sample.value)) return;
        const int rank = std::max(sample.rank, 0);
        const auto [counter, fresh] = counters_.try_emplace({rank, name}, kCounters + counters_.size());
        if (fresh) {
            ProtoWriter track;
            track.number(pf::descriptor::kTrack, counter->second).number(pf::descriptor::kParent, trackId(rank, 0));
            track.text(pf::descriptor::kName, name).text(pf::descriptor::kCounter, "");
            packet(ProtoWriter().message(pf::packet::kTrackDescriptor, track));
        }
        ProtoWriter event;
        event.number(pf::event::kType, pf::event::kCounter).number(pf::event::kTrack, counter->second);
        event.real(pf::event::kDoubleValue, sample.value);
        packet(at(static_cast<Ns>(std::llround(sample.wallS * 1e9))).message(pf::packet::kTrackEvent, event));
    }

private:
    static ProtoWriter annotation(const char* name, std::int64_t value) {
        ProtoWriter writer;
        writer.text(pf::annotation::kName, name).number(pf::annotation::kInt, static_cast<std::uint64_t>(value));
        return writer;
    }
    static ProtoWriter annotation(const char* name, const std::string& value) {
        ProtoWriter writer;
        writer.text(pf::annotation::kName, name).text(pf::annotation::kString, value);
        return writer;
    }

    ProtoWriter at(Ns instant) const {
        ProtoWriter writer;
        writer.number(pf::packet::kTimestamp, static_cast<std::uint64_t>(std::max<Ns>(0, instant - origin_)));
        return writer;
    }

    void describe(const storage::SpanRow& row, const TraceTracks::Track& track) {
        if (track.isNewRank) {
            ProtoWriter process;
            process.number(pf::descriptor::kPid, static_cast<std::uint64_t>(row.rank));
            process.text(pf::descriptor::kProcessName, "rank " + std::to_string(row.rank));
            ProtoWriter descriptor;
            descriptor.number(pf::descriptor::kTrack, trackId(row.rank, 0));
            descriptor.message(pf::descriptor::kProcess, process);
            packet(ProtoWriter().message(pf::packet::kTrackDescriptor, descriptor));
        }
        if (!track.isNew) return;
        const std::string lane(nameOf(row.span.lane));
        ProtoWriter descriptor;
        descriptor.number(pf::descriptor::kTrack, trackId(row.rank, track.number));
        descriptor.number(pf::descriptor::kParent, trackId(row.rank, 0));
        descriptor.text(pf::descriptor::kName, track.index == 0 ? lane : lane + " " + std::to_string(track.index + 1));
        packet(ProtoWriter().message(pf::packet::kTrackDescriptor, descriptor));
    }

    void packet(ProtoWriter& writer) {
        writer.number(pf::packet::kSequenceId, 1);
        file_.write(ProtoWriter().message(pf::trace::kPacket, writer).bytes());
    }
    void packet(ProtoWriter&& writer) { packet(writer); }

    TraceFile& file_;
    TraceTracks tracks_;
    std::map<std::pair<int, std::string>, std::uint64_t> counters_;
    Ns origin_ = 0;
};

}  // namespace

std::unique_ptr<TraceWriter> perfettoWriter(TraceFile& file) { return std::make_unique<PerfettoWriter>(file); }

}  // namespace dasgd::experiments
