#include "gui/models/traces/beside_query.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kLoadBudget{40};
// Ranks are stored in batches: the first span of a step that is met is not always that of the first rank.
constexpr int kLookOn = 20'000;
constexpr int kMostLooked = 2'000'000;

// The earliest span of that step in the compute lane; nullopt where none is met.
Result<std::optional<Ns>> startOfStep(storage::RunReader& reader, const std::string& run, std::int64_t step) {
    std::optional<Ns> first;
    int looked = 0, last = kMostLooked;
    DASGD_TRY(reader.eachSpan(run, [&](const storage::SpanRow& row) {
        if (row.span.step == step && row.span.lane == Lane::Compute && row.span.kind != SpanKind::Data) {
            if (!first) last = looked + kLookOn;
            first = std::min(first.value_or(row.span.start), row.span.start);
        }
        return ++looked < last;
    }));
    return first;
}

Result<std::optional<StepParts>> partsOf(storage::RunReader& reader, const std::string& run, TimeRange stretch) {
    DASGD_ASSIGN(const auto spans, reader.spans(run, stretch, BesideQuery::kMostSpans + 1));
    if (spans.size() > BesideQuery::kMostSpans) return std::optional<StepParts>();
    return std::optional(stepPartsOf(spans, stretch));
}

}  // namespace

void BesideQuery::align(const QString& a, const QString& b, std::optional<std::int64_t> step) {
    {
        const std::lock_guard lock(mutex_);
        align_ = {.a = a, .b = b, .step = step};
    }
    ask();
}

void BesideQuery::requestFrame(const QString& b, const TimelineView& view) {
    {
        const std::lock_guard lock(mutex_);
        frame_ = {b, view};
    }
    ask();
}

void BesideQuery::compare(const QString& a, TimeRange ofA, const QString& b, TimeRange ofB) {
    {
        const std::lock_guard lock(mutex_);
        compare_ = {.a = a, .b = b, .ofA = ofA, .ofB = ofB};
    }
    ask();
}

Status BesideQuery::refresh(LiveStore& store) {
    DASGD_TRY(answerAlign(store));
    DASGD_TRY(answerFrame(store));
    return answerCompare(store);
}

Status BesideQuery::answerAlign(LiveStore& store) {
    std::optional<BesideOrigin> wanted;
    {
        const std::lock_guard lock(mutex_);
        std::swap(wanted, align_);
    }
    if (!wanted) return {};
    storage::RunReader& reader = store.reader();
    const std::string a = wanted->a.toStdString(), b = wanted->b.toStdString();
    DASGD_ASSIGN(const auto extentOfA, reader.spanExtent(a));
    DASGD_ASSIGN(const auto extentOfB, reader.spanExtent(b));
    wanted->ofA = extentOfA.value_or(TimeRange{}).start;
    wanted->extentOfB = extentOfB.value_or(TimeRange{});
    wanted->ofB = wanted->extentOfB.start;
    if (wanted->step) {
        DASGD_ASSIGN(const std::optional<Ns> ofA, startOfStep(reader, a, *wanted->step));
        DASGD_ASSIGN(const std::optional<Ns> ofB, startOfStep(reader, b, *wanted->step));
        if (ofA && ofB) {
            wanted->ofA = *ofA;
            wanted->ofB = *ofB;
        } else {
            wanted->step.reset();
        }
    }
    deliver([this, origin = *wanted] { emit aligned(origin); });
    return {};
}

Status BesideQuery::answerFrame(LiveStore& store) {
    std::optional<std::pair<QString, TimelineView>> wanted;
    {
        const std::lock_guard lock(mutex_);
        std::swap(wanted, frame_);
    }
    if (!wanted) return {};
    if (std::exchange(run_, wanted->first) != wanted->first) {
        const auto known = store.runs().find(run_);
        spans_.reset(run_.toStdString(), known == store.runs().end() ? 0 : known->second->row.workers);
    }
    // A run that goes on grows; what has ended does not change.
    if (store.isLive(run_)) spans_.grown(true);
    DASGD_ASSIGN(const bool complete, spans_.load(store.reader(), wanted->second, kLoadBudget));
    auto frame = std::make_shared<TimelineFrame>(spans_.frame(wanted->second));
    frame->runId = run_.toStdString();
    frame->complete = complete;
    deliver([this, frame = TimelineFramePtr(std::move(frame))] { emit arrived(frame); });
    if (complete) return {};
    {
        const std::lock_guard lock(mutex_);
        if (!frame_) frame_ = std::move(wanted);
    }
    ask();
    return {};
}

Status BesideQuery::answerCompare(LiveStore& store) {
    std::optional<BesideNumbers> wanted;
    {
        const std::lock_guard lock(mutex_);
        std::swap(wanted, compare_);
    }
    if (!wanted) return {};
    DASGD_ASSIGN(const auto a, partsOf(store.reader(), wanted->a.toStdString(), wanted->ofA));
    DASGD_ASSIGN(const auto b, partsOf(store.reader(), wanted->b.toStdString(), wanted->ofB));
    wanted->tooMany = !a || !b;
    if (!wanted->tooMany) {
        wanted->partsOfA = *a;
        wanted->partsOfB = *b;
    }
    deliver([this, numbers = *wanted] { emit compared(numbers); });
    return {};
}

}  // namespace dasgd::gui
