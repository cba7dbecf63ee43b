// The whole way of a new user, from an empty workspace to the files of a figure, with real runs: without a display, and
// on a virtual one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QToolButton>

#include "gui/kit/parts/parts.h"

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

// Hands of a user on a window: what is seen, and what is clicked.
class FirstMinutes : public ::testing::Test {
protected:
    FirstMinutes() {
        window_.resize(1600, 1000);
        window_.show();
    }
    // The sweep goes on without the window; it must not without the test.
    ~FirstMinutes() override {
        for (const qint64 launcher : launchers()) ::kill(static_cast<pid_t>(launcher), SIGTERM);
        EXPECT_TRUE(soon([&] { return launchers().empty(); })) << "a launcher outlived its stop";
    }
    static bool soon(const std::function<bool()>& done) { return QTest::qWaitFor(done, 90'000); }
    template <class Widget>
    Widget* seen(const QString& part) {
        for (Widget* one : window_.findChildren<Widget*>()) {
            if (one->isVisible() && one->text().contains(part)) return one;
        }
        return nullptr;
    }
    void click(const QString& part) {
        auto* button = seen<QPushButton>(part);
        ASSERT_NE(button, nullptr) << part.toStdString();
        ASSERT_TRUE(button->isEnabled()) << part.toStdString();
        QTest::mouseClick(button, Qt::LeftButton);
    }
    void expectNoBanner(const char* when) {
        for (const MessageBar* bar : window_.findChildren<MessageBar*>()) {
            EXPECT_FALSE(bar->isVisible()) << when << ": " << bar->text().toStdString();
        }
    }
    [[nodiscard]] RunItemPtr current() { return window_.session().current(); }
    // Ids of the processes of `dasgd run` and `dasgd resume` on this workspace.
    [[nodiscard]] QList<qint64> launchers() const {
        QList<qint64> found;
        for (const QString& entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
            QFile file(QStringLiteral("/proc/%1/cmdline").arg(entry));
            if (entry.toInt() <= 0 || !file.open(QIODevice::ReadOnly)) continue;
            const QByteArrayList words = file.readAll().split('\0');
            if (words.value(0) == test::kProgram && words.contains(workspace_.toUtf8()) &&
                (words.value(1) == "run" || words.value(1) == "resume")) {
                found << entry.toLongLong();
            }
        }
        return found;
    }

    QTemporaryDir folder_;
    QString workspace_ = folder_.filePath(QStringLiteral("not there yet"));
    MainWindow window_{workspace_.toStdString(), testLook(), QString::fromUtf8(test::kProgram)};
};

TEST_F(FirstMinutes, GoFromAMissingWorkspaceOverStopAndResumeToAComparisonAndAFigure) {
    ASSERT_TRUE(soon([&] { return seen<QPushButton>(QStringLiteral("Run 4 and watch")) != nullptr; }))
        << "what the page begins with is checked and ready to run";
    expectNoBanner("before the first run");
    ASSERT_FALSE(QDir(workspace_).exists()) << "looking makes no folder";

    click(QStringLiteral("Run 4 and watch"));
    ASSERT_TRUE(soon([&] {
        EXPECT_EQ(seen<QLabel>(QStringLiteral("No run yet")), nullptr) << "a run was asked for";
        return current() && current()->row.status == "running" && current()->row.steps > 20;
    }));
    const QString stopped = window_.session().currentId();
    ASSERT_TRUE(soon([&] { return !window_.session().series(stopped, "train/loss").points().empty(); }));
    expectNoBanner("while it trains");

    click(QStringLiteral("Stop"));
    ASSERT_TRUE(soon([&] { return seen<QPushButton>(QStringLiteral("Resume")) != nullptr; }));
    ASSERT_EQ(window_.session().currentId(), stopped);
    const std::int64_t before = current()->row.steps;
    expectNoBanner("after the stop");

    click(QStringLiteral("Resume"));
    ASSERT_TRUE(soon([&] {
        const RunItemPtr run = current();
        return run && run->id != stopped && run->row.resumedFrom == stopped.toStdString() && run->row.steps > before;
    })) << "the page goes on with what was resumed";
    expectNoBanner("after it was resumed");

    click(QStringLiteral("Compare"));
    ASSERT_TRUE(soon([&] { return seen<QLabel>(QStringLiteral("4 configurations")) != nullptr; }));
    ASSERT_TRUE(soon([&] {
        return std::ranges::any_of(window_.findChildren<PlotView*>(), [](const PlotView* plot) {
            return plot->isVisible() && !plot->curves().empty() && !plot->curves().front().line.x.empty();
        });
    })) << "it is drawn";

    auto* figure = seen<QToolButton>(QStringLiteral("igure"));
    ASSERT_NE(figure, nullptr);
    QTest::mouseClick(figure, Qt::LeftButton);
    ASSERT_TRUE(soon([&] { return !window_.figures().figures().empty() && window_.figures().settled(); }));
    expectNoBanner("at the end");
}

// A server of X of this test's own, which ends with it.
class VirtualDisplay {
public:
    explicit VirtualDisplay(const QString& program) {
        server_.start(program, {"-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"});
        if (server_.waitForReadyRead(20'000))
            name_ = u':' + QString::fromLatin1(server_.readAllStandardOutput()).trimmed();
    }
    ~VirtualDisplay() {
        server_.terminate();
        server_.waitForFinished();
    }
    [[nodiscard]] QString name() const { return name_; }  // ":7"; "" where it did not start

private:
    QProcess server_;
    QString name_;
};

TEST(OnAVirtualDisplay, TheFirstMinutesAreTheSame) {
    const QString program = QStandardPaths::findExecutable(QStringLiteral("Xvfb"));
    ASSERT_FALSE(program.isEmpty()) << "Xvfb is not installed: ./lab test does that";
    const VirtualDisplay display(program);
    ASSERT_NE(display.name(), QString());
    QProcess walk;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), display.name());
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
    walk.setProcessEnvironment(environment);
    walk.setProcessChannelMode(QProcess::MergedChannels);
    walk.start(QCoreApplication::applicationFilePath(), {"--gtest_filter=FirstMinutes.*"});
    ASSERT_TRUE(walk.waitForFinished(170'000));
    const std::string said = walk.readAll().toStdString();
    EXPECT_EQ(walk.exitCode(), 0) << said;
    EXPECT_THAT(said, testing::HasSubstr("[  PASSED  ] 1 test"));
}

}  // namespace
}  // namespace dasgd::gui

int main(int argc, char** argv) {
    if (qgetenv("QT_QPA_PLATFORM") != "xcb") qputenv("QT_QPA_PLATFORM", "offscreen");
    if (const auto ended = dasgd::test::writeFiguresIfAsked(argc, argv)) return *ended;
    return dasgd::gui::runInApplication(argc, argv);
}
