#include "gui/experiment/model/document/presets.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "tests/support/paths.h"

namespace dasgd::gui {
namespace {

TEST(Presets, HaveTheirNameAndRemark) {
    QTemporaryDir folder;
    const auto write = [&](const char* name, const char* text) {
        QFile file(folder.filePath(QString::fromUtf8(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
    };
    write("b.toml", "# Three algorithms\n# on digits, 99.5 % right. More of it.\nname = \"first-light\"\n# Else\n");
    write("c.toml", "# Which one?\n");
    write("d.toml", "# How far that of Das et al. (2016)\n# scales. More.\n");
    write("a.toml", "[train]\nsteps = 1\n");
    write("c.txt", "");
    const auto presets = presetsIn(folder.path());
    ASSERT_EQ(presets.size(), 4U);
    EXPECT_EQ(presets[0].title, QStringLiteral("a"));
    EXPECT_EQ(presets[1].title, QStringLiteral("first-light"));
    EXPECT_EQ(presets[1].remark, QStringLiteral("Three algorithms on digits, 99.5 % right."));
    EXPECT_EQ(presets[2].remark, QStringLiteral("Which one?"));
    EXPECT_EQ(presets[3].remark, QStringLiteral("How far that of Das et al. (2016) scales."));
    EXPECT_EQ(presets[0].remark, QString());
    EXPECT_EQ(presets[0].text, QStringLiteral("[train]\nsteps = 1\n"));
}

TEST(Presets, EveryShippedExperimentIsEmbeddedAsItIs) {
    const QDir folder(QString::fromUtf8(test::kSourceDir) + QStringLiteral("/experiments/suites"));
    const QStringList files = folder.entryList({QStringLiteral("*.toml"), QStringLiteral("*.xml")});
    ASSERT_GT(files.size(), 5);
    for (const QString& name : files) {
        QFile shipped(folder.filePath(name)), embedded(QStringLiteral(":/suites/") + name);
        ASSERT_TRUE(shipped.open(QIODevice::ReadOnly));
        ASSERT_TRUE(embedded.open(QIODevice::ReadOnly)) << name.toStdString() << " is not in resources.qrc";
        EXPECT_EQ(embedded.readAll(), shipped.readAll());
    }
    EXPECT_EQ(presetsIn().front().title, QStringLiteral("first-light")) << "what ./lab run trains comes first";
    for (const Preset& preset : presetsIn()) EXPECT_FALSE(preset.remark.isEmpty()) << preset.title.toStdString();
}

}  // namespace
}  // namespace dasgd::gui
