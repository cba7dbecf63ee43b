// The configurations of a comparison: runs that differ in nothing but their seeds, one group each. No widget, no store.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gui/models/runs/run_item.h"
#include "gui/models/runs/style_book.h"

namespace dasgd::gui {

// Which runs of a group are in its means.
enum class Members {
    Finished,      // those that finished; of a group without one, all as far as all go
    AsFarAsAll,    // all that began, up to the step that all of them reached
    FinishedOnly,  // those that finished; a group without one has no number
};

// Of runs of one configuration: ids of those whose seeds another of them has too, of which the newest counts, a
// finished one before the others: the same run made twice is no repetition.
[[nodiscard]] std::set<std::string> repeatedOf(std::span<const RunItemPtr> runs);
// Of those the ones that the run that counts went on from: they were not made twice, its record has theirs.
[[nodiscard]] std::set<std::string> earlierPartsOf(std::span<const RunItemPtr> runs);

struct CompareGroup {
    std::string key;  // configurationKey()
    QString name;     // tells it from the other groups
    CurveStyle style;
    std::vector<RunItemPtr> runs;    // by their seeds
    std::set<std::string> repeated;  // repeatedOf()
    std::set<std::string> parts;     // earlierPartsOf()

    // Finished runs that count, those of the table.
    [[nodiscard]] std::size_t finished() const;
    [[nodiscard]] bool counts(const RunItem& run) const { return !repeated.contains(run.row.runId); }
    // Another run of its seeds counts instead, and does not go on from it.
    [[nodiscard]] bool wasMadeAgain(const RunItem& run) const { return !counts(run) && !parts.contains(run.row.runId); }
    // Whether the run is in the means.
    [[nodiscard]] bool takes(const RunItem& run, Members members) const;
    // How many are.
    [[nodiscard]] std::size_t taken(Members members) const;
    [[nodiscard]] bool simulated() const;
    // A finished run that counts ended with a loss that is NaN.
    [[nodiscard]] bool diverged() const;
    // "measured", "simulated", "measured, link emulated".
    [[nodiscard]] QString origin() const;
    // Without earlier parts of others.
    [[nodiscard]] std::size_t trainings() const { return runs.size() - parts.size(); }
    // "5", "4 of 5", "0 of 3": how many finished ones count, of all trainings.
    [[nodiscard]] QString count() const;
};

// In the order of the first run of each, as `dasgd compare` has them. Two groups never share colour, dash and marker,
// as long as there are that many.
[[nodiscard]] std::vector<CompareGroup> compareGroups(std::span<const RunItemPtr> runs,
                                                      const std::function<CurveStyle(const RunItem&)>& styleOf);

// A line for each run that did not finish: "dasgd d 3, seed 4 failed at step 3 120 of 5 600".
[[nodiscard]] QStringList unfinishedInWords(const std::vector<CompareGroup>& groups, Members members);
// A line for each run that was made again: "dasgd d 3, seed 4 was run again …".
[[nodiscard]] QStringList madeAgainInWords(const std::vector<CompareGroup>& groups);
// The same in one: how many, where they are several; "" without any.
[[nodiscard]] QString repeatedInWords(const std::vector<CompareGroup>& groups);
// Both: whatever is in no mean, or not whole.
[[nodiscard]] QStringList leftOut(const std::vector<CompareGroup>& groups, Members members);
// Those of which leftOut() speaks, in its order.
[[nodiscard]] std::vector<RunItemPtr> runsLeftOut(const std::vector<CompareGroup>& groups, Members members);
// Whether Members::Finished takes a run that did not finish: of a group in which none did.
[[nodiscard]] bool drawsUnfinished(const std::vector<CompareGroup>& groups);
// Whether Members::AsFarAsAll takes a run that Members::Finished leaves out.
[[nodiscard]] bool anyGoesPartOfTheWay(const std::vector<CompareGroup>& groups);

// Keys of the configuration that have more than one value among the groups, the algorithm's name first.
[[nodiscard]] std::vector<std::string> sweptKeys(const std::vector<CompareGroup>& groups);

// Rows and columns of a map: two of them, those of the algorithm first, the algorithm itself only where there is no
// other. "" where there are fewer.
struct MapKeys {
    std::string rows, columns;
};
[[nodiscard]] MapKeys mapKeys(const std::vector<CompareGroup>& groups);

}  // namespace dasgd::gui
