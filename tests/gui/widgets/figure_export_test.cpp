// The process that draws is this test's own program, which is no `dasgd-lab`: what is tested is what the page hears.
#include "gui/widgets/figure_export.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(FigureExport, SaysWhatItDoesAndComesBack) {
    Workspace workspace;
    Feed feed(workspace.path());
    Session session(feed);
    QPushButton button;
    MessageBar message(testLook());
    FigureExport exporter(session, button, message, nullptr);
    exporter.write(QStringLiteral("nothing"), {});
    EXPECT_FALSE(exporter.busy()) << "without runs there is nothing to draw";
    exporter.write(QStringLiteral("some"), {QStringLiteral("a")}, {QStringLiteral("--gtest_list_tests")});
    EXPECT_TRUE(exporter.busy());
    EXPECT_FALSE(button.isEnabled());
    EXPECT_TRUE(message.text().contains(QLatin1String("figures/some")));
    ASSERT_TRUE(eventually([&] { return !exporter.busy(); }));
    EXPECT_TRUE(button.isEnabled());
    EXPECT_TRUE(message.text().startsWith(QLatin1String("Figures are in "))) << message.text().toStdString();
}

TEST(FigureExport, FiguresThatAreThereKeepTheirFolder) {
    Workspace workspace;
    const QDir root(QString::fromStdString(workspace.path().string()));
    ASSERT_TRUE(root.mkpath(QStringLiteral("figures/some")) && root.mkpath(QStringLiteral("figures/some-2")));
    Feed feed(workspace.path());
    Session session(feed);
    QPushButton button;
    MessageBar message(testLook());
    FigureExport exporter(session, button, message, nullptr);
    exporter.write(QStringLiteral("some"), {QStringLiteral("a")}, {QStringLiteral("--gtest_list_tests")});
    EXPECT_TRUE(message.text().contains(QLatin1String("figures/some-3"))) << message.text().toStdString();
    ASSERT_TRUE(eventually([&] { return !exporter.busy(); }));
}

// The program of this test writes what stands for figures once it is told to (gui_main.cpp).
TEST(FigureExport, GoesOnWhenItsWindowIsClosed) {
    Workspace workspace;
    const QDir root(QString::fromStdString(workspace.path().string()));
    Feed feed(workspace.path());
    Session session(feed);
    QPushButton button;
    MessageBar message(testLook());
    {
        FigureExport exporter(session, button, message, nullptr);
        exporter.write(QStringLiteral("some"), {QStringLiteral("a")}, {QStringLiteral("--when-told")});
        ASSERT_TRUE(exporter.busy());
    }
    QFile go(root.filePath(QStringLiteral("go")));
    ASSERT_TRUE(go.open(QIODevice::WriteOnly));
    EXPECT_TRUE(eventually([&] { return root.exists(QStringLiteral("figures/some/words")); }));
    EXPECT_TRUE(message.text().startsWith(QLatin1String("Writing figures to "))) << "nobody hears of its end";
}

}  // namespace
}  // namespace dasgd::gui
