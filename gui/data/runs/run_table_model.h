// All runs of the workspace as a table, updated incrementally. Items are shared and immutable, so 10,000 runs are
// cheap.
#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "gui/data/runs/run_item.h"

namespace dasgd::gui {

class RunTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Star,
        Status,
        Experiment,
        Algorithm,
        Settings,
        Seed,
        Workers,
        Backend,
        Started,
        Wall,
        Steps,
        FinalLoss,
        BestAccuracy,
        Hidden,
        Blocked,
        SamplesPerS,
        Tags,
        // Columns that are hidden by default.
        Run,
        Note,
        Commit,
        Error,
        StepMs,
        Skew,
        Inflation,
        Samples,
        Sent,
        kColumns
    };
    enum Role { IdRole = Qt::UserRole, LiveRole };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    // Unknown rows are appended, known ones replaced.
    void take(const std::vector<RunItemPtr>& changed, const QStringList& removed);
    [[nodiscard]] const std::vector<RunItemPtr>& items() const { return items_; }
    [[nodiscard]] RunItemPtr find(const QString& id) const;  // null where there is none
    [[nodiscard]] int rowOf(const QString& id) const { return rows_.value(id, -1); }
    // TrainingsFirst: runs that have begun, then queued ones, then those that are no training set up here: imported
    // traces and runs of jobs (isOfJob()).
    enum class Among { All, TrainingsFirst };
    // The running run that started last, else the run that started last; null if there is none.
    [[nodiscard]] RunItemPtr newest(Among among = Among::All) const;
    // The names of all experiments, each once.
    [[nodiscard]] QStringList experiments() const;
    [[nodiscard]] std::vector<RunItemPtr> ofExperiment(const std::string& experiment) const;

    // The number shown in a column, in its unit (percent, ms/step); nullopt for texts and absent values.
    [[nodiscard]] static std::optional<double> numberOf(const RunItem& item, Column column);
    // The text of a measured number of the column, written alike in all of its cells; `simulated`: times are marked.
    [[nodiscard]] static QString textOf(Column column, std::optional<double> number, bool simulated);
    [[nodiscard]] static bool isNumeric(int column);
    [[nodiscard]] static QString nameOf(int column);
    [[nodiscard]] static QString textOf(const RunItem& item, Column column);
    // Implementations of headerData() and data(), for other models.
    [[nodiscard]] static QVariant headerOf(int column, int role);
    [[nodiscard]] static QVariant dataOf(const RunItem& item, Column column, int role);

signals:
    // Emitted once at the end of take(), after the signals of the model.
    void taken();

private:
    void add(const std::vector<RunItemPtr>& fresh);
    void remove(const QStringList& ids);

    std::vector<RunItemPtr> items_;
    QHash<QString, int> rows_;
};

}  // namespace dasgd::gui
