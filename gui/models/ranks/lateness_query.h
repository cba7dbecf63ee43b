// How late each rank of the watched run comes to the averages: of all of them, or of the newest where they are many.
#pragma once

#include <mutex>
#include <optional>
#include <set>

#include "core/analysis/lateness.h"
#include "gui/models/live/live_query.h"
#include "storage/lateness_spans.h"

namespace dasgd::gui {

struct LatenessAnswer {
    QString runId;
    std::optional<Lateness> lateness;  // absent: too few averages
    bool newestOnly = false;           // older averages were not read
    double clockErrorNs = 0;           // bound on the clocks of the hosts, part of the noise
};

class LatenessQuery final : public LiveQuery {
    Q_OBJECT

public:
    LatenessQuery() : LiveQuery(Priority::Background) {}
    // Nothing is read while nobody shows it. Who comes later is told what is known already.
    void want(const void* viewer);
    void release(const void* viewer);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::LatenessAnswer& answer);

private:
    // Reads on for some 40 ms; false: there is more to read.
    Result<bool> read(storage::RunReader& reader);
    void tell(const LatenessAnswer& answer);

    // The largest bound that a rank has recorded of its clock; none on one host.
    Status readClocks(storage::RunReader& reader, const std::string& run);

    std::mutex mutex_;
    std::set<const void*> viewers_;  // guarded by mutex_
    bool wantedAnew_ = false;        // guarded by mutex_
    std::optional<LatenessAnswer> told_;

    RefreshInterval interval_{3'000, 200};
    std::int64_t watchedSince_ = -1, revision_ = -1;
    std::int64_t clocksRead_ = 0;
    double clockErrorS_ = 0;
    bool reading_ = false;
    storage::LatenessSpans spans_;
    qint64 spent_ = 0;  // ms, on the parts that are read
};

}  // namespace dasgd::gui
