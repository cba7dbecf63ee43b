// Files dropped on the window.
#pragma once

#include <QMimeData>
#include <QString>
#include <QUrl>

namespace dasgd::gui {

// The first experiment (.toml) among dropped files; "" if there is none. Every page leaves it to the window.
[[nodiscard]] inline QString experimentIn(const QMimeData& dropped) {
    for (const QUrl& url : dropped.urls()) {
        if (url.isLocalFile() && url.path().endsWith(QLatin1String(".toml"), Qt::CaseInsensitive)) {
            return url.toLocalFile();
        }
    }
    return {};
}

}  // namespace dasgd::gui
