// The rows of the Runs page: the runs that pass the filter, in order, in their groups, under the columns that are
// chosen. Belongs to the UI thread, like the runs it shows.
//
// A new filter or order replaces all rows at once, as a reset between aboutToRearrange() and rearranged(): signals for
// each range of rows cost selection models and views time by ranges × rows, minutes with 10,000 selected. RunSelection
// keeps a selection across it. What arrives live is inserted, moved or changed row by row, so that a view stays put.
#pragma once

#include <QAbstractTableModel>
#include <QSet>
#include <QStringList>
#include <optional>
#include <vector>

#include "gui/models/filter/filter_expression.h"
#include "gui/models/run_list/run_groups.h"
#include "gui/models/run_list/run_order.h"
#include "gui/models/runs/run_table_model.h"
#include "storage/earlier_parts.h"

namespace dasgd::gui {

class RunListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    // Of a row that is a group: its title, and in words how far its runs are; invalid elsewhere.
    enum Role { GroupTitleRole = Qt::UserRole + 16, GroupWordsRole, GroupOpenRole };

    explicit RunListModel(RunTableModel& runs, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    // Those of RunTableModel, then one for each key.
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;
    [[nodiscard]] const RunOrder& order() const { return order_; }

    // What is wrong with the text, else nothing. With an error the rows stay as they were.
    std::optional<FilterError> setFilter(const QString& text);
    // Again with the keys of runs that came since; what is still wrong.
    [[nodiscard]] std::optional<FilterError> filterError() const { return error_; }
    // The word at the end of the filter that is not taken for one yet; "" where there is none.
    [[nodiscard]] const QString& unfinishedWord() const { return filter_.unfinished(); }
    // Runs that are put away are left out unless the filter names `archived`, or they are asked for.
    void showArchived(bool show);
    [[nodiscard]] bool showsArchived() const { return showArchived_; }
    // Runs that others went on from are left out unless they are asked for.
    void showParts(bool show);
    [[nodiscard]] bool showsParts() const { return showParts_; }
    // How many runs are left out for that alone: "3 put away, 2 earlier parts"; "" for none.
    [[nodiscard]] QString leftOutInWords() const;
    [[nodiscard]] const FieldCatalog& fields() const { return fields_; }
    // Keys of the configuration that have a column, in the order of the columns.
    void setKeyColumns(const QStringList& keys);
    [[nodiscard]] const QStringList& keyColumns() const { return keyColumns_; }

    void setGrouping(const Grouping& grouping);
    [[nodiscard]] const Grouping& grouping() const { return grouping_; }
    // Shows or hides the runs of the group in this row; nothing where the row is a run. While a filter finds few runs,
    // groups show them unless they are closed here.
    void setOpen(int row, bool open);

    [[nodiscard]] const ListRow& rowAt(int row) const { return rows_[static_cast<std::size_t>(row)]; }
    // Null where the row is a group.
    [[nodiscard]] const RunItemPtr& runAt(int row) const { return rowAt(row).run; }
    // The runs that a row stands for: its own, or all of the group, hidden ones too.
    [[nodiscard]] std::vector<RunItemPtr> runsAt(int row) const;
    // The filter that chose the runs of these rows: those of their groups, or the list's own where it is of every row;
    // "" where single runs were picked.
    [[nodiscard]] QString filterOf(const std::vector<int>& rows) const;
    // How many runs pass the filter, those of closed groups too.
    [[nodiscard]] int runCount() const { return runCount_; }
    // What a selection remembers of a row.
    [[nodiscard]] QString idAt(int row) const;

signals:
    void aboutToRearrange();
    void rearranged();
    // Runs came, went or changed, and the rows are up to date.
    void updated();

private:
    void takeRuns();
    // Whether the rows may be others now.
    bool compile();
    [[nodiscard]] ListRows accepted();
    void rearrange();
    void judgeFound();
    void openLiveGroups(const std::vector<RunItemPtr>& runs);
    void openNewestGroup();
    // The rows as they are now, in place where one step does it.
    void refreshRows();
    void replaceRows(ListRows next);
    bool updateRows(ListRows& next);
    void announceChanges(const ListRows& before);
    [[nodiscard]] QVariant groupData(const RunGroup& group, int column, int role) const;
    [[nodiscard]] QVariant keyData(const RunItem& run, int column, int role) const;

    RunTableModel& runs_;
    FieldCatalog fields_;
    QString filterText_;
    QString inForce_;  // the text that the rows are those of
    FilterExpression filter_;
    std::optional<FilterError> error_;
    QStringList keyColumns_;
    RunOrder order_;
    std::vector<RunItemPtr> sorted_;  // every run
    Grouping grouping_;
    QSet<QString> open_;         // keys of groups
    QSet<QString> closed_;       // of those that this filter found something in
    bool finds_ = false;         // the filter leaves so few runs that they are what somebody looks for
    bool openedNewest_ = false;  // once a grouping
    QSet<QString> seenGroups_;   // a series that starts opens once, and stays closed if somebody closes it
    ListRows rows_;
    int runCount_ = 0;
    storage::EarlierParts parts_;
    bool showArchived_ = false, showParts_ = false;
    int archivedCount_ = 0, partCount_ = 0;  // left out
};

}  // namespace dasgd::gui
