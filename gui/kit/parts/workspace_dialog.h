// A file dialog that starts in the workspace, wherever the program was started. It deletes itself when closed.
#pragma once

#include <QFileDialog>
#include <filesystem>

namespace dasgd::gui {

[[nodiscard]] inline QFileDialog* makeWorkspaceDialog(QWidget& parent, const std::filesystem::path& workspace,
                                                      const QString& title) {
    auto* dialog = new QFileDialog(&parent, title, QString::fromStdString(workspace.string()));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    return dialog;
}

}  // namespace dasgd::gui
