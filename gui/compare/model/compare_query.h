// Computes the curves and the table of a comparison on the reader's thread, one run at a time: all work that grows with
// the number of records is done there.
#pragma once

#include <QStringList>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/runs/comparison.h"
#include "gui/compare/model/group_curve.h"
#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

struct CompareRequest {
    std::vector<CompareGroup> groups;
    std::vector<CompareCurveKey> curves;
    Members members = Members::Finished;
    std::string baseline;  // key of a group; "" or an unknown key: the default of `dasgd compare`
    std::optional<Target> target;
    bool table = true;  // off: the curves alone
};

struct CompareCurve {
    CompareCurveKey key;
    std::string group;
    std::shared_ptr<const GroupCurve> curve;
};

struct Compared {
    Comparison comparison;                          // one entry per group, in their order
    std::vector<std::string> keys;                  // of the groups, in the same order
    std::optional<Target> target;                   // the target of `secondsToTarget`
    QString error;                                  // set if the baseline cannot be one; the default is used then
    std::map<std::string, double> secondsToTarget;  // by run
    std::vector<std::string> metrics;               // that any of the runs recorded
};
// The numbers of the groups. `read`: storage::readComparedRun() of each run, by id. `baseline`: key of a group; "" or
// an unknown key: the default of `dasgd compare`.
[[nodiscard]] Compared comparedOf(const std::vector<CompareGroup>& groups,
                                  const std::map<std::string, ComparedRun>& read, const std::optional<Target>& target,
                                  const std::string& baseline);

// Time limit of one refresh, so that live queries need not wait longer.
inline constexpr qint64 kCompareBudgetMs = 30;

class CompareQuery : public LiveQuery {
    Q_OBJECT

public:
    // `budgetMs`: time limit of a refresh; at least one run of the table is read in each.
    explicit CompareQuery(qint64 budgetMs = kCompareBudgetMs) : LiveQuery(Priority::Background), budgetMs_(budgetMs) {}
    // Replaces the former request. Results that were delivered and have not changed are not delivered again.
    void request(CompareRequest request);
    // The receiver no longer keeps what was delivered; everything requested is delivered again.
    void forget();
    Status refresh(LiveStore& store) override;

signals:
    void curveArrived(const dasgd::gui::CompareCurve& curve);
    void compared(const std::shared_ptr<const dasgd::gui::Compared>& compared);
    void progress(int left);  // number of curves still to compute

private:
    using Delivered = std::map<std::pair<CompareCurveKey, std::string>, std::string>;
    struct Job {
        CompareCurveKey key;
        std::string group, signature;
        std::vector<RunItemPtr> runs;
        std::vector<GroupMember> members;  // read so far, one per run
    };

    void take();
    [[nodiscard]] std::optional<Job> nextJob() const;
    Status work(LiveStore& store, Job& job);
    Status compare(LiveStore& store);
    // Reads within the time limit; true once all runs of the request are read.
    Result<bool> readCompared(LiveStore& store);
    [[nodiscard]] std::string signatureOf(const CompareGroup& group) const;

    const qint64 budgetMs_;
    struct Asked {
        std::optional<CompareRequest> request;
        bool forget = false;
    };
    Wishes<Asked> asked_{this};

    CompareRequest request_;
    Delivered delivered_;
    std::optional<Job> job_;
    std::map<std::string, ComparedRun> compared_;  // by run; unfinished ones are dropped at the next request
    std::optional<Target> comparedTarget_;
    bool compareDue_ = false;
    std::map<std::string, std::vector<std::string>> names_;  // of metrics, by run
};

}  // namespace dasgd::gui
