#include "gui/timeline/model/find/span_finder.h"

#include <algorithm>

#include "gui/data/spans/timeline_rows.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr Ns kHair = 200;        // a span shorter than the window divided by this is too thin to see
constexpr Ns kWindowOfSpan = 8;  // length of a new window, in lengths of the span

}  // namespace

TimeRange windowAround(TimeRange span, TimeRange window) {
    const Ns length = span.end - span.start;
    Ns width = window.end - window.start;
    const bool fits = length <= width * 4 / 5 && length >= width / kHair;
    if (!fits) width = std::max(kWindowOfSpan * length, TimeSelection::kNarrowest);
    const bool seen = fits && span.start >= window.start + width / 20 && span.end <= window.end - width / 20;
    if (seen) return window;
    const Ns start = span.start + length / 2 - width / 2;
    return {start, start + width};
}

QString ordinal(qint64 number) {
    const qint64 ten = number % 10, hundred = number % 100;
    const bool teens = hundred >= 11 && hundred <= 13;
    const char* ending = "th";
    if (!teens && ten == 1) ending = "st";
    if (!teens && ten == 2) ending = "nd";
    if (!teens && ten == 3) ending = "rd";
    return grouped(number) + QLatin1String(ending);
}

SpanFinder::SpanFinder(Session& session, QObject* parent)
    : QObject(parent), session_(session), query_(session.feed().query<FindQuery>()) {
    connect(&session_, &Session::currentChanged, this, &SpanFinder::clear);
    connect(&query_, &FindQuery::progressed, this, [this](qint64 number, int percent) {
        if (number != number_ || !percent_) return;
        percent_ = percent;
        emit changed();
    });
    connect(&query_, &FindQuery::arrived, this, &SpanFinder::take);
}

void SpanFinder::clear() {
    query_.cancel();
    ++number_;
    text_.clear();
    error_.reset();
    percent_.reset();
    found_.reset();
    if (shown_) {
        shown_.reset();
        emit shownChanged();
    }
    emit changed();
}

void SpanFinder::find(const QString& text, int direction) {
    direction_ = direction;
    if (text == text_ && percent_) return;
    // A live run has recorded spans since the search.
    const bool older = session_.pulse().runId == session_.currentId() && session_.pulse().spans > spans_;
    if (text == text_ && found_ && (!older || place_ + 1 < found_->spans.size())) {
        const std::size_t count = found_->spans.size();
        if (count > 0) show(direction > 0 ? (place_ + 1) % count : (place_ + count - 1) % count);
        return;
    }
    clear();
    const auto filter = SpanFilter::parse(text);
    if (!filter) {
        error_ = filter.error();
    } else if (!session_.currentId().isEmpty()) {
        text_ = text;
        percent_ = 0;
        spans_ = session_.pulse().spans;
        query_.request(number_, session_.currentId(), *filter);
    }
    emit changed();
}

std::size_t SpanFinder::placeFromWindow() const {
    const TimeRange window = session_.selection().window();
    const std::vector<RankSpan>& spans = found_->spans;
    const Ns from = direction_ > 0 ? window.start : window.end;
    const auto after = std::ranges::lower_bound(spans, from, {}, [](const RankSpan& one) { return one.span.start; });
    const auto place = static_cast<std::size_t>(after - spans.begin());
    if (direction_ > 0) return place == spans.size() ? 0 : place;
    return place == 0 ? spans.size() - 1 : place - 1;
}

void SpanFinder::take(const FoundSpans& found) {
    if (found.number != number_ || !percent_) return;
    percent_.reset();
    found_ = found;
    if (found.spans.empty()) return emit changed();
    show(placeFromWindow());
}

void SpanFinder::show(std::size_t place) {
    place_ = place;
    shown_ = found_->spans[place];
    TimelineRows& rows = session_.timelineRows();
    rows.setShown(shown_->span.kind, true);
    rows.reveal(shown_->rank);
    const TimeRange window = session_.selection().window();
    session_.selection().setWindow(windowAround({shown_->span.start, shown_->span.end}, window));
    emit shownChanged();
    emit changed();
}

QString SpanFinder::words() const {
    if (percent_) return *percent_ > 0 ? tr("searching … %1 %").arg(*percent_) : tr("searching …");
    if (!found_) return {};
    if (found_->spans.empty()) return tr("nothing found");
    const QString shown = ordinal(static_cast<qint64>(place_) + 1);
    if (!found_->capped()) return tr("%1 found, %2 shown").arg(grouped(found_->found), shown);
    return tr("%1 found, %2 of the first %3 shown; later ones are not listed")
        .arg(grouped(found_->found), shown, grouped(static_cast<qint64>(found_->spans.size())));
}

}  // namespace dasgd::gui
