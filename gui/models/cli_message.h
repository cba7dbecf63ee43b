// What `dasgd` said on its standard error, as the window says it again.
#pragma once

#include <QString>

namespace dasgd::gui {

// Without the program's own name before it.
[[nodiscard]] inline QString withoutProgramName(QString said) {
    const QString name = QStringLiteral("dasgd: ");
    if (said.startsWith(name)) said.remove(0, name.size());
    return said;
}

}  // namespace dasgd::gui
