#include "gui/experiment/model/document/schema_loader.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/small_schema.h"
#include "tests/support/paths.h"

namespace dasgd::gui {
namespace {

class SchemaLoaderTest : public ::testing::Test {
protected:
    QString program(const QByteArray& text) {
        QFile file(folder_.filePath(QStringLiteral("dasgd")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        return file.fileName();
    }
    QTemporaryDir folder_;
};

TEST_F(SchemaLoaderTest, ReadsWhatTheProgramDescribes) {
    SchemaLoader loader(program(standInProgram("exit 9\n")));
    QSignalSpy loaded(&loader, &SchemaLoader::loaded), failed(&loader, &SchemaLoader::failed);
    loader.load();
    ASSERT_TRUE(eventually([&] { return loaded.count() == 1; }));
    EXPECT_EQ(loader.schema().sections.size(), smallSchema().sections.size());
    loader.load();
    QTest::qWait(100);
    EXPECT_EQ(loaded.count(), 1) << "once is enough";
    EXPECT_EQ(failed.count(), 0);
}

TEST_F(SchemaLoaderTest, WhatIsWrongIsSaidWithTheRemedy) {
    const auto said = [](const QString& program) {
        SchemaLoader loader(program);
        QSignalSpy failed(&loader, &SchemaLoader::failed);
        loader.load();
        EXPECT_TRUE(eventually([&] { return failed.count() == 1; }));
        return failed.value(0).value(0).toString();
    };
    EXPECT_TRUE(said({}).contains(QLatin1String("./lab build")));
    EXPECT_TRUE(said(folder_.filePath(QStringLiteral("none"))).contains(QLatin1String("./lab build")));
    EXPECT_TRUE(said(program("#!/bin/sh\necho nonsense\n")).contains(QLatin1String("different versions")));
    EXPECT_TRUE(
        said(program("#!/bin/sh\necho 'no such command' >&2; exit 2\n")).contains(QLatin1String("no such command")));
}

// Builds with the engine check that its own description is understood.
TEST_F(SchemaLoaderTest, TheEngineIsUnderstood) {
    if (std::string(test::kProgram).empty()) return;
    SchemaLoader loader(QString::fromUtf8(test::kProgram));
    QSignalSpy loaded(&loader, &SchemaLoader::loaded);
    loader.load();
    ASSERT_TRUE(eventually([&] { return loaded.count() == 1; }));
    ASSERT_NE(loader.schema().section("algorithm"), nullptr);
    ASSERT_NE(loader.schema().section("algorithm")->plugin("dasgd"), nullptr);
    EXPECT_EQ(loader.schema().section("algorithm")->plugin("dasgd")->fields[1].spec.symbol, "d");
}

}  // namespace
}  // namespace dasgd::gui
