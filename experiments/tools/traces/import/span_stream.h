// Makes the spans of a run from the slices of traces: who is which rank, what counts, which step it is of, which
// collectives belong together.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/tools/traces/import/thread_frames.h"
#include "experiments/tools/traces/import/trace_roles.h"
#include "experiments/tools/traces/import/trace_slices.h"

namespace dasgd::experiments {

// One file of a run, after its last event.
struct TraceSource {
    TraceSlices* slices = nullptr;
    std::vector<int> rankOfProcess;  // rank of each process; −1: none
    Ns offset = 0;                   // added to its instants
};

class SpanStream {
public:
    // "" where the name says no more than the kind.
    using Take = std::function<Status(int rank, const Span& span, std::string_view name)>;
    // `oneClock`: instants of different sources may be compared.
    SpanStream(TraceFormat format, std::vector<TraceSource> sources, int ranks, bool oneClock = true);

    // Every span, by start; a window after what it covers. `progress` from time to time: the share that is done.
    Status run(const Take& take, const std::function<void(double)>& progress);

    [[nodiscard]] const TraceCounts& leftOut() const { return leftOut_; }
    [[nodiscard]] const TraceCounts& dropped() const { return dropped_; }
    [[nodiscard]] const TraceCounts& remarks() const { return remarks_; }  // see TraceSlices
    [[nodiscard]] std::int64_t steps() const { return steps_; }
    [[nodiscard]] std::int64_t spans() const { return spans_; }
    // True if the arrival of each rank at every collective is known.
    [[nodiscard]] bool knowsSkews() const { return transfers_ > 0 && divided_ == transfers_; }

private:
    struct Source : TraceSource {
        [[nodiscard]] SliceSorter& sorted() { return counted ? *counted : slices->slices(); }
        [[nodiscard]] const SliceRole& roleOf(const Slice& slice) const {
            return roles.at({slice.name, slice.category});
        }
        std::optional<Slice> next;
        std::map<TraceSlices::Kind, SliceRole> roles;
        std::unique_ptr<SliceSorter> counted;  // slices that takeFrames() left; absent for runs of ours
        Ns lastStart = 0, latestEnd = 0;       // a slice that ends after latestEnd has a wrong end
        bool kernels = false, works = false;
        // Threads tell compute and transfers apart where there are no kernels (thread_survey.h).
        [[nodiscard]] bool needsSurvey() const { return works && !kernels; }
    };
    struct Rank {
        std::int64_t step = 0, steps = 0;                   // the newest, by its number; how many
        std::map<std::uint32_t, std::int64_t> collectives;  // seen so far, by name
        std::int64_t sinceWindow = 0;
    };
    struct Window {
        Ns end = 0;
        int rank = 0;
        Span span;
        bool operator<(const Window& other) const { return end > other.end; }  // the first one on top
    };
    struct Arrival {
        int rank = 0;
        Span span;
        std::uint32_t name = 0;
    };

    void findRoles(Source& source);
    void findMatching();
    // Finds out which time of the slices counts, file by file.
    Status takeFrames(Source& source, const std::function<void(double)>& progress);
    Result<std::vector<bool>> survey(Source& source, const std::function<void(double)>& progress);
    void takeFrame(Source& source, const Slice& slice, ThreadFrames& frames);
    [[nodiscard]] static std::optional<ThreadFrames::Frame> frameOf(const Source& source, const SliceRole& role);
    void keep(Source& source, const Slice& slice);
    [[nodiscard]] bool counts(const Source& source, const SliceRole& role);
    void tell(const std::function<void(double)>& progress);
    Status place(Source& source, const Slice& slice, const Take& take);
    Status placeOurs(int rank, const SliceRole& role, Span span, std::string_view name, const Take& take);
    Status placeTransfer(int rank, Span span, std::uint32_t name, const Take& take);
    Status divide(const std::vector<Arrival>& arrivals, const Take& take);
    [[nodiscard]] static bool countsHere(const Source& source, const SliceRole& role);
    Status emit(int rank, const Span& span, std::string_view name, const Take& take);
    Status emitWindows(Ns until, const Take& take);
    Status emitPart(int rank, Ns until, const Take& take);

    const TraceFormat format_;
    const int ranksOfRun_;
    std::vector<Source> sources_;
    std::vector<Rank> ranks_;
    std::priority_queue<Window> windows_;
    std::map<std::pair<int, Ns>, Ns> toldUntil_;  // of windows that are told in parts, by rank and start
    std::map<int, Window> openStep_;              // by rank, of PyTorch
    std::map<std::uint32_t, bool> matches_;       // collectives by name: whether all ranks have as many
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t> numbers_;  // of collectives under way
    std::map<std::uint64_t, std::vector<Arrival>> arrivals_;
    std::uint64_t newestCollective_ = 0;
    TraceCounts leftOut_, dropped_, remarks_;
    std::int64_t done_ = 0, all_ = 0;  // slices, in all passes
    std::int64_t steps_ = 0, spans_ = 0, transfers_ = 0, divided_ = 0;
    const TraceNames* names_ = nullptr;
};

}  // namespace dasgd::experiments
