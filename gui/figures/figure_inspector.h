// Editor of a figure: its form and, for a figure of several panels, the list that chooses the panel to edit.
#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "gui/data/runs/run_table_model.h"
#include "gui/figures/figure_form.h"
#include "gui/figures/model/figure_library.h"

class QLabel;
class QListWidget;
class QMenu;
class QToolButton;

namespace dasgd::gui {

class FigureInspector : public QWidget {
    Q_OBJECT

public:
    FigureInspector(const Look& look, const FigureLibrary& library, QWidget* parent = nullptr);

    // `name`: name of the saved figure, which cannot be a panel of itself.
    void show(const QString& name, const FigureSpec& spec);
    // The runs of the workspace, needed to switch between a filter and fixed runs. `runs` outlives the inspector.
    void setRuns(const RunTableModel& runs) { runs_ = &runs; }
    // The curves that can be renamed, by panel; a single list for a figure without panels.
    void setCurves(const std::vector<std::vector<NamedCurve>>& panels);
    // Takes over text being typed in fields that otherwise take it only when typing ends.
    void commit() { form_->commit(); }
    // The whole figure.
    [[nodiscard]] const FigureSpec& spec() const { return spec_; }

    // Adds a panel, from keyboard or menu. A figure without panels becomes the first panel.
    void addPanel(const FigureSpec& other);
    // Removes the chosen panel; if one is left, the figure becomes that panel.
    void takeOutPanel();
    // Restores the panel that was removed last, at its place.
    void putBackPanel();
    void movePanel(int by);

signals:
    void changed(const dasgd::gui::FigureSpec& spec);

private:
    [[nodiscard]] QWidget* makePanelRow();
    [[nodiscard]] QWidget* makeRunsRow();
    // Shows how the figure, or the chosen panel, chooses its runs.
    void sayRuns();
    // Replaces the filter by the ids of the runs that pass it now, or ids by a filter for their experiments.
    void switchRuns();
    // Shows the runs of the workspace, the newest first, with those of the figure checked.
    void fillPicker();
    void takePicked();
    void fillMenu();
    void fillList();
    void showChosen();
    void takeForm(const FigureSpec& spec);
    // Index of the chosen panel; −1: the whole figure.
    [[nodiscard]] int chosen() const;
    void changeTo(FigureSpec spec, int chosen);

    const FigureLibrary& library_;
    const RunTableModel* runs_ = nullptr;
    QWidget* runsRow_ = nullptr;
    QLabel* runsWords_ = nullptr;
    QToolButton *runsSwitch_ = nullptr, *pick_ = nullptr;
    QListWidget* picker_ = nullptr;
    QString name_;
    FigureSpec spec_;
    std::vector<std::pair<int, FigureSpec>> takenOut_;  // removed panels with their indices, the newest last
    std::vector<std::vector<NamedCurve>> curves_;
    QListWidget* panels_;
    QToolButton *add_, *up_, *down_, *out_;
    FigureForm* form_;
};

}  // namespace dasgd::gui
