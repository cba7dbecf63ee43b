// The user's settings that belong to the program, not to a workspace: columns, charts, window geometry, the last state
// of the list of runs of each workspace.
#pragma once

#include <QSettings>
#include <functional>

namespace dasgd::gui {

// For reading. A value set in the returned object is written, blocking, by its destructor.
[[nodiscard]] inline QSettings settingsFile() {
    return QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("dasgd-lab"),
                     QStringLiteral("dasgd-lab"));
}

// Applies `change` now, visible to every reader in this program, and writes the file on another thread, as a write
// waits for a lock and for the disk. The application waits at its end for writes in progress.
void keepSettings(const std::function<void(QSettings& settings)>& change);

}  // namespace dasgd::gui
