// What a figure shows, to be changed: its form, and of a figure of several panels which of them the form is about.
#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "gui/forms/figure_form.h"
#include "gui/models/figures/figure_library.h"
#include "gui/models/runs/run_table_model.h"

class QLabel;
class QListWidget;
class QMenu;
class QToolButton;

namespace dasgd::gui {

class FigureInspector : public QWidget {
    Q_OBJECT

public:
    FigureInspector(const Look& look, const FigureLibrary& library, QWidget* parent = nullptr);

    // `name`: of the saved figure, which cannot be a panel of itself.
    void show(const QString& name, const FigureSpec& spec);
    // The runs of the workspace: without them it cannot be switched how a figure chooses its own.
    void setRuns(const RunTableModel& runs) { runs_ = &runs; }
    // The curves that can be named, panel by panel; of one figure a single list.
    void setCurves(const std::vector<std::vector<NamedCurve>>& panels);
    // Takes what is being typed where else the end of typing counts.
    void commit() { form_->commit(); }
    // The whole figure.
    [[nodiscard]] const FigureSpec& spec() const { return spec_; }

    // Keyboard and menu come here. The figure becomes one of panels where it was none.
    void addPanel(const FigureSpec& other);
    // Takes the chosen panel out; of two the other is the figure.
    void takeOutPanel();
    // Where it was, the one that was taken out last.
    void putBackPanel();
    void movePanel(int by);

signals:
    void changed(const dasgd::gui::FigureSpec& spec);

private:
    [[nodiscard]] QWidget* makePanelRow();
    [[nodiscard]] QWidget* makeRunsRow();
    // How the figure, or the chosen panel, comes to its runs.
    void sayRuns();
    // From the filter to the runs that it has now, or from ids to the filter of their experiments.
    void switchRuns();
    void fillMenu();
    void fillList();
    void showChosen();
    void takeForm(const FigureSpec& spec);
    // −1: the whole figure.
    [[nodiscard]] int chosen() const;
    void changeTo(FigureSpec spec, int chosen);

    const FigureLibrary& library_;
    const RunTableModel* runs_ = nullptr;
    QWidget* runsRow_ = nullptr;
    QLabel* runsWords_ = nullptr;
    QToolButton* runsSwitch_ = nullptr;
    QString name_;
    FigureSpec spec_;
    std::vector<std::pair<int, FigureSpec>> takenOut_;  // with their places, the newest last
    std::vector<std::vector<NamedCurve>> curves_;
    QListWidget* panels_;
    QToolButton *add_, *up_, *down_, *out_;
    FigureForm* form_;
};

}  // namespace dasgd::gui
