#include "experiments/tools/traces/import/trace_slices.h"

#include <algorithm>
#include <limits>

namespace dasgd::experiments {

namespace {

// The difference of any two instants fits.
constexpr Ns kEarliest = -(Ns{1} << 57);
constexpr Ns kLatest = std::numeric_limits<Ns>::max() + kEarliest;

// In the track of a mark: it is an end.
constexpr std::uint32_t kEnd = std::uint32_t{1} << 31;

constexpr Ns kStretch = Ns{1} << 36;  // 69 s: slices that start so close together are counted together
constexpr std::size_t kMostStretches = 65'536;
constexpr std::int64_t kFewIn = 10;  // a wrong instant is that of at most one slice in so many

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
    Slice slice{.start = *event.at,
                .end = *event.at,
                .step = event.step,
                .bytes = event.bytes,
                .collective = event.collective,
                .track = *track,
                .name = names_.numberOf(event.name),
                .category = names_.numberOf(event.category)};
    if (event.phase == Phase::End) slice.track |= kEnd;
    if (event.phase == Phase::Begin || event.phase == Phase::End) return marks_.add(slice);
    if (!event.length) return void(++dropped["slices without an end"]);
    if (*event.length < 0 || *event.length > -kEarliest) return void(++dropped["slices that end before they begin"]);
    slice.end += *event.length;
    keep(slice);
}

void TraceSlices::keep(const Slice& slice) {
    ++kinds_[{slice.name, slice.category}];
    slices_.add(slice);
    if (!extent_) extent_ = {slice.start, slice.start};
    extent_->first = std::min(extent_->first, slice.start);
    extent_->last = std::max(extent_->last, slice.start);
    if (stretches_.size() > kMostStretches) return;
    Stretch& stretch = stretches_[slice.start >= 0 ? slice.start / kStretch : (slice.start + 1) / kStretch - 1];
    if (stretch.slices++ == 0) stretch.starts = {slice.start, slice.start};
    stretch.starts.first = std::min(stretch.starts.first, slice.start);
    stretch.starts.last = std::max(stretch.starts.last, slice.start);
}

// Pairs the marks of a file, which come by their instants, those of one instant in the order of the file.
class TraceSlices::Pairs {
public:
    explicit Pairs(TraceSlices& slices) : slices_(slices), open_(slices.tracks().size()) {}

    void add(const Slice& mark) {
        if ((mark.track & kEnd) != 0) return end(mark);
        if (openCount_ == kMostOpen) return void(++slices_.dropped["slices without an end"]);
        ++openCount_;
        open_[mark.track].push_back(mark);
    }
    void finish() {
        if (openCount_ > 0) slices_.dropped["slices without an end"] += static_cast<std::int64_t>(openCount_);
    }

private:
    static constexpr int kDeepest = 64;  // open slices among which an end looks for its name

    void end(const Slice& mark) {
        auto& open = open_[mark.track & ~kEnd];
        if (open.empty()) return void(++slices_.dropped["ends without a beginning"]);
        const auto last = open.size() > kDeepest ? open.rbegin() + kDeepest : open.rend();
        const auto newest = [&](auto&& fits) { return std::find_if(open.rbegin(), last, fits); };
        const auto hasName = [&](const Slice& one) { return mark.name == 0 || one.name == 0 || one.name == mark.name; };
        auto found = last;
        if (slices_.ties == Ties::EndsFirst) {
            found = newest([&](const Slice& one) { return one.start < mark.start && hasName(one); });
        }
        if (found == last) found = newest(hasName);
        if (found == last) found = open.rbegin();
        Slice slice = *found;
        open.erase(std::next(found).base());
        --openCount_;
        slice.end = mark.start;
        slices_.keep(slice);
    }

    TraceSlices& slices_;
    std::vector<std::vector<Slice>> open_;  // by track
    std::size_t openCount_ = 0;
};

Status TraceSlices::pairMarks() {
    DASGD_TRY(marks_.close());
    Pairs pairs(*this);
    while (const auto mark = marks_.next()) pairs.add(*mark);
    if (!marks_.error().empty()) return fail(marks_.error());
    pairs.finish();
    return {};
}

Status TraceSlices::close() {
    DASGD_TRY(pairMarks());
    findExtent();
    return slices_.close();
}

// The largest group of slices is the trace. Others have wrong instants where these are impossible, and are parts of the
// trace after a pause where they are not: a real slice is never dropped for being alone.
void TraceSlices::findExtent() {
    if (stretches_.size() > kMostStretches || !origin.run.empty()) return;
    std::vector<Stretch> groups;
    for (const auto& [place, stretch] : stretches_) {
        if (!groups.empty() && stretch.starts.first - groups.back().starts.last <= kFarApart) {
            groups.back().slices += stretch.slices;
            groups.back().starts.last = stretch.starts.last;
        } else {
            groups.push_back(stretch);
        }
    }
    if (groups.empty()) return;
    const auto most = std::ranges::max_element(groups, {}, &Stretch::slices);
    const Ns taken = most->starts.last - most->starts.first;
    const Ns apart =
        std::max(kImpossible, kTimesTheRest * std::min(taken, std::numeric_limits<Ns>::max() / kTimesTheRest));
    const auto isWrong = [&](const Stretch& group) {
        const bool isZero = group.starts.first == 0 && group.starts.last == 0;
        const Ns away = std::max(most->starts.first - group.starts.last, group.starts.first - most->starts.last);
        return away > apart && (isZero || group.slices <= most->slices / kFewIn);
    };
    auto first = groups.begin(), last = std::prev(groups.end());
    for (; first != most && isWrong(*first); ++first) dropped[kFarAway] += first->slices;
    for (; last != most && isWrong(*last); --last) dropped[kFarAway] += last->slices;
    if (first != last) remarks["pauses of more than 10 minutes"] += last - first;
    extent_ = {first->starts.first, last->starts.last};
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
