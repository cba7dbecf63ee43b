// Throughput, hidden, blocked and skew of the watched run over its course, formed from its spans: rank by rank and of
// all of them, while it runs as after its end, whether or not anything was timed.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "gui/models/curves/rank_series_query.h"
#include "gui/models/curves/span_curve.h"

namespace dasgd::gui {

class SpanSeriesQuery final : public LiveQuery {
    Q_OBJECT

public:
    SpanSeriesQuery() : LiveQuery(Priority::Background) {}
    // One of kSpanCurves. Until it has been released as often, it is formed; each call delivers it.
    void want(const std::string& name);
    void release(const std::string& name);
    Status refresh(LiveStore& store) override;

signals:
    // The whole curve each time, as points of a run that goes on become wider. Rank −1 is all of them.
    void arrived(const dasgd::gui::RankBatch& batch);

private:
    // Reads on for some 40 ms; false: there is more to read.
    Result<bool> read(storage::RunReader& reader, const RunItem& run, TimeRange extent);
    void tell(const RunItem& run, const std::vector<std::string>& names);

    std::mutex mutex_;
    std::map<std::string, int> wished_;  // holders; guarded by mutex_
    bool wishedAnew_ = false;            // guarded by mutex_

    RefreshInterval interval_{1000, 50};
    std::int64_t watchedSince_ = -1, revision_ = -1;
    std::optional<SpanSlices> slices_;
    bool reading_ = false;
    bool live_ = true;  // when it was read last
};

}  // namespace dasgd::gui
