#include "gui/timeline/model/timeline_query.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kLoadBudget{40}, kMostLoad{160};
constexpr std::chrono::milliseconds kLivePause{250};  // longer than a view at the live edge takes to ask again
constexpr std::chrono::milliseconds kMeasureBudget{50};

}  // namespace

void TimelineQuery::request(const TimelineRequest& request) { asked_.set({request, nullptr}); }

void TimelineQuery::release(const void* viewer) {
    asked_.change([&](Asked& asked) {
        if (asked.request && asked.request->viewer == viewer) asked.request.reset();
        asked.released = viewer;
    });
}

void TimelineQuery::requestMeasure(const QString& run, TimeRange range) { measure_.set(std::pair(run, range)); }

Status TimelineQuery::refresh(LiveStore& store) {
    takeRun(store);
    // Data found outdated in this round are answered in the next: by then the live edge has moved, and another request
    // may have arrived.
    const bool again = outdated_;
    DASGD_TRY(takeGrowth(store));
    DASGD_TRY(answerRequest(store, again));
    return answerMeasure(store);
}

void TimelineQuery::takeRun(LiveStore& store) {
    if (std::exchange(watchedSince_, store.watchedSince()) == store.watchedSince()) return;
    run_ = store.watch().run;
    const auto known = store.runs().find(run_);
    workers_ = known == store.runs().end() ? 0 : known->second->row.workers;
    imported_ = known != store.runs().end() && known->second->row.imported();
    spans_.reset(run_.toStdString(), workers_);
    store.setSpans(&spans_);
    measuring_.reset();
    newest_ = 0;
    live_ = false;
    answered_.reset();
    outdated_ = incomplete_ = false;
    revision_ = -1;
}

Status TimelineQuery::takeGrowth(LiveStore& store) {
    if (revision_ == store.revision() || run_.isEmpty()) return {};
    DASGD_ASSIGN(const Ns newest, store.reader().runs().newestInstant(run_.toStdString()));
    const bool live = store.isLive(run_);
    const bool grew = newest != std::exchange(newest_, newest) || live != std::exchange(live_, live);
    revision_ = store.revision();
    if (!grew) return {};
    spans_.grown(live);
    outdated_ = answered_.has_value();
    return {};
}

Status TimelineQuery::answerRequest(LiveStore& store, bool again) {
    auto [wanted, released] = asked_.take();
    if (answered_ && released && answered_->viewer == released) {
        answered_.reset();
        incomplete_ = false;
    }
    // Growth is answered at intervals, an incomplete answer is completed at once.
    const bool due = incomplete_ || std::chrono::steady_clock::now() - answeredAt_ >= kLivePause;
    if (!wanted && again && due) wanted = answered_;
    if (!wanted || wanted->runId != run_ || run_.isEmpty()) return {};
    // Partial frames are shown meanwhile; reading gets a multiple of the time that forming one takes.
    DASGD_ASSIGN(const bool complete,
                 spans_.load(store.reader().spans(), wanted->view, std::clamp(3 * formed_, kLoadBudget, kMostLoad)));
    const auto begun = std::chrono::steady_clock::now();
    auto frame = std::make_shared<TimelineFrame>(spans_.frame(wanted->view));
    formed_ = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
    frame->runId = run_.toStdString();
    frame->complete = complete;
    answered_ = wanted;
    answeredAt_ = std::chrono::steady_clock::now();
    outdated_ = incomplete_ = !complete;
    if (!complete) ask();
    deliver([this, frame = TimelineFramePtr(std::move(frame))] { emit arrived(frame); });
    return {};
}

Status TimelineQuery::answerMeasure(LiveStore& store) {
    if (auto asked = measure_.take()) wantedMeasure_ = std::move(asked);
    if (wantedMeasure_ && wantedMeasure_->first == run_) {
        measuring_.emplace(run_.toStdString(), wantedMeasure_->second, workers_, imported_);
        wantedMeasure_.reset();
    }
    if (!measuring_) return {};
    DASGD_ASSIGN(const bool complete, measuring_->read(store.reader().spans(), kMeasureBudget));
    if (!complete) return ask(), Status{};
    deliver([this, measure = measuring_->result()] { emit measured(measure); });
    measuring_.reset();
    return {};
}

}  // namespace dasgd::gui
