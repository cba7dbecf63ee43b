// Searches all spans of a run for those that pass a filter. Parts whose level of detail shows that nothing in them can
// pass are skipped, so a search for rare spans reads little of a long run.
#pragma once

#include <optional>
#include <vector>

#include "gui/data/feed/live_query.h"
#include "gui/timeline/model/find/span_filter.h"

namespace dasgd::gui {

struct FoundSpans {
    static constexpr std::size_t kMost = 10'000;
    qint64 number = 0;            // number of the request
    std::vector<RankSpan> spans;  // ordered by start, then rank; at most kMost, the earliest
    qint64 found = 0;             // number of all matches
    bool capped() const { return static_cast<std::size_t>(found) > spans.size(); }
};

class FindQuery final : public LiveQuery {
    Q_OBJECT

public:
    FindQuery() : LiveQuery(Priority::Background) {}
    // Replaces any running search. Called on this object's thread.
    void request(qint64 number, const QString& run, const SpanFilter& filter);
    void cancel();
    Status refresh(LiveStore& store) override;

signals:
    // At most once per round of the feed, during a long search.
    void progressed(qint64 number, int percent);
    void arrived(const dasgd::gui::FoundSpans& found);

private:
    struct Search {
        qint64 number = 0;
        std::string runId;
        SpanFilter filter;
        std::vector<storage::SpanPart> parts;  // not searched yet
        std::int64_t rows = 0, seen = 0;
        bool begun = false;  // `parts` are the roots of the run
        FoundSpans found;    // during the search a heap with the latest on top
    };
    Status startOver(storage::SpanReader& reader);
    Status look(storage::SpanReader& reader, const storage::SpanPart& part);
    Status lookAtRows(storage::SpanReader& reader, const storage::SpanPart& part);
    void keep(const RankSpan& span);

    Wishes<std::optional<Search>> wanted_{this};
    std::optional<Search> search_;  // used on the reader's thread only
};

}  // namespace dasgd::gui
