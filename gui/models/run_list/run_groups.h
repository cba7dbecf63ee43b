// Runs that belong together under one row: those that one command makes, or those with one value of a setting.
#pragma once

#include <QHash>
#include <QSet>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "gui/models/filter/run_field.h"
#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

struct RunGroup {
    QString key;    // unique among the groups of a list
    QString title;  // "delay-sweep", "algorithm.delay = 3"
    bool open = false;
    std::vector<RunItemPtr> runs;  // in the order of the list
    std::int64_t planned = 0;      // how many there are to be, hidden ones too; 0: not known
    std::int64_t hidden = 0;       // how many more are in the workspace and not in the list

    // How many runs have this status, or are "held".
    [[nodiscard]] int count(const char* status) const;
    [[nodiscard]] bool isLive() const;
    // Seconds until the last run of a series ends, at `nowMs` since 1970: by the time from the start of the series to
    // that of its present run, so that whatever a run takes besides its steps counts. nullopt before one has ended,
    // where one did not finish or is held, where the runs have not all as many workers, where some are hidden, and
    // where the present one takes twice as long as the others.
    [[nodiscard]] std::optional<double> secondsLeft(qint64 nowMs) const;
    // "3 of 9 finished, 1 running, 5 queued, 4:10 left"; of what the filter leaves, "2 of 9 shown: 2 finished".
    [[nodiscard]] QString inWords(qint64 nowMs) const;
    bool operator==(const RunGroup&) const = default;
};

using RunGroupPtr = std::shared_ptr<const RunGroup>;

// A row of the list: a run, or the group that the rows below it belong to.
struct ListRow {
    RunItemPtr run;
    RunGroupPtr group;  // of a run: the one that it is in, if any
    [[nodiscard]] bool isGroup() const { return run == nullptr; }
    // The same run, or the group of the same key.
    [[nodiscard]] bool isSame(const ListRow& other) const;
};
using ListRows = std::vector<ListRow>;

// Which groups show their runs: those of the keys, or all but those.
struct OpenGroups {
    QSet<QString> keys;
    bool allBut = false;
    [[nodiscard]] bool has(const QString& key) const { return keys.contains(key) != allBut; }
};

// How a list is grouped.
class Grouping {
public:
    // No groups.
    Grouping() = default;
    // Runs of one command; a run of its own is in no group.
    [[nodiscard]] static Grouping bySeries();
    // Runs with the same value.
    [[nodiscard]] static Grouping byField(RunField field);

    [[nodiscard]] explicit operator bool() const { return kind_ != Kind::None; }
    // "": none; "series"; else the name of the field.
    [[nodiscard]] QString name() const;

    // What chooses the runs of a group in a filter: its value, or of a series the experiment, which may have others.
    [[nodiscard]] QString filterOf(const RunGroup& group) const;

    // The rows of `runs`, which are sorted: a group stands where the first of its runs would, with all of its runs
    // below it where it is open. `all`: they and those that are hidden.
    [[nodiscard]] ListRows rows(const std::vector<RunItemPtr>& runs, const OpenGroups& open,
                                const std::vector<RunItemPtr>& all) const;

private:
    enum class Kind { None, Series, Field };
    using Groups = QHash<QString, std::shared_ptr<RunGroup>>;  // by key
    void countHidden(const Groups& groups, const std::vector<RunItemPtr>& all) const;
    [[nodiscard]] QString keyOf(const RunItem& run) const;
    [[nodiscard]] QString titleOf(const RunItem& run) const;

    Kind kind_ = Kind::None;
    RunField field_;
};

}  // namespace dasgd::gui
