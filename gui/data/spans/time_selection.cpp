#include "gui/data/spans/time_selection.h"

#include <algorithm>
#include <cmath>

namespace dasgd::gui {

namespace {
constexpr Ns kFirstWidth = 600'000'000;

bool same(TimeRange a, TimeRange b) { return a.start == b.start && a.end == b.end; }
}  // namespace

void TimeSelection::reset(bool follow) {
    extent_ = {};
    marked_.reset();
    fitted_ = false;
    show({0, kFirstWidth});
    emit markedChanged();
    setCursor(std::nullopt);
    setFollowing(follow);
}

void TimeSelection::setExtent(TimeRange extent) {
    const bool first = extent_.end <= extent_.start;
    extent_ = extent;
    const Ns width = window_.end - window_.start;
    if (following_) {
        const Ns end = std::max(extent.end, extent.start + width);
        show({end - width, end});
    } else if (fitted_) {
        show(extent);
    } else if (first) {
        // The middle is shown first, as start and end are rarely typical. A shorter run is shown whole.
        const Ns all = extent.end - extent.start;
        const Ns shown = all > 0 ? std::min(kFirstWidth, all) : kFirstWidth;
        const Ns start = extent.start + std::max<Ns>(0, all - shown) / 2;
        show({start, start + shown});
    }
}

void TimeSelection::finish(TimeRange extent) {
    const bool followed = following_;
    if (extent.end > extent.start) setExtent(extent);
    setFollowing(false);
    // Marked as fitted, as the last spans may arrive after the end of the run is known.
    if (followed && extent.end > extent.start && window_.end - window_.start > extent.end - extent.start) fit();
}

void TimeSelection::setWindow(TimeRange window) {
    setFollowing(false);
    fitted_ = false;
    show(window);
}

void TimeSelection::zoom(Ns at, double factor) {
    const auto scaled = [at, factor](Ns t) {
        return at + static_cast<Ns>(std::llround(static_cast<double>(t - at) * factor));
    };
    fitted_ = false;
    if (following_) {
        // While following, the live edge is kept in view.
        const Ns width =
            std::max(kNarrowest, static_cast<Ns>(static_cast<double>(window_.end - window_.start) * factor));
        show({window_.end - width, window_.end});
        return;
    }
    show({scaled(window_.start), scaled(window_.end)});
}

void TimeSelection::pan(Ns by) { setWindow({window_.start + by, window_.end + by}); }

void TimeSelection::fit() {
    setFollowing(false);
    fitted_ = true;
    if (extent_.end > extent_.start) show(extent_);
}

void TimeSelection::setFollowing(bool follow) {
    if (follow == following_) return;
    following_ = follow;
    if (follow) {
        fitted_ = false;
        setExtent(extent_);
    }
    emit followingChanged(follow);
}

void TimeSelection::mark(std::optional<TimeRange> range) {
    if (range && range->end < range->start) std::swap(range->start, range->end);
    marked_ = range;
    emit markedChanged();
}

void TimeSelection::setCursor(std::optional<Ns> at) {
    if (at == cursor_) return;
    cursor_ = at;
    emit cursorMoved();
}

void TimeSelection::show(TimeRange window) {
    const Ns widest = std::max(kFirstWidth, 2 * (extent_.end - extent_.start));
    const Ns width = std::clamp(window.end - window.start, kNarrowest, widest);
    if (width != window.end - window.start) {
        const Ns middle = window.start + (window.end - window.start) / 2;
        window = {middle - width / 2, middle - width / 2 + width};
    }
    if (extent_.end > extent_.start) {
        // A window outside the data is moved back to them.
        const Ns low = extent_.start - width * 9 / 10;
        const Ns high = extent_.end - width / 10;
        const Ns start = std::clamp(window.start, low, std::max(low, high));
        window = {start, start + width};
    }
    if (same(window, window_)) return;
    window_ = window;
    emit windowChanged(window_);
}

}  // namespace dasgd::gui
