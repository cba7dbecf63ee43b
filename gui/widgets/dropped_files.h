// What is dropped on the window.
#pragma once

#include <QMimeData>
#include <QString>
#include <QUrl>

namespace dasgd::gui {

// The first of the files that is an experiment, which any page leaves to the window; "" where none is.
[[nodiscard]] inline QString experimentIn(const QMimeData& dropped) {
    for (const QUrl& url : dropped.urls()) {
        if (url.isLocalFile() && url.path().endsWith(QLatin1String(".toml"), Qt::CaseInsensitive)) {
            return url.toLocalFile();
        }
    }
    return {};
}

}  // namespace dasgd::gui
