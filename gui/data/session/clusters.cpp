#include "gui/data/session/clusters.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace dasgd::gui {

QString clusterFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/dasgd/clusters");
}

QStringList clusterNames(const QString& folder) {
    QStringList names;
    for (const QString& file : QDir(folder).entryList({QStringLiteral("*.toml")}, QDir::Files, QDir::Name)) {
        names << QFileInfo(file).completeBaseName();
    }
    return names;
}

}  // namespace dasgd::gui
