// What a window costs that follows a live run: 8 ranks of about 1,000 spans/s each, written by a process of its own as
// ranks write them. CPU time of the window's process, reading and drawing, ÷ time; and how far it says that it is
// behind.
#include <QApplication>
#include <QProcess>
#include <QRegularExpression>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "gui/main_window.h"
#include "gui/theme/theme.h"
#include "tests/gui/support/synthetic_run.h"

namespace {

using namespace dasgd;

constexpr double kStepMs = 4.2;
constexpr int kSecondsOfPage = 12, kSettleSeconds = 3;

int write(const char* folder, double seconds) {
    auto store = storage::Store::open(folder);
    if (!store) return 1;
    test::SyntheticSpec spec{.ranks = 8,
                             .steps = static_cast<std::int64_t>(seconds * 1e3 / kStepMs),
                             .stepMs = kStepMs,
                             .reduceMs = 3 * kStepMs,
                             .realTime = true};
    test::recordRun(*store, spec);
    return 0;
}

double processSeconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double at(std::vector<double>& values, double part) {
    std::ranges::sort(values);
    return values.empty() ? 0 : values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

void measure(gui::MainWindow& window, const char* what) {
    static const QRegularExpression behind(QStringLiteral("(\\d+) ms behind"));
    QTest::qWait(kSettleSeconds * 1000);
    const qint64 spans = window.session().pulse().spans;
    std::vector<double> lag;
    const double before = processSeconds();
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < kSecondsOfPage * 10; ++i) {
        QTest::qWait(100);
        const auto match = behind.match(window.statusText());
        if (match.hasMatch()) lag.push_back(match.captured(1).toDouble());
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    const double part = (processSeconds() - before) / seconds;
    std::printf("%-28s %5.1f %% of a core, %6.0f spans/s, behind: median %.0f ms, 95 %% %.0f ms, n = %zu\n", what,
                100 * part, static_cast<double>(window.session().pulse().spans - spans) / seconds, at(lag, 0.5),
                at(lag, 0.95), lag.size());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 4 && std::strcmp(argv[1], "write") == 0) return write(argv[2], std::atof(argv[3]));
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    const QTemporaryDir settings, folder;
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    gui::installFonts();
    gui::Look look(gui::ThemeName::Dark);
    QProcess writer;
    const std::vector<const char*> pages{"Run", "Timeline", "Runs", "Compare", "Experiment"};
    const auto seconds = static_cast<double>(pages.size() + 2) * (kSecondsOfPage + kSettleSeconds + 1);
    writer.start(QString::fromLocal8Bit(argv[0]), {QStringLiteral("write"), folder.path(), QString::number(seconds)});
    gui::MainWindow window(folder.path().toStdString(), look);
    window.resize(1920, 1080);
    window.show();
    if (!QTest::qWaitFor([&] { return window.session().current() && window.session().pulse().spans > 1000; }, 20'000)) {
        std::puts("no run came");
        return 1;
    }
    for (const char* page : pages) {
        window.open(page);
        measure(window, page);
    }
    window.hide();
    measure(window, "no window shown");
    writer.terminate();
    writer.waitForFinished();
    return 0;
}
