// The search of the Timeline page: its text, its matches and the match shown. Showing a match moves the window, opens
// the group that its rank is drawn in and makes its kind visible. UI thread only.
#pragma once

#include <QObject>
#include <optional>

#include "gui/data/session/session.h"
#include "gui/timeline/model/find/find_query.h"

namespace dasgd::gui {

// A window that shows `span`: `window`, moved no further than needed, and resized if the span would be too thin to see
// or would not fit.
[[nodiscard]] TimeRange windowAround(TimeRange span, TimeRange window);
// "1st", "22nd", "113th"; thousands are grouped.
[[nodiscard]] QString ordinal(qint64 number);

class SpanFinder : public QObject {
    Q_OBJECT

public:
    explicit SpanFinder(Session& session, QObject* parent = nullptr);

    // Shows the next (1) or previous (−1) match of `text`. A new text is searched for first; then the first match at or
    // after the start of the window is shown, or backwards the last one before its end.
    void find(const QString& text, int direction = 1);
    // Drops text and matches.
    void clear();

    [[nodiscard]] const std::optional<FilterError>& error() const { return error_; }
    // "37 found, 3rd shown", "searching … 40 %", "nothing found"; "" without a search.
    [[nodiscard]] QString words() const;
    [[nodiscard]] const std::optional<RankSpan>& shown() const { return shown_; }

signals:
    // words() or error() changed.
    void changed();
    void shownChanged();

private:
    void take(const FoundSpans& found);
    void show(std::size_t place);
    [[nodiscard]] std::size_t placeFromWindow() const;

    Session& session_;
    FindQuery& query_;
    QString text_;  // text of the last search
    qint64 number_ = 0;
    qint64 spans_ = 0;  // number of spans of the run when it was searched
    int direction_ = 1;
    std::optional<int> percent_;  // progress of a running search
    std::optional<FilterError> error_;
    std::optional<FoundSpans> found_;
    std::size_t place_ = 0;
    std::optional<RankSpan> shown_;
};

}  // namespace dasgd::gui
