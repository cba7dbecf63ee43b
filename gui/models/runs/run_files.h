// What a run has left in its folder: its model, its checkpoints, what it was asked to keep.
#pragma once

#include <QString>
#include <filesystem>
#include <utility>
#include <vector>

namespace dasgd::gui {

struct RunFiles {
    QString folder;  // absolute; "" where the run has none in this workspace
    // "final model" → "model.safetensors, 1.2 MB", in the order of the list; only what is there.
    std::vector<std::pair<QString, QString>> lines;
};

// Reads the folder: not for the UI thread.
[[nodiscard]] RunFiles filesOf(const std::filesystem::path& folder);

}  // namespace dasgd::gui
