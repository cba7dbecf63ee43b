#include "gui/runs/facts_view.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QLabel>
#include <fstream>

#include "storage/base/workspace.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class FactsViewTest : public ::testing::Test {
protected:
    FactsViewTest() {
        first_ = runOf(std::string(40, 'a'));
        QTest::qWait(5);  // or both started in one millisecond
        second_ = runOf(std::string(40, 'b'));
        EXPECT_TRUE(eventually([&] { return session_.runs().rowCount() == 2; }));
    }
    QString runOf(const std::string& commit) {
        const std::string id = workspace_.store().newRunId("dasgd");
        storage::RunInfo info{.runId = id, .experiment = "code", .algorithm = "dasgd", .backend = "gloo"};
        info.config = "name = \"code\"\n";
        info.workers = 1;
        info.gitCommit = commit;
        EXPECT_TRUE(workspace_.store().addRun(info));
        return QString::fromStdString(id);
    }
    // A stand-in for `dasgd diff`.
    QString program(const QByteArray& answer) {
        QFile file(folder_.filePath(QStringLiteral("dasgd")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\necho '" + answer + "'\n");
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        return file.fileName();
    }
    static QString textOf(const FactsView& view) { return view.findChild<QPlainTextEdit*>()->toPlainText(); }
    static bool says(const FactsView& view, const QString& words) {
        for (const auto* label : view.findChildren<QLabel*>()) {
            if (label->text().contains(words)) return true;
        }
        return false;
    }
    QTemporaryDir folder_;
    Workspace workspace_;
    QString first_, second_;
    Feed feed_{workspace_.path()};
    Session session_{feed_};
};

TEST_F(FactsViewTest, ShowsWhatLiesBetweenTwoCommits) {
    FactsView view(feed_, testLook(), program(R"({"code": {"between": "diff --git a/x b/x\n+new", "unknown": ""}})"));
    view.show();
    view.setRuns({first_, second_});
    ASSERT_TRUE(eventually([&] { return textOf(view).contains(QStringLiteral("+new")); }));
    EXPECT_TRUE(textOf(view).startsWith(QStringLiteral("# git diff aaaa")));
    EXPECT_TRUE(says(view, QStringLiteral("commits aaaaaaaaaa and bbbbbbbbbb")));
    view.setRuns({first_});
    ASSERT_TRUE(eventually([&] { return textOf(view).startsWith(QStringLiteral("name = \"code\"")); }));
    EXPECT_FALSE(textOf(view).contains(QStringLiteral("+new")));
}

TEST_F(FactsViewTest, SaysWhyADiffIsNotKnownBesideTheCommandThatShowsIt) {
    FactsView view(feed_, testLook(),
                   program(R"({"code": {"between": null, "unknown": "w is in no git repository"}})"));
    view.show();
    view.setRuns({first_, second_});
    ASSERT_TRUE(eventually([&] { return says(view, QStringLiteral("w is in no git repository")); }));
    EXPECT_TRUE(textOf(view).contains(QStringLiteral("dasgd diff %1 %2 --repository FOLDER").arg(first_, second_)));
}

// The list has the newest first.
TEST_F(FactsViewTest, TheDiffGoesFromTheOlderRunToTheNewer) {
    FactsView view(feed_, testLook(), program(R"({"code": {"between": "diff --git a/x b/x", "unknown": ""}})"));
    view.show();
    view.setRuns({second_, first_});
    ASSERT_TRUE(eventually([&] { return textOf(view).contains(QStringLiteral("diff --git a/x")); }));
    EXPECT_TRUE(textOf(view).startsWith(QStringLiteral("# git diff aaaa"))) << textOf(view).toStdString();
}

TEST_F(FactsViewTest, NamesWhatARunLeft) {
    const auto folder = storage::WorkspacePaths{workspace_.path()}.run(first_.toStdString());
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "model.safetensors") << std::string(2000, 'x');
    FactsView view(feed_, testLook(), {});
    view.show();
    view.setRuns({first_});
    ASSERT_TRUE(eventually([&] { return says(view, QStringLiteral("model.safetensors, 2.00")); }));
    EXPECT_TRUE(says(view, QUrl::fromLocalFile(QString::fromStdString(folder.string())).toString()));
    view.setRuns({first_, second_, first_});
    for (const auto* label : view.findChildren<QLabel*>()) EXPECT_FALSE(label->isVisible());
}

}  // namespace
}  // namespace dasgd::gui
