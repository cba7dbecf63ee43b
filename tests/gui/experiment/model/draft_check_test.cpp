#include "gui/experiment/model/draft_check.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

// Plans one run of any text.
class DraftCheckTest : public ::testing::Test {
protected:
    QString program() {
        QFile file(folder_.filePath(QStringLiteral("dasgd")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(standInProgram("echo '{\"label\":\"\",\"steps\":8,\"workers\":2}'\n"));
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        return file.fileName();
    }
    void set(const char* text) {
        document_ = ExperimentDocument(QString::fromUtf8(text));
        check_.restart({});
    }
    QTemporaryDir folder_;
    ExperimentDocument document_;
    DraftCheck check_{document_, smallSchema(), program(), folder_.path()};
};

TEST_F(DraftCheckTest, ATextThatIsNoTomlIsNotGivenToTheProgram) {
    set("name = [\n");
    EXPECT_FALSE(check_.isRunning());
    ASSERT_TRUE(check_.problem());
    EXPECT_EQ(check_.problems().size(), 1U);
    check_.now();
    EXPECT_FALSE(check_.isRunning());
}

TEST_F(DraftCheckTest, TellsWhetherTheCheckWasAskedFor) {
    QSignalSpy answered(&check_, &DraftCheck::answered);
    set("name = \"a\"\n");
    ASSERT_TRUE(eventually([&] { return answered.count() == 1; }));
    EXPECT_FALSE(answered[0][1].toBool());
    check_.now();
    ASSERT_TRUE(eventually([&] { return answered.count() == 2; }));
    EXPECT_TRUE(answered[1][1].toBool());
    EXPECT_EQ(check_.result()->total, 1);
    set("name = \"b\"\n");
    EXPECT_FALSE(check_.result()) << "of another text";
}

}  // namespace
}  // namespace dasgd::gui
