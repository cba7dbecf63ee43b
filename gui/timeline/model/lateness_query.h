// Lateness of each rank of the watched run at the averages: over all of them, or the newest if there are many.
#pragma once

#include <optional>
#include <set>

#include "core/analysis/spans/lateness.h"
#include "gui/data/feed/live_query.h"
#include "storage/read/lateness_spans.h"

namespace dasgd::gui {

struct LatenessAnswer {
    QString runId;
    std::optional<Lateness> lateness;  // absent if there are too few averages
    bool newestOnly = false;           // older averages were not read
    double clockErrorNs = 0;           // bound on the difference of the hosts' clocks, part of the noise
};

class LatenessQuery final : public LiveQuery {
    Q_OBJECT

public:
    LatenessQuery() : LiveQuery(Priority::Background) {}
    // Nothing is read while no viewer wants it. A later viewer first receives the last answer.
    void want(const void* viewer);
    void release(const void* viewer);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::LatenessAnswer& answer);

private:
    // Reads on for about 40 ms; false: there is more to read.
    Result<bool> read(storage::SpanReader& reader);
    void tell(const LatenessAnswer& answer);

    // Reads the largest clock error that a rank has recorded; none on one host.
    Status readClocks(storage::MetricReader& reader, const std::string& run);

    Wishes<std::set<const void*>> viewers_{this};
    std::optional<LatenessAnswer> told_;

    Freshness fresh_{3'000, 200};
    std::int64_t clocksRead_ = 0;
    double clockErrorS_ = 0;
    bool reading_ = false;
    storage::LatenessSpans spans_;
};

}  // namespace dasgd::gui
