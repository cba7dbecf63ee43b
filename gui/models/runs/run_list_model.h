// The rows of the Runs page: the runs that pass the filter, in order, under the columns that are chosen. Belongs to the
// UI thread, like the runs it shows.
//
// A new filter or order replaces all rows at once, as a reset between aboutToRearrange() and rearranged(): signals for
// each range of rows cost selection models and views time by ranges × rows, minutes with 10,000 selected. RunSelection
// keeps a selection across it. What arrives live is inserted, moved or changed row by row, so that a view stays put.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <optional>
#include <vector>

#include "gui/models/runs/filter_expression.h"
#include "gui/models/runs/run_order.h"
#include "gui/models/runs/run_table_model.h"

namespace dasgd::gui {

class RunListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit RunListModel(RunTableModel& runs, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    // Those of RunTableModel, then one for each key.
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

    // What is wrong with the text, else nothing. With an error the rows stay as they were.
    std::optional<FilterError> setFilter(const QString& text);
    // Again with the keys of runs that came since; what is still wrong.
    [[nodiscard]] std::optional<FilterError> filterError() const { return error_; }
    [[nodiscard]] const FieldCatalog& fields() const { return fields_; }
    // Keys of the configuration that have a column, in the order of the columns.
    void setKeyColumns(const QStringList& keys);
    [[nodiscard]] const QStringList& keyColumns() const { return keyColumns_; }

    [[nodiscard]] const RunItemPtr& runAt(int row) const { return shown_[static_cast<std::size_t>(row)]; }

signals:
    void aboutToRearrange();
    void rearranged();
    // Runs came, went or changed, and the rows are up to date.
    void updated();

private:
    void takeRuns();
    void compile();
    void filter();
    [[nodiscard]] std::vector<RunItemPtr> accepted() const;
    void replaceRows(std::vector<RunItemPtr> next);
    bool updateRows(std::vector<RunItemPtr>& next);
    void announceChanges(const std::vector<RunItemPtr>& before);
    [[nodiscard]] QVariant keyData(const RunItem& run, int column, int role) const;

    RunTableModel& runs_;
    FieldCatalog fields_;
    QString filterText_;
    FilterExpression filter_;
    std::optional<FilterError> error_;
    QStringList keyColumns_;
    RunOrder order_;
    std::vector<RunItemPtr> sorted_;  // every run
    std::vector<RunItemPtr> shown_;
};

}  // namespace dasgd::gui
