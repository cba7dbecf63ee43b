#include "gui/timeline/model/beside/beside_query.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kBesideBudget{40}, kAlignBudget{40};

Result<std::optional<StepParts>> partsOf(storage::SpanReader& reader, const std::string& run, TimeRange stretch) {
    DASGD_ASSIGN(const auto spans, reader.touching(run, stretch, BesideQuery::kMostSpans + 1));
    if (spans.size() > BesideQuery::kMostSpans) return std::optional<StepParts>();
    DASGD_ASSIGN(const auto rounds,
                 reader.ofKinds(run, windowsAround(spans, stretch), {SpanKind::Merge, SpanKind::Snapshot}));
    return std::optional(stepPartsOf(spans, stretch, rounds));
}

}  // namespace

void BesideQuery::align(const QString& a, const QString& b, std::optional<std::int64_t> step) {
    align_.set(BesideOrigin{.a = a, .b = b, .step = step});
}

void BesideQuery::requestFrame(const QString& b, const TimelineView& view) { frame_.set(std::pair(b, view)); }

void BesideQuery::compare(const QString& a, TimeRange ofA, const QString& b, TimeRange ofB) {
    compare_.set(BesideNumbers{.a = a, .b = b, .ofA = ofA, .ofB = ofB});
}

Status BesideQuery::refresh(LiveStore& store) {
    DASGD_TRY(answerAlign(store));
    DASGD_TRY(answerFrame(store));
    return answerCompare(store);
}

Status BesideQuery::answerAlign(LiveStore& store) {
    storage::SpanReader& reader = store.reader().spans();
    if (const auto wanted = align_.take()) {
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
    DASGD_ASSIGN(const auto extentOfA, reader.extent(origin.a.toStdString()));
    DASGD_ASSIGN(const auto extentOfB, reader.extent(origin.b.toStdString()));
    origin.extentOfB = extentOfB.value_or(TimeRange{});
    origin.ofA = origin.step ? *aligning_->inA.start() : extentOfA.value_or(TimeRange{}).start;
    origin.ofB = origin.step ? *aligning_->inB.start() : origin.extentOfB.start;
    deliver([this, origin] { emit aligned(origin); });
    aligning_.reset();
    return {};
}

Status BesideQuery::answerFrame(LiveStore& store) {
    if (auto wanted = frame_.take()) framing_ = std::move(wanted);
    if (!framing_) return {};
    const auto& [run, view] = *framing_;
    if (std::exchange(run_, run) != run) {
        const auto known = store.runs().find(run_);
        spans_.reset(run_.toStdString(), known == store.runs().end() ? 0 : known->second->row.workers);
    }
    // Only a live run grows.
    if (store.isLive(run_)) spans_.grown(true);
    DASGD_ASSIGN(const bool complete, spans_.load(store.reader().spans(), view, kBesideBudget));
    auto frame = std::make_shared<TimelineFrame>(spans_.frame(view));
    frame->runId = run_.toStdString();
    frame->complete = complete;
    deliver([this, frame = TimelineFramePtr(std::move(frame))] { emit arrived(frame); });
    if (!complete) return ask(), Status{};
    framing_.reset();
    return {};
}

Status BesideQuery::answerCompare(LiveStore& store) {
    std::optional<BesideNumbers> wanted = compare_.take();
    if (!wanted) return {};
    DASGD_ASSIGN(const auto a, partsOf(store.reader().spans(), wanted->a.toStdString(), wanted->ofA));
    DASGD_ASSIGN(const auto b, partsOf(store.reader().spans(), wanted->b.toStdString(), wanted->ofB));
    wanted->tooMany = !a || !b;
    if (!wanted->tooMany) {
        wanted->partsOfA = *a;
        wanted->partsOfB = *b;
    }
    deliver([this, numbers = *wanted] { emit compared(numbers); });
    return {};
}

}  // namespace dasgd::gui
