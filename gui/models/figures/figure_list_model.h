// The saved figures as rows: title, venue, and what has happened to their runs since they were looked at.
#pragma once

#include <QAbstractListModel>
#include <map>
#include <vector>

#include "gui/models/figures/figure_library.h"

namespace dasgd::gui {

// Of one figure, as its runs are now.
struct FigureState {
    QString name;
    int runs = 0;
    QStringList missing;
    QString error;  // of its filter
    bool operator==(const FigureState&) const = default;
};

class FigureListModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { NameRole = Qt::UserRole, WordsRole, ToneRole };  // tone: "", "accent", "warn", "bad"

    explicit FigureListModel(FigureLibrary& library, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    void setFilter(const QString& text);
    void setStates(const std::vector<FigureState>& states);
    // What it shows now has been seen: later runs are new.
    void look(const QString& name);
    [[nodiscard]] int rowOf(const QString& name) const;  // −1 where it is not shown
    // "2 new runs"; "" where nothing happened.
    [[nodiscard]] QString newsOf(const QString& name) const;

private:
    void refresh();
    [[nodiscard]] std::pair<QString, QString> wordsOf(const SavedFigure& figure) const;

    FigureLibrary& library_;
    QString filter_;
    std::vector<SavedFigure> shown_;
    std::map<QString, FigureState> states_;
    std::map<QString, int> seen_;  // how many runs each had when it was looked at
};

}  // namespace dasgd::gui
