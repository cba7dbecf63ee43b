// The time selection shared by all views of a run in a window: visible range, marked range, pointer. Every view reads
// and changes this object, so they stay together. UI thread only; instants are on the run's time axis.
#pragma once

#include <QObject>
#include <optional>

#include "core/analysis/spans/overlap.h"

namespace dasgd::gui {

class TimeSelection : public QObject {
    Q_OBJECT

public:
    static constexpr Ns kNarrowest = 1'000;  // ns; the narrowest window

    using QObject::QObject;

    [[nodiscard]] TimeRange window() const { return window_; }
    [[nodiscard]] TimeRange extent() const { return extent_; }
    [[nodiscard]] std::optional<TimeRange> marked() const { return marked_; }
    // Instant under the pointer, in any view of the run; nullopt if it is in none.
    [[nodiscard]] std::optional<Ns> cursor() const { return cursor_; }
    [[nodiscard]] bool following() const { return following_; }

    // For a newly chosen run: resets everything. `follow`: follows its live edge.
    void reset(bool follow);
    // Sets the range of the data. While following, the window moves with its end.
    void setExtent(TimeRange extent);
    // Call when the run has ended; `extent`, which may be empty, is the range of its data. Ends following. A window
    // that followed and is longer than the run shows all of it; one set by hand is kept.
    void finish(TimeRange extent);
    // Shows `window`, limited to at least kNarrowest and at most twice the extent; ends following.
    void setWindow(TimeRange window);
    void zoom(Ns at, double factor);  // factor < 1 zooms in; `at` keeps its place
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
    bool fitted_ = false;  // the window shows the whole extent, and grows with it
};

}  // namespace dasgd::gui
