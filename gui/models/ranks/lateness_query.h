// How late each rank of the watched run comes to the averages: of all of them, or of the newest where they are many.
#pragma once

#include <mutex>
#include <optional>
#include <set>

#include "core/analysis/lateness.h"
#include "gui/models/live/live_query.h"

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
    static constexpr std::size_t kMostSpans = 100'000;  // of the kinds that tell it, that are read

    LatenessQuery() : LiveQuery(Priority::Background) {}
    // Nothing is read while nobody shows it. Who comes later is told what is known already.
    void want(const void* viewer);
    void release(const void* viewer);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::LatenessAnswer& answer);

private:
    void startOver(TimeRange extent);
    // Reads on, from the newest to the oldest, for some 40 ms; false: there is more to read.
    Result<bool> read(storage::RunReader& reader, const std::string& run);
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
    TimeRange extent_;
    Ns next_ = 0;       // down to here it is read
    Ns slice_ = 0;      // is read at once
    qint64 spent_ = 0;  // ms, on the parts that are read
    std::vector<RankSpan> kept_;
};

}  // namespace dasgd::gui
