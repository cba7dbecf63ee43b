// The whole way of a new user, from an empty workspace to the files of a figure, with real runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QTemporaryDir>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/in_application.h"
#include "tests/gui/support/scripted_session.h"
#include "tests/support/paths.h"

namespace dasgd::gui {
namespace {

TEST(FirstPaper, GoesFromAnEmptyWorkspaceToAnExportedBundle) {
    const QTemporaryDir folder;
    MainWindow window(folder.path().toStdString(), testLook(), QString::fromUtf8(test::kProgram));
    window.resize(1600, 1000);
    test::ScriptedSession session(window, folder.path().toStdString());
    ASSERT_EQ(session.play().toStdString(), "");
    for (const char* ending : {".pdf", ".svg", ".png", ".csv", ".tex", "figure.json"}) {
        EXPECT_FALSE(session.bundle().filter(QLatin1String(ending)).isEmpty()) << ending;
    }
}

}  // namespace
}  // namespace dasgd::gui

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (const auto ended = dasgd::test::writeFiguresIfAsked(argc, argv)) return *ended;
    return dasgd::gui::runInApplication(argc, argv);
}
