// What the program remembers for its user, beside every workspace: columns, charts, the place of the window, how the
// list of runs of each workspace was left.
#pragma once

#include <QSettings>

namespace dasgd::gui {

[[nodiscard]] inline QSettings settingsFile() {
    return QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("dasgd-lab"),
                     QStringLiteral("dasgd-lab"));
}

}  // namespace dasgd::gui
