// The lines of the Scaling view as a list of choices: experiments, each followed by its configurations.
#pragma once

#include <QAbstractListModel>
#include <QString>
#include <vector>

#include "gui/scaling/model/scaling_board.h"

namespace dasgd::gui {

class ScalingListModel : public QAbstractListModel {
    Q_OBJECT

public:
    // Qt::DisplayRole: the name; Qt::CheckStateRole: drawn or not (for an experiment: whether any of its lines is).
    enum Role { IsExperiment = Qt::UserRole, WordsRole, DrawnRole, StyleRole, HollowRole };

    explicit ScalingListModel(ScalingBoard& board, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    // Keeps the lines whose text contains all of these words.
    void setFilter(const QString& words);

private:
    struct Row {
        QString experiment;
        const ScalingLine* line = nullptr;  // null: the experiment itself
    };

    void rebuild();
    [[nodiscard]] std::vector<const ScalingLine*> linesOf(const Row& row) const;
    [[nodiscard]] Qt::CheckState checkState(const Row& row) const;
    [[nodiscard]] QVariant dataOf(const ScalingLine& line, int role) const;

    ScalingBoard& board_;
    QStringList filter_;
    std::vector<Row> rows_;
};

}  // namespace dasgd::gui
