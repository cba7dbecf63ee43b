// Delivers new points of the wanted metrics of the watched runs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

// New points of one metric of one run, in order of arrival.
struct MetricBatch {
    QString runId;
    std::string name;
    std::vector<storage::MetricSample> samples;
};

// A newly watched run is delivered from its first record.
class MetricsQuery final : public LiveQuery {
    Q_OBJECT

public:
    MetricsQuery() : LiveQuery(Priority::Records) {}
    // Adds the metric to the wanted ones.
    void want(const std::string& name);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::MetricBatch& batch);

private:
    struct Cursor {
        std::int64_t lastRowid = 0;
        bool complete = false;  // the run had ended when all was read
        std::int64_t watchedSince = 0;
    };
    using Key = std::pair<QString, std::string>;

    Status read(LiveStore& store, const Key& key, Cursor& cursor);

    Wishes<std::set<std::string>> wanted_{this};
    std::map<Key, Cursor> cursors_;
    Freshness fresh_{150, 50, 2000};
    Watch watch_;
};

}  // namespace dasgd::gui
