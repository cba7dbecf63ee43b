// Looks through all spans of a run for those that pass a filter. Parts whose level of detail says that nothing in them
// can pass are left out, so a search for what is rare reads little of a long run.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "gui/models/find/span_filter.h"
#include "gui/models/live/live_query.h"

namespace dasgd::gui {

struct FoundSpans {
    static constexpr std::size_t kMost = 10'000;
    qint64 number = 0;            // of the request
    std::vector<RankSpan> spans;  // by start, then rank; of more than kMost the first
    qint64 found = 0;             // all of them
    bool capped() const { return static_cast<std::size_t>(found) > spans.size(); }
};

class FindQuery final : public LiveQuery {
    Q_OBJECT

public:
    FindQuery() : LiveQuery(Priority::Background) {}
    // The latest request counts; what is being looked for is given up. Thread of this object.
    void request(qint64 number, const QString& run, const SpanFilter& filter);
    void cancel();
    Status refresh(LiveStore& store) override;

signals:
    // At most once a round of the feed, while it takes longer.
    void progressed(qint64 number, int percent);
    void arrived(const dasgd::gui::FoundSpans& found);

private:
    struct Search {
        qint64 number = 0;
        std::string runId;
        SpanFilter filter;
        std::vector<storage::SpanPart> parts;  // yet to be looked through
        std::int64_t rows = 0, seen = 0;
        bool begun = false;  // `parts` are those of the run
        FoundSpans found;    // while it is searched a heap, the latest first
    };
    void begin();
    Status startOver(storage::RunReader& reader);
    Status look(storage::RunReader& reader, const storage::SpanPart& part);
    Status lookAtRows(storage::RunReader& reader, const storage::SpanPart& part);
    void keep(const RankSpan& span);

    std::mutex mutex_;
    std::optional<Search> wanted_;  // guarded by mutex_
    bool cancelled_ = false;        // guarded by mutex_
    // Reader's thread.
    std::optional<Search> search_;
};

}  // namespace dasgd::gui
