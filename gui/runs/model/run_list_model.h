// The rows of the Runs page: the runs that pass the filter, ordered and grouped, with the chosen columns. Used on the
// UI thread, like the runs it shows.
//
// A new filter or order replaces all rows at once, as a reset between aboutToRearrange() and rearranged(): signals for
// each range of rows would cost selection models and views time by ranges × rows, minutes with 10,000 selected.
// RunSelection keeps a selection across it. Live changes insert, move or change single rows, so that a view keeps its
// place.
#pragma once

#include <QAbstractTableModel>
#include <QSet>
#include <QStringList>
#include <optional>
#include <vector>

#include "gui/data/filter/filter_expression.h"
#include "gui/data/runs/run_table_model.h"
#include "gui/runs/model/run_groups.h"
#include "gui/runs/model/run_order.h"
#include "storage/read/earlier_parts.h"

namespace dasgd::gui {

class RunListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    // Only for rows of groups: title, progress in words, and whether its runs are shown; invalid elsewhere.
    enum Role { GroupTitleRole = Qt::UserRole + 16, GroupWordsRole, GroupOpenRole };

    explicit RunListModel(RunTableModel& runs, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    // Columns of RunTableModel, then one for each key.
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;
    [[nodiscard]] const RunOrder& order() const { return order_; }

    // Returns the error in the text, if any. With an error the rows stay as they were.
    std::optional<FilterError> setFilter(const QString& text);
    struct FilterState {
        std::optional<FilterError> error;  // checked again with the keys of newer runs
        QString unfinished;                // last word of the filter, which is ignored; "" if it is finished
    };
    [[nodiscard]] FilterState filterState() const { return {error_, filter_.unfinished()}; }
    // Runs that are left out unless they are shown here: archived ones, which a filter that names `archived` shows too,
    // and those that others were resumed from.
    enum class LeftOut { Archived, EarlierParts };
    void show(LeftOut kind, bool shown);
    [[nodiscard]] bool shows(LeftOut kind) const { return kind == LeftOut::Archived ? showArchived_ : showParts_; }
    // Number of runs left out for these two reasons: "3 archived, 2 earlier parts"; "" for none.
    [[nodiscard]] QString leftOutInWords() const;
    [[nodiscard]] const FieldCatalog& fields() const { return fields_; }
    // Keys of the configuration that have columns, in order.
    void setKeyColumns(const QStringList& keys);
    [[nodiscard]] const QStringList& keyColumns() const { return keyColumns_; }

    void setGrouping(const Grouping& grouping);
    [[nodiscard]] const Grouping& grouping() const { return grouping_; }
    // Shows or hides the runs of the group in this row; does nothing for a run. While a filter leaves few runs, groups
    // are open unless closed here.
    void setOpen(int row, bool open);

    [[nodiscard]] const ListRow& rowAt(int row) const { return rows_[static_cast<std::size_t>(row)]; }
    // The filter for the runs of these rows: that of their groups, or the list's own if all rows are given; "" if
    // single runs were picked.
    [[nodiscard]] QString filterOf(const std::vector<int>& rows) const;
    // Number of runs that pass the filter, those in closed groups included.
    [[nodiscard]] int runCount() const { return runCount_; }

signals:
    void aboutToRearrange();
    void rearranged();
    // Emitted after runs were added, removed or changed and the rows are up to date.
    void updated();

private:
    void takeRuns();
    // Compiles the filter; true if the rows may have changed.
    bool compile();
    [[nodiscard]] ListRows accepted();
    void judgeFound();
    void openLiveGroups(const std::vector<RunItemPtr>& runs);
    void openNewestGroup();
    // Updates the rows, in place if one step is enough.
    void refreshRows();
    void replaceRows(ListRows next);
    bool updateRows(ListRows& next);
    void announceChanges(const ListRows& before);
    [[nodiscard]] static QString meanText(const RunGroup& group, int column);
    [[nodiscard]] const QHash<QString, QString>& differingOf(const RunGroup& group) const;
    [[nodiscard]] QVariant groupData(const RunGroup& group, int column, int role) const;
    [[nodiscard]] QVariant keyData(const RunItem& run, int column, int role) const;

    RunTableModel& runs_;
    FieldCatalog fields_;
    QString filterText_;
    QString inForce_;  // the filter text that the rows follow
    FilterExpression filter_;
    std::optional<FilterError> error_;
    QStringList keyColumns_;
    RunOrder order_;
    std::vector<RunItemPtr> sorted_;  // every run
    Grouping grouping_;
    QSet<QString> open_;         // keys of groups
    QSet<QString> closed_;       // keys of groups closed while the filter leaves few runs
    bool finds_ = false;         // the filter leaves so few runs that groups are opened for them
    bool openedNewest_ = false;  // done once per grouping
    QSet<QString> seenGroups_;   // series opened automatically; each is opened only once
    mutable QHash<QString, QHash<QString, QString>> differing_;  // by group and run
    ListRows rows_;
    int runCount_ = 0;
    storage::EarlierParts parts_;
    bool showArchived_ = false, showParts_ = false;
    int archivedCount_ = 0, partCount_ = 0;  // number of runs left out
};

}  // namespace dasgd::gui
