// File dialogs that open and save an experiment.
#pragma once

#include <QFileDialog>

#include "gui/experiment/model/experiment_draft.h"

namespace dasgd::gui {

inline void openByDialog(QWidget& parent, ExperimentDraft& draft) {
    const QString file =
        QFileDialog::getOpenFileName(&parent, QFileDialog::tr("Open an experiment"), draft.folderOfExperiments(),
                                     QFileDialog::tr("Experiments (*.toml)"));
    if (!file.isEmpty()) draft.open(file);
}

inline void saveByDialog(QWidget& parent, ExperimentDraft& draft) {
    const QString proposed =
        draft.file().isEmpty() ? draft.folderOfExperiments() + u'/' + draft.fileName() : draft.file();
    const QString file = QFileDialog::getSaveFileName(&parent, QFileDialog::tr("Save the experiment"), proposed,
                                                      QFileDialog::tr("Experiments (*.toml)"));
    if (!file.isEmpty()) draft.save(file);
}

// Saves to the experiment's file without asking; opens the dialog if it has none.
inline void saveExperiment(QWidget& parent, ExperimentDraft& draft) {
    if (draft.file().isEmpty()) return saveByDialog(parent, draft);
    draft.saveToFile();
}

}  // namespace dasgd::gui
