#include "gui/timeline/model/overview_query.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kBudget{40};
constexpr int kRanksAtOnce = 16;  // ranks whose boxes are in memory together

}  // namespace

void OverviewQuery::setWidth(int pixels) { width_.set(pixels); }

Status OverviewQuery::refresh(LiveStore& store) {
    const QString& run = store.watch().run;
    const auto known = store.runs().find(run);
    const int width = width_.look().first;
    if (width <= 0 || known == store.runs().end()) return {};
    if (fresh_.follow(store)) {
        spans_.reset(run.toStdString(), known->second->row.workers);
        answeredSpans_ = -1;
    }
    const bool live = store.isLive(run);
    if (complete_ && answeredWidth_ == width && !fresh_.due(store)) return {};
    fresh_.begin(store);
    DASGD_ASSIGN(const std::int64_t spans, store.reader().spans().count(run.toStdString()));
    DASGD_ASSIGN(const std::optional<TimeRange> extent, store.reader().spans().extent(run.toStdString()));
    // The end of a run adds no span, but marks the part after its last window as untimed.
    const bool grew = spans != answeredSpans_ || live != answeredLive_;
    if (!extent || (!grew && answeredWidth_ == width && complete_)) return {};
    if (grew) spans_.grown(live);
    const TimelineView view{*extent, static_cast<double>(extent->end - extent->start) / width};
    DASGD_ASSIGN(complete_, spans_.load(store.reader().spans(), view, kBudget));
    // During a long read, partial pictures are delivered for part of the time.
    if (complete_ || partial_.due()) {
        const qint64 from = partial_.now();
        answer(view, run, std::max(1, known->second->row.workers));
        partial_.spent(partial_.now() - from);
    }
    answeredSpans_ = spans;
    answeredLive_ = live;
    answeredWidth_ = width;
    fresh_.end();
    if (!complete_) ask();
    // An ended run is drawn again only if the width changes, so its spans are released.
    if (complete_ && !live) spans_.reset(run.toStdString(), known->second->row.workers);
    return {};
}

// For hundreds of ranks all boxes take a hundred megabytes, while the picture takes one.
void OverviewQuery::answer(const TimelineView& view, const QString& run, int workers) {
    auto picture = std::make_shared<OverviewPicture>(makeOverview(view.range, view.nsPerPixel));
    picture->runId = run.toStdString();
    picture->complete = complete_;
    TimelineView part = view;
    for (int rank = 0; rank < std::max(workers, picture->ranks); rank += kRanksAtOnce) {
        part.places = {rank, rank + kRanksAtOnce - 1};
        addTo(*picture, spans_.frame(part));
    }
    deliver([this, picture = OverviewPicturePtr(std::move(picture))] { emit arrived(picture); });
}

}  // namespace dasgd::gui
