// Files in a run's folder: model, checkpoints, artefacts, logs.
#pragma once

#include <QString>
#include <filesystem>
#include <utility>
#include <vector>

namespace dasgd::gui {

struct RunFiles {
    QString folder;  // absolute; "" if the run has no folder in this workspace
    // "final model" → "model.safetensors, 1.2 MB", in display order; only existing files.
    std::vector<std::pair<QString, QString>> lines;
};

// Reads the folder; not for the UI thread.
[[nodiscard]] RunFiles filesOf(const std::filesystem::path& folder);

}  // namespace dasgd::gui
