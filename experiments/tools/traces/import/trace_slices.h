// The content of a trace file in a form common to all formats: slices of time on tracks of processes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/event.h"
#include "core/base/result.h"
#include "experiments/tools/traces/import/slice_sorter.h"

namespace dasgd::experiments {

// One event as a reader found it; what points into the reader lives for the call. Times in ns, as the file counts.
struct TraceEvent {
    enum class Phase : std::uint8_t { Complete, Begin, End, Counter, Flow, Mark, Other };
    Phase phase = Phase::Other;
    std::string_view name, category, process, thread;
    std::optional<Ns> at, length;
    std::int64_t step = -1, bytes = 0;
    std::uint64_t collective = 0;
};

// Names by number, so that a slice is of fixed size. 0 is "". Bounded: what comes after kMostNames is "(more names)".
class TraceNames {
public:
    static constexpr std::size_t kMostNames = 1'000'000;
    static constexpr std::size_t kLongest = 256;  // bytes of one
    TraceNames() { static_cast<void>(numberOf("")); }
    std::uint32_t numberOf(std::string_view name);
    [[nodiscard]] const std::string& operator[](std::uint32_t number) const { return *names_[number]; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
    std::vector<const std::string*> names_;
};

// The program that wrote the file, and what it says of the run. Absent where the file does not say.
struct TraceOrigin {
    bool pytorch = false;
    std::optional<std::int64_t> rank, ranks;
    std::optional<Ns> base;  // added to every instant: what the file's 0 is on the clock of its host
    // An exported run of ours.
    std::string run, experiment, algorithm;
    std::optional<std::int64_t> steps;
    bool simulated = false;
};

// How often each thing happened, by what to call it: "slices without an end".
using TraceCounts = std::map<std::string, std::int64_t, std::less<>>;

struct TraceTrack {
    std::uint32_t process = 0;  // index in TraceSlices::processes
    std::string thread, name;
};
struct TraceProcess {
    std::string id, name;
};

// Slices further apart than this have a pause between them, and files further apart have no clock in common.
inline constexpr Ns kFarApart = Ns{600} * 1'000'000'000;
// No trace goes on for longer than this, and than ten times what its slices take together: the zeros and overflows that
// profilers write are days and years away.
inline constexpr Ns kImpossible = Ns{86'400} * 1'000'000'000;
inline constexpr int kTimesTheRest = 10;
inline constexpr const char* kFarAway = "slices more than a day away from all others";

// Takes the events of one file in any order, keeps the slices on the disk by their start, counts the rest.
class TraceSlices {
public:
    static constexpr std::size_t kMostTracks = 65536;
    static constexpr std::size_t kMostOpen = 1'000'000;  // begun and not ended, of all tracks
    // Begins and ends that share an instant of a track. Perfetto's packets stand in the order in which things happened;
    // in Chrome's JSON the order means nothing, and what ends there ends before anything else begins.
    enum class Ties : std::uint8_t { InFileOrder, EndsFirst };

    TraceSlices(TraceNames& names, std::filesystem::path folder)
        : scratch(std::move(folder)), names_(names), slices_(scratch), marks_(scratch) {}

    void take(const TraceEvent& event);
    void nameProcess(std::string_view process, std::string_view name);
    void nameThread(std::string_view process, std::string_view thread, std::string_view name);
    // No more events: pairs begins with ends by their instants, then slices() answers by start, the longer first.
    Status close();
    [[nodiscard]] SliceSorter& slices() { return slices_; }

    const std::filesystem::path scratch;  // folder for what does not fit in memory
    Ties ties = Ties::InFileOrder;
    TraceOrigin origin;
    TraceCounts dropped;          // events that could not be used, because the file is damaged there
    TraceCounts leftOut;          // events that were understood and are no spans
    TraceCounts remarks;          // events that were kept, by a remark about them
    std::int64_t unreadable = 0;  // events that are no JSON and were skipped; counted in `dropped`, too
    std::string stoppedAt;        // reason for which the file was not read to its end; "" where it was
    [[nodiscard]] const std::vector<TraceTrack>& tracks() const { return tracks_; }
    [[nodiscard]] const std::vector<TraceProcess>& processes() const { return processes_; }
    [[nodiscard]] std::int64_t events() const { return events_; }
    // How many slices have a name and a category.
    struct Kind {
        std::uint32_t name = 0, category = 0;
        auto operator<=>(const Kind&) const = default;
    };
    [[nodiscard]] const std::map<Kind, std::int64_t>& kinds() const { return kinds_; }
    // Starts of the first and of the last slice; after close() without those that lie so far from all others that
    // their instants must be wrong: these are in `dropped`, and isFar().
    struct Extent {
        Ns first = 0, last = 0;
    };
    [[nodiscard]] std::optional<Extent> extent() const { return extent_; }
    [[nodiscard]] bool isFar(Ns start) const { return !extent_ || start < extent_->first || start > extent_->last; }
    [[nodiscard]] const TraceNames& names() const { return names_; }

private:
    // Slices that start in one stretch of kStretch.
    struct Stretch {
        std::int64_t slices = 0;
        Extent starts;
    };
    class Pairs;

    std::optional<std::uint32_t> trackOf(std::string_view process, std::string_view thread);
    std::uint32_t processOf(std::string_view process);
    void keep(const Slice& slice);
    Status pairMarks();
    void findExtent();

    TraceNames& names_;
    SliceSorter slices_;
    SliceSorter marks_;  // begins and ends
    std::vector<TraceTrack> tracks_;
    std::vector<TraceProcess> processes_;
    std::unordered_map<std::string, std::uint32_t> trackOf_, processOf_;
    std::map<Kind, std::int64_t> kinds_;
    std::string key_;
    std::map<Ns, Stretch> stretches_;
    std::optional<Extent> extent_;
    std::int64_t events_ = 0;
};

}  // namespace dasgd::experiments
