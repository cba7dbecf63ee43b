// Names of the metrics that the drawn runs have recorded.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

// Number of drawn runs that recorded each metric.
struct RecordedMetrics {
    std::map<std::string, int> runs;
    int drawn = 0;
    bool operator==(const RecordedMetrics&) const = default;
};

// Delivers when the answer has changed.
class MetricNamesQuery final : public LiveQuery {
    Q_OBJECT

public:
    MetricNamesQuery() : LiveQuery(Priority::Background) {}
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::RecordedMetrics& recorded);

private:
    struct Known {
        std::vector<std::string> names;
        bool complete = false;  // the run had ended when its names were read
        std::int64_t watchedSince = -1;
    };

    Freshness fresh_{1000, 20};
    std::map<QString, Known> known_;
    RecordedMetrics delivered_;
    Watch watch_;
};

}  // namespace dasgd::gui
