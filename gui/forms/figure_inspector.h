// What a figure shows, to be changed: its form, and of a figure of several panels which of them the form is about.
#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "gui/forms/figure_form.h"
#include "gui/models/figures/figure_library.h"

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
    void fillMenu();
    void fillList();
    void showChosen();
    void takeForm(const FigureSpec& spec);
    // −1: the whole figure.
    [[nodiscard]] int chosen() const;
    void changeTo(FigureSpec spec, int chosen);

    const FigureLibrary& library_;
    QString name_;
    FigureSpec spec_;
    std::vector<std::pair<int, FigureSpec>> takenOut_;  // with their places, the newest last
    std::vector<std::vector<NamedCurve>> curves_;
    QListWidget* panels_;
    QToolButton *add_, *up_, *down_, *out_;
    FigureForm* form_;
};

}  // namespace dasgd::gui
