// The groups of a comparison, one per configuration: runs that differ only in their seeds. Needs no widget, no store.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gui/data/runs/run_item.h"
#include "gui/data/runs/style_book.h"

namespace dasgd::gui {

// Choice of the runs of a group that enter its means.
enum class Members {
    Finished,      // those that finished; if none did, all of them up to their last common step
    AsFarAsAll,    // all that began, up to their last common step
    FinishedOnly,  // those that finished; a group without any has no result
};

// `runs` have one configuration. Ids of runs whose seeds another run has too: only the newest counts, finished runs
// before others, as the same run made twice is no repetition.
[[nodiscard]] std::set<std::string> repeatedOf(std::span<const RunItemPtr> runs);
// The ids in repeatedOf() of runs that the counted run resumed: its record contains theirs.
[[nodiscard]] std::set<std::string> earlierPartsOf(std::span<const RunItemPtr> runs);

struct CompareGroup {
    std::string key;    // configurationKey()
    QString name;       // distinguishes it from the other groups
    QString usualName;  // its name by its settings, where a figure has given it another
    CurveStyle style;
    std::vector<RunItemPtr> runs;    // ordered by seeds
    std::set<std::string> repeated;  // repeatedOf()
    std::set<std::string> parts;     // earlierPartsOf()

    // Number of finished runs that count, as in the table.
    [[nodiscard]] std::size_t finished() const;
    [[nodiscard]] bool counts(const RunItem& run) const { return !repeated.contains(run.row.runId); }
    // Another run with the same seeds counts instead, and it did not resume this one.
    [[nodiscard]] bool wasMadeAgain(const RunItem& run) const { return !counts(run) && !parts.contains(run.row.runId); }
    // The run enters the means.
    [[nodiscard]] bool takes(const RunItem& run, Members members) const;
    // Number of runs that enter the means.
    [[nodiscard]] std::size_t taken(Members members) const;
    [[nodiscard]] bool simulated() const;
    // A finished run that counts has a final loss of NaN.
    [[nodiscard]] bool diverged() const;
    // "measured", "simulated", "measured, link emulated".
    [[nodiscard]] QString origin() const;
    // Number of runs, without those that another one resumed.
    [[nodiscard]] std::size_t trainings() const { return runs.size() - parts.size(); }
    // "5", "4 of 5", "0 of 3": finished runs that count, of all trainings().
    [[nodiscard]] QString count() const;
};

// Ordered by the first run of each, as in `dasgd compare`. No two groups have the same colour, dash and marker while
// there are enough combinations.
[[nodiscard]] std::vector<CompareGroup> compareGroups(std::span<const RunItemPtr> runs,
                                                      const std::function<CurveStyle(const RunItem&)>& styleOf);

// A run that is in no mean of its group, or only in part.
struct LeftOutRun {
    const CompareGroup* group = nullptr;
    RunItemPtr run;
    bool isMadeAgain = false;  // another run has its seeds; else it did not finish
    bool isTaken = false;      // as far as all of its seeds go
    // "seed 4 failed at step 3 120 of 5 600, left out".
    [[nodiscard]] QString inWords() const;
};
// Those that did not finish come first. `groups` must outlive the answer.
[[nodiscard]] std::vector<LeftOutRun> runsLeftOut(std::span<const CompareGroup> groups, Members members);
// A line for each, with the group's name; one line with their number for several that were made again.
[[nodiscard]] QStringList leftOut(const std::vector<CompareGroup>& groups, Members members);
// The same for one group, without its name.
[[nodiscard]] QStringList leftOutOf(const CompareGroup& group, Members members);
// Members::AsFarAsAll takes a run that Members::Finished leaves out.
[[nodiscard]] bool anyGoesPartOfTheWay(const std::vector<CompareGroup>& groups);

// Keys of the configuration that have more than one value among the groups, the algorithm's name first.
[[nodiscard]] std::vector<std::string> sweptKeys(const std::vector<CompareGroup>& groups);

// Rows and columns of a map: two swept keys, those of the algorithm first; the algorithm's name only if there is no
// other key. "" where there are fewer.
struct MapKeys {
    std::string rows, columns;
};
[[nodiscard]] MapKeys mapKeys(const std::vector<CompareGroup>& groups);

}  // namespace dasgd::gui
