// The process that draws is this test's own program, not `dasgd-lab`: the page's part of an export is tested.
#include "gui/figures/export/figure_export.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

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
    exporter.writeSaved(QStringLiteral("some"), QStringLiteral("--gtest_list_tests"));
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
    exporter.writeSaved(QStringLiteral("some"), QStringLiteral("--gtest_list_tests"));
    EXPECT_TRUE(message.text().contains(QLatin1String("figures/some-3"))) << message.text().toStdString();
    ASSERT_TRUE(eventually([&] { return !exporter.busy(); }));
}

// The program of this test keeps what is on its standard input in `figures` (gui_main.cpp).
TEST(FigureExport, WhatIsShownIsHandedOverWholeAlsoWhereTheWindowIsClosedAtOnce) {
    Workspace workspace;
    const QDir root(QString::fromStdString(workspace.path().string()));
    Feed feed(workspace.path());
    Session session(feed);
    QPushButton button;
    MessageBar message(testLook());
    FigureSpec many;
    for (int i = 0; i < 20'000; ++i) many.runs << QStringLiteral("a run of many, %1").arg(i);  // more than a pipe holds
    {
        FigureExport exporter(session, button, message, nullptr);
        exporter.writeShown(QStringLiteral("my sweep"), {});
        EXPECT_FALSE(exporter.busy()) << "without figures there is nothing to write";
        exporter.writeShown(QStringLiteral("my sweep"),
                            {{QStringLiteral("loss"), many}, {QStringLiteral("loss"), FigureSpec{}}});
        ASSERT_TRUE(exporter.busy());
    }
    ASSERT_TRUE(eventually([&] { return root.exists(QStringLiteral("figures/my-sweep/words")); }));
    QFile file(root.filePath(QStringLiteral("figures/my-sweep/figures")));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QJsonArray figures = QJsonDocument::fromJson(file.readAll()).object()[QLatin1String("figures")].toArray();
    ASSERT_EQ(figures.size(), 2);
    EXPECT_EQ(figures[0][QLatin1String("spec")], jsonOf(many));
    EXPECT_EQ(figures[1][QLatin1String("name")].toString(), QStringLiteral("loss-2")) << "files of their own";
}

TEST(FigureExport, WhatIsNotAmongThemIsSaidBesideThePlace) {
    Workspace workspace;
    Feed feed(workspace.path());
    Session session(feed);
    QPushButton button;
    MessageBar message(testLook());
    FigureExport exporter(session, button, message, nullptr);
    exporter.writeShown(QStringLiteral("some"), {{QStringLiteral("loss"), FigureSpec{}}}, QStringLiteral("; no bars"));
    ASSERT_TRUE(eventually([&] { return !exporter.busy(); }));
    EXPECT_TRUE(message.text().endsWith(QLatin1String("figures/some; no bars"))) << message.text().toStdString();
    exporter.writeSaved(QStringLiteral("other"), QStringLiteral("other.json"));
    ASSERT_TRUE(eventually([&] { return !exporter.busy(); }));
    EXPECT_TRUE(message.text().endsWith(QLatin1String("figures/other"))) << "of another export nothing is left";
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
        exporter.writeSaved(QStringLiteral("some"), QStringLiteral("--when-told"));
        ASSERT_TRUE(exporter.busy());
    }
    QFile go(root.filePath(QStringLiteral("go")));
    ASSERT_TRUE(go.open(QIODevice::WriteOnly));
    EXPECT_TRUE(eventually([&] { return root.exists(QStringLiteral("figures/some/words")); }));
    EXPECT_TRUE(message.text().startsWith(QLatin1String("Writing figures to "))) << "nobody hears of its end";
}

TEST(FigureExport, WhatItSaidGoesWithWhatItWasOfAndNothingElseDoes) {
    Workspace workspace;
    Feed feed(workspace.path());
    Session session(feed);
    QPushButton button;
    MessageBar message(testLook());
    FigureExport exporter(session, button, message, nullptr);
    exporter.writeSaved(QStringLiteral("some"), QStringLiteral("--gtest_list_tests"));
    exporter.forget();
    EXPECT_TRUE(message.text().contains(QLatin1String("figures/some"))) << "it is still written";
    ASSERT_TRUE(eventually([&] { return !exporter.busy(); }));
    exporter.forget();
    EXPECT_EQ(message.text(), QString());
    message.say(QStringLiteral("of another"));
    exporter.forget();
    EXPECT_EQ(message.text(), QStringLiteral("of another"));
}

}  // namespace
}  // namespace dasgd::gui
