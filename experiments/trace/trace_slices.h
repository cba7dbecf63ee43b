// What a trace file holds, in the form that all formats have in common: slices of time on tracks of processes.
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
#include "experiments/trace/slice_sorter.h"

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

// Of what it was written by. Absent where the file does not say.
struct TraceOrigin {
    bool pytorch = false;
    std::optional<std::int64_t> rank, ranks;
    std::optional<Ns> base;  // added to every instant: what the file's 0 is on the clock of its host
    // An exported run of ours.
    std::string run, experiment, algorithm;
    bool simulated = false, complete = true;
};

// How often each thing happened, by what to call it: "slices without an end".
using TraceCounts = std::map<std::string, std::int64_t, std::less<>>;

struct TraceTrack {
    std::uint32_t process = 0;  // in TraceSlices::processes
    std::string thread, name;
};
struct TraceProcess {
    std::string id, name;
};

// Takes the events of one file: pairs begins with ends, keeps the slices on the disk by their start, counts the rest.
class TraceSlices {
public:
    static constexpr std::size_t kMostTracks = 65536;
    static constexpr std::size_t kMostOpen = 1'000'000;  // begun and not ended, of all tracks

    TraceSlices(TraceNames& names, const std::filesystem::path& scratch) : names_(names), slices_(scratch) {}

    void take(const TraceEvent& event);
    void nameProcess(std::string_view process, std::string_view name);
    void nameThread(std::string_view process, std::string_view thread, std::string_view name);
    // No more events; then the slices by start, the longer first.
    Status close();
    [[nodiscard]] SliceSorter& slices() { return slices_; }

    TraceOrigin origin;
    TraceCounts dropped;    // what could not be used: the file is damaged there
    TraceCounts leftOut;    // what was understood, and is no span
    std::string stoppedAt;  // "" or why the file was not read to its end
    [[nodiscard]] const std::vector<TraceTrack>& tracks() const { return tracks_; }
    [[nodiscard]] const std::vector<TraceProcess>& processes() const { return processes_; }
    [[nodiscard]] std::int64_t events() const { return events_; }
    // How many slices have a name and a category.
    struct Kind {
        std::uint32_t name = 0, category = 0;
        auto operator<=>(const Kind&) const = default;
    };
    [[nodiscard]] const std::map<Kind, std::int64_t>& kinds() const { return kinds_; }
    [[nodiscard]] std::optional<Ns> first() const { return first_; }
    [[nodiscard]] const TraceNames& names() const { return names_; }

private:
    struct Open {
        std::uint32_t name = 0, category = 0;
        Ns at = 0;
        std::int64_t step = -1, bytes = 0;
        std::uint64_t collective = 0;
    };
    std::optional<std::uint32_t> trackOf(std::string_view process, std::string_view thread);
    std::uint32_t processOf(std::string_view process);
    void begin(std::uint32_t track, const TraceEvent& event);
    void end(std::uint32_t track, const TraceEvent& event);
    void keep(std::uint32_t track, const Open& from, Ns end);

    TraceNames& names_;
    SliceSorter slices_;
    std::vector<TraceTrack> tracks_;
    std::vector<TraceProcess> processes_;
    std::unordered_map<std::string, std::uint32_t> trackOf_, processOf_;
    std::vector<std::vector<Open>> open_;  // by track
    std::size_t openCount_ = 0;
    std::map<Kind, std::int64_t> kinds_;
    std::string key_;
    std::optional<Ns> first_;
    std::int64_t events_ = 0;
};

}  // namespace dasgd::experiments
