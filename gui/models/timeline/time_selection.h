// The one time selection of a window: what the timeline shows, what is marked in it, where the pointer is. Every view
// of a run reads and moves this object, so they stay together. UI thread only; instants of the run's time line.
#pragma once

#include <QObject>
#include <optional>

#include "core/analysis/overlap.h"

namespace dasgd::gui {

class TimeSelection : public QObject {
    Q_OBJECT

public:
    static constexpr Ns kNarrowest = 1'000;  // 1 µs: below that there is nothing to see

    using QObject::QObject;

    [[nodiscard]] TimeRange window() const { return window_; }
    [[nodiscard]] TimeRange extent() const { return extent_; }
    [[nodiscard]] std::optional<TimeRange> marked() const { return marked_; }
    // Where the pointer is, in whichever view of the run; nullopt where it is in none.
    [[nodiscard]] std::optional<Ns> cursor() const { return cursor_; }
    [[nodiscard]] bool following() const { return following_; }

    // A run is chosen: forget everything; follow where it is live.
    void reset(bool follow);
    // The data now reach over `extent`. While following, the window moves with its end.
    void setExtent(TimeRange extent);
    // The run has ended, its data reach over `extent`, which may be empty: ends following. A window that followed and
    // is longer than the run shows all of it; one that was set by hand stays.
    void finish(TimeRange extent);
    // Shows `window`, no narrower than kNarrowest and no further out than twice the extent; ends following.
    void setWindow(TimeRange window);
    void zoom(Ns at, double factor);  // factor < 1 looks closer; `at` stays where it is
    void pan(Ns by);
    void fit();
    void setFollowing(bool follow);
    void mark(std::optional<TimeRange> range);
    void setCursor(std::optional<Ns> at);

signals:
    void windowChanged(dasgd::TimeRange window);
    void markedChanged();
    void cursorMoved();
    void followingChanged(bool following);

private:
    void show(TimeRange window);

    TimeRange window_{0, 600'000'000};
    TimeRange extent_{};
    std::optional<TimeRange> marked_;
    std::optional<Ns> cursor_;
    bool following_ = false;
    bool fitted_ = false;  // the window is the whole extent, and grows with it
};

}  // namespace dasgd::gui
