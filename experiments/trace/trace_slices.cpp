#include "experiments/trace/trace_slices.h"

#include <limits>

namespace dasgd::experiments {

namespace {

// The difference of any two instants fits.
constexpr Ns kEarliest = -(Ns{1} << 57);
constexpr Ns kLatest = std::numeric_limits<Ns>::max() + kEarliest;

// Without the beginning of a character at its end.
std::string_view cut(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
    return text.substr(0, most);
}

}  // namespace

std::uint32_t TraceNames::numberOf(std::string_view name) {
    name = cut(name, kLongest);
    if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
    if (names_.size() >= kMostNames) name = "(more names)";
    const auto [place, fresh] = numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
    if (fresh) names_.push_back(&place->first);
    return place->second;
}

void TraceSlices::take(const TraceEvent& event) {
    using Phase = TraceEvent::Phase;
    ++events_;
    switch (event.phase) {
        case Phase::Counter: ++leftOut["values of counters"]; return;
        case Phase::Flow: ++leftOut["arrows"]; return;
        case Phase::Mark: ++leftOut["marks"]; return;
        case Phase::Other: ++leftOut["events of other kinds"]; return;
        default: break;
    }
    if (!event.at) return void(++dropped["slices without an instant that can be read"]);
    if (*event.at > kLatest || *event.at < kEarliest) return void(++dropped["slices too far from the others"]);
    const auto track = trackOf(event.process, event.thread);
    if (!track) return void(++dropped["slices of more than 65536 tracks"]);
    if (event.phase == Phase::Begin) return begin(*track, event);
    if (event.phase == Phase::End) return end(*track, event);
    if (!event.length) return void(++dropped["slices without an end"]);
    if (*event.length < 0 || *event.length > -kEarliest) return void(++dropped["slices that end before they begin"]);
    keep(*track,
         {names_.numberOf(event.name), names_.numberOf(event.category), *event.at, event.step, event.bytes,
          event.collective},
         *event.at + *event.length);
}

void TraceSlices::begin(std::uint32_t track, const TraceEvent& event) {
    if (openCount_ == kMostOpen) return void(++dropped["slices without an end"]);
    ++openCount_;
    open_[track].push_back({names_.numberOf(event.name), names_.numberOf(event.category), *event.at, event.step,
                            event.bytes, event.collective});
}

void TraceSlices::end(std::uint32_t track, const TraceEvent& event) {
    auto& open = open_[track];
    if (open.empty()) return void(++dropped["ends without a beginning"]);
    const Open begun = open.back();
    open.pop_back();
    --openCount_;
    if (*event.at < begun.at) return void(++dropped["slices that end before they begin"]);
    keep(track, begun, *event.at);
}

void TraceSlices::keep(std::uint32_t track, const Open& from, Ns end) {
    if (!first_ || from.at < *first_) first_ = from.at;
    ++kinds_[{from.name, from.category}];
    slices_.add({from.at, end, from.step, from.bytes, from.collective, track, from.name, from.category});
}

Status TraceSlices::close() {
    if (openCount_ > 0) dropped["slices without an end"] += static_cast<std::int64_t>(openCount_);
    open_.clear();
    return slices_.close();
}

std::uint32_t TraceSlices::processOf(std::string_view process) {
    const auto [place, fresh] =
        processOf_.try_emplace(std::string(process), static_cast<std::uint32_t>(processes_.size()));
    if (fresh) processes_.push_back({std::string(cut(process, TraceNames::kLongest)), {}});
    return place->second;
}

std::optional<std::uint32_t> TraceSlices::trackOf(std::string_view process, std::string_view thread) {
    key_.assign(process).append(1, '\0').append(thread);
    if (const auto known = trackOf_.find(key_); known != trackOf_.end()) return known->second;
    if (tracks_.size() == kMostTracks) return std::nullopt;
    const auto track = static_cast<std::uint32_t>(tracks_.size());
    tracks_.push_back({processOf(process), std::string(cut(thread, TraceNames::kLongest)), {}});
    open_.emplace_back();
    trackOf_.emplace(key_, track);
    return track;
}

void TraceSlices::nameProcess(std::string_view process, std::string_view name) {
    if (processes_.size() < kMostTracks) processes_[processOf(process)].name = cut(name, TraceNames::kLongest);
}

void TraceSlices::nameThread(std::string_view process, std::string_view thread, std::string_view name) {
    if (const auto track = trackOf(process, thread)) tracks_[*track].name = cut(name, TraceNames::kLongest);
}

}  // namespace dasgd::experiments
