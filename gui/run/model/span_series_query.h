// Throughput, hidden, blocked and skew of the watched run over its course, computed from its spans: for each rank and
// for all of them, live or ended, timed or not.
#pragma once

#include <map>
#include <optional>

#include "gui/data/curves/span_curve.h"
#include "gui/run/model/rank_series_query.h"

namespace dasgd::gui {

class SpanSeriesQuery final : public LiveQuery {
    Q_OBJECT

public:
    SpanSeriesQuery() : LiveQuery(Priority::Background) {}
    // `name`: one of kSpanCurves. It is computed until release() was called as often as want(); each want() delivers
    // it.
    void want(const std::string& name);
    void release(const std::string& name);
    Status refresh(LiveStore& store) override;

signals:
    // Delivers the whole curve each time, as the points of a live run become wider. Rank −1 stands for all ranks.
    void arrived(const dasgd::gui::RankBatch& batch);

private:
    // Reads on for about 40 ms; false: there is more to read.
    Result<bool> read(storage::SpanReader& reader, const RunItem& run, TimeRange extent);
    void tell(const RunItem& run, const std::vector<std::string>& names);

    Wishes<std::map<std::string, int>> wished_{this};  // holders by name
    Freshness fresh_{1000, 50};
    std::optional<SpanSlices> slices_;
    bool reading_ = false;
    bool live_ = true;  // state of the run when it was read last
};

}  // namespace dasgd::gui
