// The records of metrics of the watched run for each rank; Session::series() has the mean over ranks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

struct RankBatch {
    QString runId;
    std::string name;
    bool first = false;  // discard what was delivered of this metric before
    std::vector<storage::MetricSample> samples;
};

class RankSeriesQuery final : public LiveQuery {
    Q_OBJECT

public:
    RankSeriesQuery() : LiveQuery(Priority::Drawing) {}
    // The metric is read until release() was called as often as want(); each want() delivers it from the first record.
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

    Wishes<std::map<std::string, Wish>> wished_{this};
    std::map<std::string, Cursor> cursors_;
};

}  // namespace dasgd::gui
