#include "gui/run/log_view.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(LogView, ShowsOnlyTheLogOfItsRun) {
    NamedLogQuery query;
    LogView view(query);
    const auto arrive = [&query](const char* run, const char* text) {
        emit query.arrived({.runId = QString::fromLatin1(run),
                            .files = {QStringLiteral("rank-0.log"), QStringLiteral("rank-1.log")},
                            .file = QStringLiteral("rank-1.log"),
                            .text = QString::fromLatin1(text)});
    };
    arrive("", "of nobody\n");
    arrive("a", "too early\n");
    EXPECT_EQ(view.text(), QString());
    view.setRun(QStringLiteral("a"));
    arrive("b", "of another\n");
    EXPECT_EQ(view.text(), QString());
    arrive("a", "its own\n");
    EXPECT_EQ(view.text(), QStringLiteral("its own\n"));
    EXPECT_EQ(view.files().currentText(), QStringLiteral("rank-1.log"));
    view.setRun(QStringLiteral("b"));
    EXPECT_EQ(view.text(), QString());
    EXPECT_EQ(view.files().count(), 0);
}

TEST(LogView, SaysThatThereIsNoneOrOnlyTheEnd) {
    NamedLogQuery query;
    LogView view(query);
    view.setRun(QStringLiteral("a"));
    emit query.arrived({.runId = QStringLiteral("a")});
    EXPECT_TRUE(view.text().startsWith(QStringLiteral("No log"))) << view.text().toStdString();
    EXPECT_TRUE(view.files().isHidden()) << "there is nothing to choose";
    emit query.arrived({.runId = QStringLiteral("a"),
                        .files = {QStringLiteral("rank-0.log")},
                        .file = QStringLiteral("rank-0.log"),
                        .text = QStringLiteral("last\n"),
                        .cut = true});
    EXPECT_EQ(view.text(), QStringLiteral("… the last 64 kB\nlast\n"));
    EXPECT_FALSE(view.files().isHidden());
}

}  // namespace
}  // namespace dasgd::gui
