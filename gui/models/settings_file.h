// What the program remembers for its user, beside every workspace: columns, charts, the place of the window, how the
// list of runs of each workspace was left.
#pragma once

#include <QSettings>
#include <functional>

namespace dasgd::gui {

// To read. What is set in it is written, and waited for, when it goes.
[[nodiscard]] inline QSettings settingsFile() {
    return QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("dasgd-lab"),
                     QStringLiteral("dasgd-lab"));
}

// Makes `change` now, for every reader in this program, and writes it on another thread: a write waits for a lock and
// for the disk. The end of the application waits for what is under way.
void keepSettings(const std::function<void(QSettings& settings)>& change);

}  // namespace dasgd::gui
