// The clusters that the user has described for `dasgd run --on NAME`.
#pragma once

#include <QString>
#include <QStringList>

namespace dasgd::gui {

// Where their profiles are: dasgd/clusters in the user's folder of configurations.
[[nodiscard]] QString clusterFolder();
// Their names, sorted; what is in the files is read by `dasgd`, which says what is wrong with one.
[[nodiscard]] QStringList clusterNames(const QString& folder = clusterFolder());

// Whether `where` is no cluster but a workspace on another machine, "ssh://login/lab" or "login:lab", whose queue takes
// experiments.
[[nodiscard]] inline bool isRemoteWorkspace(const QString& where) { return where.contains(QLatin1Char(':')); }

}  // namespace dasgd::gui
