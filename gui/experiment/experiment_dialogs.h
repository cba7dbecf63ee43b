// File dialogs that open and save an experiment.
#pragma once

#include <QFileDialog>

#include "gui/experiment/model/experiment_draft.h"

namespace dasgd::gui {

inline void openByDialog(QWidget& parent, ExperimentDraft& draft, const std::filesystem::path& workspace) {
    const QString file =
        QFileDialog::getOpenFileName(&parent, QFileDialog::tr("Open an experiment"), experimentsFolder(workspace),
                                     QFileDialog::tr("Experiments (*.toml)"));
    if (!file.isEmpty()) draft.open(file);
}

inline void saveByDialog(QWidget& parent, ExperimentDraft& draft, const std::filesystem::path& workspace) {
    const QString proposed =
        draft.file().isEmpty() ? experimentsFolder(workspace) + u'/' + draft.fileName() : draft.file();
    const QString file = QFileDialog::getSaveFileName(&parent, QFileDialog::tr("Save the experiment"), proposed,
                                                      QFileDialog::tr("Experiments (*.toml)"));
    if (!file.isEmpty()) draft.save(file);
}

// Saves to the experiment's file without asking; opens the dialog if it has none.
inline void saveExperiment(QWidget& parent, ExperimentDraft& draft, const std::filesystem::path& workspace) {
    if (draft.file().isEmpty()) return saveByDialog(parent, draft, workspace);
    draft.save();
}

}  // namespace dasgd::gui
