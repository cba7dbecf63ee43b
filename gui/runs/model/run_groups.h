// Runs grouped under one row: those of one command, or those with the same value of a setting.
#pragma once

#include <QHash>
#include <QSet>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "gui/data/filter/run_field.h"
#include "gui/data/runs/run_item.h"
#include "gui/data/runs/run_table_model.h"

namespace dasgd::gui {

struct RunGroup {
    QString key;    // unique among the groups of a list
    QString title;  // "delay-sweep", "algorithm.delay = 3"
    bool open = false;
    std::vector<RunItemPtr> runs;  // in the order of the list
    std::int64_t planned = 0;      // number of runs planned, hidden ones too; 0: not known
    std::int64_t hidden = 0;       // number of runs in the workspace that the list does not show

    // Number of runs with this status, or held ones for "held".
    [[nodiscard]] int count(const char* status) const;
    [[nodiscard]] bool isLive() const;
    // Estimated seconds until the last run of a series ends, at `nowMs` since 1970. The time per run is measured from
    // the start of the series to that of its present run, so that it includes all overheads. nullopt before a run has
    // ended, if a run did not finish or is held, if the numbers of workers differ, if runs are hidden, and if the
    // present run takes twice as long as the others.
    [[nodiscard]] std::optional<double> secondsLeft(qint64 nowMs) const;
    // "3 of 9 finished, 1 running, 5 queued, 4:10 left"; with a filter "2 of 9 shown: 2 finished".
    [[nodiscard]] QString inWords(qint64 nowMs) const;
    // Mean of the finished runs that have the number, and how many these are.
    struct Mean {
        std::optional<double> value;
        int n = 0;
        bool simulated = false;  // the time of any of them is simulated
    };
    [[nodiscard]] Mean meanOf(RunTableModel::Column column) const;
    // "mean of n = 8"; "mean of n = 8, of 4 configurations"; "" where none has finished.
    [[nodiscard]] QString meansInWords() const;
    bool operator==(const RunGroup&) const = default;
};

using RunGroupPtr = std::shared_ptr<const RunGroup>;

// The settings in which runs differ, by id: those of an algorithm among its runs, others among all of them. Without
// seeds and what has a column of its own; "" where nothing else differs.
[[nodiscard]] QHash<QString, QString> differingSettings(const std::vector<RunItemPtr>& runs);

// A row of the list: a run, or the heading of a group.
struct ListRow {
    RunItemPtr run;
    RunGroupPtr group;  // for a run: its group, if any
    [[nodiscard]] bool isGroup() const { return run == nullptr; }
    // Its own run, or all runs of the group, hidden ones too.
    [[nodiscard]] std::vector<RunItemPtr> runs() const { return isGroup() ? group->runs : std::vector{run}; }
    // Identity for selections: the run's id, or "group " and the key. Ids of runs contain no space.
    [[nodiscard]] QString id() const { return isGroup() ? QStringLiteral("group ") + group->key : run->id; }
    // True for the same run, or a group with the same key.
    [[nodiscard]] bool isSame(const ListRow& other) const;
};
using ListRows = std::vector<ListRow>;

// The groups that show their runs: those in `keys`, or with `allBut` all others.
struct OpenGroups {
    QSet<QString> keys;
    bool allBut = false;
    [[nodiscard]] bool has(const QString& key) const { return keys.contains(key) != allBut; }
};

// The way in which a list is grouped.
class Grouping {
public:
    // No groups.
    Grouping() = default;
    // Groups the runs of one command; single runs are in no group.
    [[nodiscard]] static Grouping bySeries();
    // Groups runs with the same value of the field.
    [[nodiscard]] static Grouping byField(RunField field);

    [[nodiscard]] explicit operator bool() const { return kind_ != Kind::None; }
    // "" for none, "series", else the name of the field.
    [[nodiscard]] QString name() const;

    // Filter that chooses the runs of a group: by its value, or for a series by the experiment, which may have other
    // runs.
    [[nodiscard]] QString filterOf(const RunGroup& group) const;

    // Rows for `runs`, which are sorted: a group is placed where its first run would be, followed by all of its runs if
    // it is open. `all`: `runs` and the hidden ones.
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
