// The list of saved figures: search, link to the last export, and buttons that make and delete figures.
#pragma once

#include "gui/figures/model/figure_list_model.h"
#include "gui/kit/parts/parts.h"

class QLineEdit;
class QListView;

namespace dasgd::gui {

class FigureListCard : public Card {
    Q_OBJECT

public:
    FigureListCard(FigureListModel& list, const Look& look, QWidget* parent = nullptr);

    void select(const QString& name);
    void setDeletable(bool deletable);
    // Shows a link to the folder of the newest bundle.
    void setExported(const QString& folder);
    void find();  // gives the focus to the search
    [[nodiscard]] QListView& view() { return *figures_; }

signals:
    void chosen(const QString& name);
    void newWanted();
    void templateWanted(const QString& word);  // a new figure of a template (figure_templates.h)
    void deleteWanted();

private:
    FigureListModel& list_;
    const Look& look_;
    QLineEdit* find_;
    QListView* figures_;
    QLabel* exported_;
    QToolButton* delete_;
};

}  // namespace dasgd::gui
