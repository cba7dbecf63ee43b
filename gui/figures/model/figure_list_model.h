// The saved figures as rows: title, venue, and news of their runs since they were last viewed.
#pragma once

#include <QAbstractListModel>
#include <vector>

#include "gui/figures/model/figure_library.h"

namespace dasgd::gui {

class FigureListModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { NameRole = Qt::UserRole, WordsRole, ToneRole };  // tone: "", "accent", "warn", "bad"

    explicit FigureListModel(FigureLibrary& library, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    void setFilter(const QString& text);
    [[nodiscard]] int rowOf(const QString& name) const;  // −1 where it is not shown

private:
    void refresh();
    [[nodiscard]] std::pair<QString, QString> wordsOf(const SavedFigure& figure) const;
    [[nodiscard]] std::pair<QString, QString> stateOf(const SavedFigure& figure) const;

    FigureLibrary& library_;
    QString filter_;
    std::vector<SavedFigure> shown_;
};

}  // namespace dasgd::gui
