#include "gui/models/live/engine.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class EngineTest : public ::testing::Test {
protected:
    QString write(const QString& name, const QByteArray& text, bool executable = false) {
        QFile file(folder_.filePath(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
        if (executable) file.setPermissions(file.permissions() | QFile::ExeOwner);
        return file.fileName();
    }
    [[nodiscard]] std::filesystem::path workspace() const {
        return folder_.filePath(QStringLiteral("ws")).toStdString();
    }
    QTemporaryDir folder_;
};

TEST_F(EngineTest, StartsTheProgramDetachedWithFileAndWorkspace) {
    const QString seen = folder_.filePath(QStringLiteral("seen"));
    const QString program = write(QStringLiteral("dasgd"), "#!/bin/sh\necho \"$@\" > " + seen.toUtf8() + "\n", true);
    Engine engine(workspace(), program);
    QSignalSpy started(&engine, &Engine::started), failed(&engine, &Engine::failed);
    EXPECT_TRUE(engine.run(QStringLiteral("my file.toml")));
    EXPECT_EQ(started.count(), 1);
    ASSERT_TRUE(eventually([&] { return QFile::exists(seen) && QFile(seen).size() > 0; }));
    QFile file(seen);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(QString::fromUtf8(file.readAll()).trimmed(),
              QStringLiteral("run my file.toml --workspace ") + QString::fromStdString(workspace().string()));
    QTest::qWait(500);
    EXPECT_EQ(failed.count(), 0);
    EXPECT_TRUE(QDir(QString::fromStdString(workspace().string()) + QStringLiteral("/logs")).isEmpty())
        << "nothing went wrong, nothing is kept";
}

TEST_F(EngineTest, SaysWhatTheProgramSaidWhenItFails) {
    const QString program =
        write(QStringLiteral("dasgd"), "#!/bin/sh\necho 'bad.toml:7:9: delay is 9' >&2\nexit 2\n", true);
    Engine engine(workspace(), program);
    QSignalSpy failed(&engine, &Engine::failed);
    EXPECT_TRUE(engine.run(QStringLiteral("bad.toml")));
    ASSERT_TRUE(eventually([&] { return failed.count() == 1; }));
    EXPECT_EQ(failed[0][0].toString(), QStringLiteral("bad.toml: bad.toml:7:9: delay is 9"));
}

TEST_F(EngineTest, AStoppedRunIsNoFailure) {
    Engine engine(workspace(), write(QStringLiteral("dasgd"), "#!/bin/sh\nexit 130\n", true));
    QSignalSpy failed(&engine, &Engine::failed);
    EXPECT_TRUE(engine.run(QStringLiteral("a.toml")));
    QTest::qWait(600);
    EXPECT_EQ(failed.count(), 0);
}

TEST_F(EngineTest, AMissingProgramIsSaid) {
    Engine engine(workspace(), folder_.filePath(QStringLiteral("no-such")));
    QSignalSpy failed(&engine, &Engine::failed);
    engine.stop(QStringLiteral("r1"));
    ASSERT_TRUE(eventually([&] { return failed.count() == 1; }));
    EXPECT_TRUE(failed[0][0].toString().contains(QLatin1String("no-such")));
}

}  // namespace
}  // namespace dasgd::gui
