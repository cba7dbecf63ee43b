// Messages of `dasgd` on its standard error, prepared for display in the window.
#pragma once

#include <QString>

namespace dasgd::gui {

// The message without the leading "dasgd: ".
[[nodiscard]] inline QString withoutProgramName(QString said) {
    const QString name = QStringLiteral("dasgd: ");
    if (said.startsWith(name)) said.remove(0, name.size());
    return said;
}

}  // namespace dasgd::gui
