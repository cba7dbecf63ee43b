// The clusters that the user has described, for `dasgd run --on NAME`.
#pragma once

#include <QString>
#include <QStringList>

namespace dasgd::gui {

// Folder of their profiles: dasgd/clusters in the user's configuration folder.
[[nodiscard]] QString clusterFolder();
// Sorted names of the profiles. Their content is read and checked by `dasgd` only.
[[nodiscard]] QStringList clusterNames(const QString& folder = clusterFolder());

// True if `where` names a workspace on another machine, "ssh://login/lab" or "login:lab", to whose queue experiments
// are added, and not a cluster.
[[nodiscard]] inline bool isRemoteWorkspace(const QString& where) { return where.contains(QLatin1Char(':')); }

}  // namespace dasgd::gui
