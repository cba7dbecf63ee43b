// The curves and the table of a comparison, formed on the reader's thread: whatever grows with the number of records is
// read and averaged there, one run at a time.
#pragma once

#include <QStringList>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/comparison.h"
#include "gui/models/compare/group_curve.h"
#include "gui/models/live/live_query.h"

namespace dasgd::gui {

// A metric over an axis.
struct CompareCurveKey {
    std::string metric;
    XAxis axis = XAxis::Step;
    double smoothing = 0;  // weight of the moving average, of each run, before the mean
    auto operator<=>(const CompareCurveKey&) const = default;
};

struct CompareRequest {
    std::vector<CompareGroup> groups;
    std::vector<CompareCurveKey> curves;
    Members members = Members::Finished;
    std::string baseline;  // key of a group; "", or of none of them: as `dasgd compare` chooses it
    std::optional<Target> target;
    bool table = true;  // off: the curves alone
};

struct CompareCurve {
    CompareCurveKey key;
    std::string group;
    std::shared_ptr<const GroupCurve> curve;
};

struct Compared {
    Comparison comparison;          // its groups are those of the request, in their order
    std::vector<std::string> keys;  // of its groups
    std::optional<Target> target;   // that `secondsToTarget` is of
    QString error;                  // where the baseline is none; the comparison is that of the default one then
    std::map<std::string, double> secondsToTarget;  // by run
};

// What is live waits no longer than that.
inline constexpr qint64 kCompareBudgetMs = 30;
// So many runs of a comparison are asked for the names of their metrics.
inline constexpr std::size_t kMostNamedRuns = 1000;
// "Of the first 1 000 of 1 200 runs"; "" where all are asked.
[[nodiscard]] QString namedInWords(std::size_t runs);

class CompareQuery : public LiveQuery {
    Q_OBJECT

public:
    // `budgetMs`: of a refresh; of what is compared, one run is read in each even so.
    explicit CompareQuery(qint64 budgetMs = kCompareBudgetMs) : LiveQuery(Priority::Background), budgetMs_(budgetMs) {}
    // Replaces the request before. What was delivered and has not changed since is not delivered again.
    void request(CompareRequest request);
    // What was delivered is no longer kept by the one who asked.
    void forget();
    Status refresh(LiveStore& store) override;

signals:
    void curveArrived(const dasgd::gui::CompareCurve& curve);
    void compared(const std::shared_ptr<const dasgd::gui::Compared>& compared);
    // Metrics that any of the runs has (kMostNamedRuns), and how many curves are still to be formed.
    void metricsArrived(const std::vector<std::string>& metrics);
    void progress(int left);

private:
    using Delivered = std::map<std::pair<CompareCurveKey, std::string>, std::string>;
    struct Job {
        CompareCurveKey key;
        std::string group, signature;
        std::vector<RunItemPtr> runs;
        std::vector<GroupMember> members;  // read so far
        bool recorded = false;             // one of them has records
        bool clocked = false;              // and tells how long it has trained
    };

    void take();
    [[nodiscard]] std::optional<Job> nextJob() const;
    Status work(LiveStore& store, Job& job);
    Status compare(LiveStore& store);
    // Whether all runs are there.
    Result<bool> readCompared(LiveStore& store);
    Status readNames(LiveStore& store);
    [[nodiscard]] std::string signatureOf(const CompareGroup& group) const;

    const qint64 budgetMs_;
    std::mutex mutex_;
    std::optional<CompareRequest> asked_;  // guarded by mutex_
    bool forget_ = false;                  // guarded by mutex_

    CompareRequest request_;
    Delivered delivered_;
    std::optional<Job> job_;
    std::map<std::string, ComparedRun> compared_;  // by run; those that had not finished until the next request
    std::optional<Target> comparedTarget_;
    bool compareDue_ = false;
    std::map<std::string, std::vector<std::string>> names_;  // by run
    std::set<std::string> growing_;                          // runs that were live when their names were read
    bool namesDue_ = false;
    std::set<std::string> reported_;
};

}  // namespace dasgd::gui
