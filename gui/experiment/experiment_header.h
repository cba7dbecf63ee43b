// The head of the Experiment page: title and state of the draft, its problems, and the actions with their shortcuts.
#pragma once

#include "gui/experiment/model/experiment_draft.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

class ExperimentHeader : public QWidget {
    Q_OBJECT

public:
    explicit ExperimentHeader(const ExperimentDraft& draft);

    void showDraft();
    void showCheck();
    // Shows or hides the button that replaces the list of starts on a narrow page.
    void setFolded(bool folded);
    [[nodiscard]] bool isUnfolded() const { return unfold_->isChecked(); }
    void fold() { unfold_->setChecked(false); }

signals:
    void dryRunWanted();
    void saveWanted();
    void saveAsWanted();
    void runWanted();
    void queueWanted();
    void duplicateWanted();
    void problemWanted();
    void unfoldToggled();
    void clusterChosen(const QString& name);  // "" means this host

private:
    void fillClusters();

    const ExperimentDraft& draft_;
    QLabel *title_, *words_, *state_;
    QPushButton *dry_, *save_, *run_;
    QToolButton *pill_, *unfold_, *queue_, *duplicate_, *where_;
};

}  // namespace dasgd::gui
