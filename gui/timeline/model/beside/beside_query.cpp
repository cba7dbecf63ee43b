#include "gui/timeline/model/beside/beside_query.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kBesideBudget{40}, kAlignBudget{40};

Result<std::optional<StepParts>> partsOf(storage::RunReader& reader, const std::string& run, TimeRange stretch) {
    DASGD_ASSIGN(const auto spans, reader.spans(run, stretch, BesideQuery::kMostSpans + 1));
    if (spans.size() > BesideQuery::kMostSpans) return std::optional<StepParts>();
    DASGD_ASSIGN(const auto rounds,
                 reader.spansOf(run, windowsAround(spans, stretch), {SpanKind::Merge, SpanKind::Snapshot}));
    return std::optional(stepPartsOf(spans, stretch, rounds));
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
    storage::RunReader& reader = store.reader();
    if (wanted) {
        const std::int64_t step = wanted->step.value_or(0);
        aligning_ = Alignment{*wanted, {wanted->a.toStdString(), step}, {wanted->b.toStdString(), step}};
    }
    if (!aligning_) return {};
    BesideOrigin& origin = aligning_->origin;
    const auto deadline = std::chrono::steady_clock::now() + kAlignBudget;
    for (StepSearch* search : {&aligning_->inA, &aligning_->inB}) {
        if (!origin.step) break;
        DASGD_ASSIGN(const bool known, search->look(reader, deadline));
        if (!known) return ask(), Status{};
        if (!search->start()) origin.step.reset();
    }
    DASGD_ASSIGN(const auto extentOfA, reader.spanExtent(origin.a.toStdString()));
    DASGD_ASSIGN(const auto extentOfB, reader.spanExtent(origin.b.toStdString()));
    origin.extentOfB = extentOfB.value_or(TimeRange{});
    origin.ofA = origin.step ? *aligning_->inA.start() : extentOfA.value_or(TimeRange{}).start;
    origin.ofB = origin.step ? *aligning_->inB.start() : origin.extentOfB.start;
    deliver([this, origin] { emit aligned(origin); });
    aligning_.reset();
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
    // Only a live run grows.
    if (store.isLive(run_)) spans_.grown(true);
    DASGD_ASSIGN(const bool complete, spans_.load(store.reader(), wanted->second, kBesideBudget));
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
