#include "experiments/tools/traces/import/span_stream.h"

#include <algorithm>
#include <limits>

#include "core/analysis/spans/timings.h"
#include "experiments/tools/traces/import/thread_survey.h"

namespace dasgd::experiments {

namespace {

using Is = SliceRole::Is;

// A window is told in parts where it has more spans, as what forms numbers from it keeps only so many.
constexpr std::int64_t kSpansOfWindow = 4096;
constexpr std::size_t kMostArrivals = 262'144;  // collectives that wait for their last rank
constexpr std::int64_t kSlicesOfProgress = 65536;
constexpr Ns kLongest = Ns{1} << 57, kFarthest = Ns{1} << 61;
constexpr std::int64_t kMostCounted = std::int64_t{1} << 48;  // steps, bytes

// Adds without a sign, as instants of damaged files may be anything.
Ns shifted(Ns instant, Ns offset) {
    return static_cast<Ns>(static_cast<std::uint64_t>(instant) + static_cast<std::uint64_t>(offset));
}

}  // namespace

SpanStream::SpanStream(TraceFormat format, std::vector<TraceSource> sources, int ranks, bool oneClock)
    : format_(format), ranksOfRun_(ranks), ranks_(static_cast<std::size_t>(ranks)) {
    bool kernels = false;
    for (TraceSource& source : sources) {
        sources_.push_back({});
        static_cast<TraceSource&>(sources_.back()) = std::move(source);
        names_ = &sources_.back().slices->names();
        findRoles(sources_.back());
        kernels = kernels || sources_.back().kernels;
    }
    // Operators of a host are the work of all ranks of a run or of none.
    for (Source& source : sources_) {
        if (kernels && !source.kernels) ++remarks_["files without kernels beside others that have them"];
        source.kernels = kernels;
        const int passes = format_ == TraceFormat::Ours ? 1 : source.needsSurvey() ? 3 : 2;
        all_ += source.slices->slices().size() * passes;
    }
    if (oneClock) findMatching();
}

void SpanStream::findRoles(Source& source) {
    for (const auto& [kind, count] : source.slices->kinds()) {
        const SliceRole role = roleOf(format_, (*names_)[kind.name], (*names_)[kind.category]);
        source.kernels = source.kernels || role.is == Is::Kernel || role.is == Is::Transfer;
        source.works = source.works || role.is == Is::Work;
        source.roles.emplace(kind, role);
    }
}

// Collectives are told apart by their names and their order, which is the same on all ranks: where all are there and
// have as many.
void SpanStream::findMatching() {
    const bool all = format_ == TraceFormat::PyTorch && sources_.size() > 1 &&
                     sources_.size() == static_cast<std::size_t>(ranksOfRun_);
    if (!all) return;
    std::map<std::uint32_t, std::vector<std::int64_t>> counts;
    for (const Source& source : sources_) {
        for (const auto& [kind, role] : source.roles) {
            if (role.lane != Lane::Comm || !countsHere(source, role)) continue;
            auto& ofName = counts[kind.name];
            ofName.resize(sources_.size());
            ofName[static_cast<std::size_t>(&source - sources_.data())] += source.slices->kinds().at(kind);
        }
    }
    for (const auto& [name, ofName] : counts) {
        matches_[name] = std::ranges::all_of(ofName, [&](std::int64_t count) { return count == ofName.front(); });
    }
}

Status SpanStream::run(const Take& take, const std::function<void(double)>& progress) {
    for (Source& source : sources_) {
        if (format_ != TraceFormat::Ours) DASGD_TRY(takeFrames(source, progress));
        source.next = source.sorted().next();
    }
    for (;;) {
        Source* first = nullptr;
        for (Source& source : sources_) {
            if (!source.next) continue;
            const Ns start = shifted(source.next->start, source.offset);
            if (!first || start < shifted(first->next->start, first->offset)) first = &source;
        }
        if (!first) break;
        Slice slice = *first->next;
        slice.start = shifted(slice.start, first->offset);
        slice.end = shifted(slice.end, first->offset);
        const bool near = slice.end >= slice.start && slice.start >= (format_ == TraceFormat::Ours ? -kFarthest : 0);
        const bool sane =
            slice.end <= kFarthest && slice.step <= kMostCounted && slice.bytes >= 0 && slice.bytes <= kMostCounted;
        if (near && sane && slice.end - slice.start <= kLongest) {
            DASGD_TRY(emitWindows(slice.start, take));
            DASGD_TRY(place(*first, slice, take));
        } else {
            ++dropped_["slices too far from the others"];
        }
        first->next = first->sorted().next();
        if (!first->next && !first->sorted().error().empty()) return fail(first->sorted().error());
        tell(progress);
    }
    for (const auto& [number, waiting] : arrivals_) {
        remarks_["collectives that not all ranks have ended"] += 1;
        for (const Arrival& arrival : waiting) {
            DASGD_TRY(emit(arrival.rank, arrival.span, (*names_)[arrival.name], take));
        }
    }
    return emitWindows(std::numeric_limits<Ns>::max(), take);
}

void SpanStream::tell(const std::function<void(double)>& progress) {
    if (++done_ % kSlicesOfProgress == 0) progress(static_cast<double>(done_) / static_cast<double>(all_));
}

Status SpanStream::takeFrames(Source& source, const std::function<void(double)>& progress) {
    source.counted = std::make_unique<SliceSorter>(source.slices->scratch);
    const auto [first, last] = source.slices->extent().value_or(TraceSlices::Extent{});
    source.lastStart = last;
    source.latestEnd = last + std::max(kImpossible, kTimesTheRest * std::min(last - first, kLongest / kTimesTheRest));
    DASGD_ASSIGN(std::vector<bool> computing, survey(source, progress));
    ThreadFrames frames(
        std::move(computing), [&](const Slice& slice) { keep(source, slice); }, leftOut_, remarks_);
    SliceSorter& all = source.slices->slices();
    while (const auto slice = all.next()) {
        if (!source.slices->isFar(slice->start)) takeFrame(source, *slice, frames);
        tell(progress);
    }
    if (!all.error().empty()) return fail(all.error());
    all.clear();
    frames.finish();
    return source.counted->close();
}

Result<std::vector<bool>> SpanStream::survey(Source& source, const std::function<void(double)>& progress) {
    std::vector<std::uint32_t> processes;
    for (const TraceTrack& track : source.slices->tracks()) processes.push_back(track.process);
    if (!source.needsSurvey()) return std::vector<bool>(processes.size(), true);
    ThreadSurvey threads(std::move(processes));
    SliceSorter& all = source.slices->slices();
    while (const auto slice = all.next()) {
        const auto frame = frameOf(source, source.roleOf(*slice));
        if (frame && !source.slices->isFar(slice->start) && slice->end <= source.latestEnd) threads.add(*slice, *frame);
        tell(progress);
    }
    if (!all.error().empty()) return fail(all.error());
    all.rewind();
    return threads.computing();
}

std::optional<ThreadFrames::Frame> SpanStream::frameOf(const Source& source, const SliceRole& role) {
    using Frame = ThreadFrames::Frame;
    if (role.inStream) return Frame::Kernel;
    switch (role.is) {
        case Is::Operator:
        case Is::Outermost:
            if (!countsHere(source, role)) return std::nullopt;
            return role.compiled ? Frame::Compiled : Frame::Operator;
        case Is::Work:
        case Is::Launch:
        case Is::Call:
            // Where kernels tell what was computed, no call of the host takes time from it.
            if (source.kernels) return std::nullopt;
            return role.is == Is::Work ? Frame::Work : Frame::Call;
        default: return std::nullopt;
    }
}

void SpanStream::takeFrame(Source& source, const Slice& slice, ThreadFrames& frames) {
    using Frame = ThreadFrames::Frame;
    if (source.rankOfProcess[source.slices->tracks()[slice.track].process] < 0)
        return void(++leftOut_["slices of processes that are no rank"]);
    const SliceRole& role = source.roleOf(slice);
    const bool counted = counts(source, role);
    const auto frame = frameOf(source, role);
    // Kernels get their ends from the next of their stream; another wrong end would cover all that follows.
    if (frame != Frame::Kernel && (frame || counted) && slice.end > source.latestEnd) return void(++dropped_[kFarAway]);
    if (frame) frames.add(slice, *frame);
    if (frame && *frame != Frame::Call && *frame != Frame::Work) return;
    if (counted) keep(source, slice);
}

void SpanStream::keep(Source& source, const Slice& slice) {
    if (slice.end > source.latestEnd) return void(++dropped_[kFarAway]);
    if (slice.end - source.lastStart > kFarApart)
        ++remarks_["slices that go on for more than 10 minutes after the last one began"];
    source.counted->add(slice);
}

bool SpanStream::counts(const Source& source, const SliceRole& role) {
    if (role.is == Is::LeftOut) return ++leftOut_[role.why], false;
    if (countsHere(source, role)) return true;
    const bool call = role.lane == Lane::Comm;
    ++leftOut_[call ? "calls of collectives whose time is there apart" : "operators of a host that has kernels"];
    return false;
}

bool SpanStream::countsHere(const Source& source, const SliceRole& role) {
    switch (role.is) {
        case Is::Operator: return !source.kernels || role.kind == SpanKind::Data;
        case Is::Work: return !source.kernels;
        case Is::Launch: return !source.kernels && !source.works;
        case Is::Call: return false;
        default: return role.is != Is::LeftOut;
    }
}

Status SpanStream::place(Source& source, const Slice& slice, const Take& take) {
    const SliceRole& role = source.roleOf(slice);
    const int rank = source.rankOfProcess[source.slices->tracks()[slice.track].process];
    // The other formats' slices are counted when their frames are taken.
    if (format_ == TraceFormat::Ours && rank < 0) return ++leftOut_["slices of processes that are no rank"], Status{};
    if (format_ == TraceFormat::Ours && !counts(source, role)) return {};
    Rank& state = ranks_[static_cast<std::size_t>(rank)];
    if (role.is == Is::Step) state.step = role.step;
    const std::string& name = (*names_)[slice.name];
    Span span{
        .lane = role.lane,
        .kind = role.kind,
        .step = format_ == TraceFormat::Ours || slice.step >= 0 ? std::max<std::int64_t>(0, slice.step) : state.step,
        .start = slice.start,
        .end = slice.end,
        .bytes = slice.bytes,
        .collective = slice.collective};
    switch (role.is) {
        case Is::Span:
        case Is::Window: return placeOurs(rank, role, span, name, take);
        case Is::Step:
            span.bytes = 1;
            state.sinceWindow = 0;
            windows_.push({span.end, rank, span});
            openStep_[rank] = {span.end, rank, span};
            steps_ = std::max(steps_, ++state.steps);
            return {};
        case Is::Transfer:
        case Is::Work:
        case Is::Launch: return placeTransfer(rank, span, slice.name, take);
        case Is::Operator:
            if (source.kernels) span.lane = Lane::Io;
            [[fallthrough]];
        default: span.collective = 0; return emit(rank, span, name, take);
    }
}

Status SpanStream::placeOurs(int rank, const SliceRole& role, Span span, std::string_view name, const Take& take) {
    // The last window need not reach the last step: an evaluation may have disturbed it.
    steps_ = std::max(steps_, span.step);
    if (role.is == Is::Span) {
        // A reduce is one that other ranks never completed; with its number it stays undivided, in no number.
        transfers_ += span.kind == SpanKind::Transfer ? 1 : 0;
        divided_ = transfers_;
        return emit(rank, span, name == nameOf(role.kind) ? std::string_view() : name, take);
    }
    windows_.push({span.end, rank, span});
    return {};
}

Status SpanStream::placeTransfer(int rank, Span span, std::uint32_t name, const Take& take) {
    ++transfers_;
    span.collective = 0;
    const auto matches = matches_.find(name);
    if (matches == matches_.end() || !matches->second) return emit(rank, span, (*names_)[name], take);
    const std::int64_t place = ranks_[static_cast<std::size_t>(rank)].collectives[name]++;
    const auto [known, fresh] = numbers_.try_emplace({name, place}, newestCollective_ + 1);
    if (fresh) ++newestCollective_;
    span.collective = known->second;
    auto& waiting = arrivals_[span.collective];
    waiting.push_back({rank, span, name});
    if (waiting.size() < static_cast<std::size_t>(ranksOfRun_)) {
        if (arrivals_.size() <= kMostArrivals) return {};
        const auto oldest = arrivals_.begin();
        for (const Arrival& arrival : oldest->second) {
            DASGD_TRY(emit(arrival.rank, arrival.span, (*names_)[arrival.name], take));
        }
        arrivals_.erase(oldest);
        return {};
    }
    numbers_.erase(known);
    const auto arrivals = std::move(waiting);
    arrivals_.erase(span.collective);
    return divide(arrivals, take);
}

// No rank has the result before the last one has arrived: where one says so, the clocks of the hosts differ.
Status SpanStream::divide(const std::vector<Arrival>& arrivals, const Take& take) {
    Ns lastArrival = std::numeric_limits<Ns>::min(), firstEnd = std::numeric_limits<Ns>::max();
    for (const Arrival& arrival : arrivals) {
        lastArrival = std::max(lastArrival, arrival.span.start);
        firstEnd = std::min(firstEnd, arrival.span.end);
    }
    const bool possible = lastArrival <= firstEnd;
    if (!possible) ++remarks_["collectives that end before all ranks are there, by clocks that differ"];
    if (possible) divided_ += static_cast<std::int64_t>(arrivals.size());
    for (const Arrival& arrival : arrivals) {
        const auto parts = divideReduce(arrival.span, possible ? lastArrival : arrival.span.start);
        const std::string& name = (*names_)[arrival.name];
        if (parts.skew) DASGD_TRY(emit(arrival.rank, *parts.skew, name, take));
        DASGD_TRY(emit(arrival.rank, parts.transfer, name, take));
    }
    return {};
}

Status SpanStream::emit(int rank, const Span& span, std::string_view name, const Take& take) {
    ++spans_;
    DASGD_TRY(take(rank, span, name));
    Rank& state = ranks_[static_cast<std::size_t>(rank)];
    if (format_ != TraceFormat::PyTorch || ++state.sinceWindow < kSpansOfWindow) return {};
    return emitPart(rank, span.start, take);
}

// The part of a step so far, which counts as none yet.
Status SpanStream::emitPart(int rank, Ns until, const Take& take) {
    Rank& state = ranks_[static_cast<std::size_t>(rank)];
    state.sinceWindow = 0;
    const auto open = openStep_.find(rank);
    if (open == openStep_.end() || until >= open->second.end) return {};
    Ns& told = toldUntil_.try_emplace({rank, open->second.span.start}, open->second.span.start).first->second;
    if (until <= told) return {};
    Span part = open->second.span;
    part.start = std::exchange(told, until);
    part.end = until;
    part.bytes = 0;
    return emit(rank, part, {}, take);
}

Status SpanStream::emitWindows(Ns until, const Take& take) {
    while (!windows_.empty() && windows_.top().end <= until) {
        Window window = windows_.top();
        windows_.pop();
        if (const auto told = toldUntil_.extract({window.rank, window.span.start})) window.span.start = told.mapped();
        ++spans_;
        DASGD_TRY(take(window.rank, window.span, {}));
    }
    return {};
}

}  // namespace dasgd::experiments
