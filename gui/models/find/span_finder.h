// The search of the Timeline page: what is asked for, what was found, which of them is shown. To show one moves the
// window, opens the group that its rank is drawn in and shows its kind. UI thread only.
#pragma once

#include <QObject>
#include <optional>

#include "gui/models/find/find_query.h"
#include "gui/models/live/session.h"

namespace dasgd::gui {

// Where `span` can be seen: `window` moved, no further than needed, and narrower or wider where the span would be a
// hair in it or stick out of it.
[[nodiscard]] TimeRange windowAround(TimeRange span, TimeRange window);
// "1st", "22nd", "113th"; thousands grouped.
[[nodiscard]] QString ordinal(qint64 number);

class SpanFinder : public QObject {
    Q_OBJECT

public:
    explicit SpanFinder(Session& session, QObject* parent = nullptr);

    // Goes to the next (1) or previous (−1) one that `text` finds; a text that was not searched for yet is searched for
    // first, and the first one at or after what is seen is shown, backwards the last one before its end.
    void find(const QString& text, int direction = 1);
    // Forgets all of it.
    void clear();

    [[nodiscard]] const std::optional<FilterError>& error() const { return error_; }
    // "37 found, 3rd shown", "searching … 40 %", "nothing found"; "" where nothing was asked for.
    [[nodiscard]] QString words() const;
    [[nodiscard]] const std::optional<RankSpan>& shown() const { return shown_; }

signals:
    // Words or error are others.
    void changed();
    void shownChanged();

private:
    void take(const FoundSpans& found);
    void show(std::size_t place);
    [[nodiscard]] std::size_t placeFromWindow() const;

    Session& session_;
    FindQuery& query_;
    QString text_;  // what was searched for
    qint64 number_ = 0;
    qint64 spans_ = 0;  // that the run had when it was searched
    int direction_ = 1;
    std::optional<int> percent_;  // while it is searched
    std::optional<FilterError> error_;
    std::optional<FoundSpans> found_;
    std::size_t place_ = 0;
    std::optional<RankSpan> shown_;
};

}  // namespace dasgd::gui
