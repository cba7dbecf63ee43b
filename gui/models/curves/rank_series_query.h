// The records of a metric of the watched run, rank by rank: Session::series() has their mean.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gui/models/live/live_query.h"

namespace dasgd::gui {

struct RankBatch {
    QString runId;
    std::string name;
    bool first = false;  // what was delivered of this metric before is to be forgotten
    std::vector<storage::MetricSample> samples;
};

class RankSeriesQuery final : public LiveQuery {
    Q_OBJECT

public:
    RankSeriesQuery() : LiveQuery(Priority::Drawing) {}
    // Until it has been released as often, the metric is read; each call delivers it from the first record.
    void want(const std::string& name);
    void release(const std::string& name);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::RankBatch& batch);

private:
    struct Wish {
        int holders = 0;
        int version = 0;  // grows with each wish
    };
    struct Cursor {
        int version = -1;
        std::int64_t watchedSince = -1, revision = -1, lastRowid = 0;
    };

    std::mutex mutex_;
    std::map<std::string, Wish> wished_;  // guarded by mutex_

    std::map<std::string, Cursor> cursors_;
};

}  // namespace dasgd::gui
