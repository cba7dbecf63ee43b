#include "gui/data/session/clusters.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

namespace dasgd::gui {
namespace {

TEST(Clusters, AreTheProfilesOfTheUser) {
    const QTemporaryDir folder;
    for (const char* name : {"slurm-a.toml", "lab.toml", "notes.txt"}) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    }
    EXPECT_EQ(clusterNames(folder.path()), (QStringList{QStringLiteral("lab"), QStringLiteral("slurm-a")}));
    EXPECT_TRUE(clusterNames(folder.filePath(QStringLiteral("none"))).isEmpty());
    EXPECT_TRUE(clusterFolder().endsWith(QStringLiteral("/dasgd/clusters")));
}

}  // namespace
}  // namespace dasgd::gui
