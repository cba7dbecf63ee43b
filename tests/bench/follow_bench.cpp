// Cost of a window that follows a live run: 8 ranks of about 1,000 spans/s each, written by a process of its own as
// ranks write them. CPU time of the window's process, reading and drawing, ÷ time; and how far it says that it is
// behind. The window is 1920×1080, without a display, on one core; the writer may use any.
//   follow_bench [PAGE …]     of these pages only
#include <QApplication>
#include <QEventLoop>
#include <QProcess>
#include <QRegularExpression>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>
#include <vector>

#include "gui/kit/theme/theme.h"
#include "gui/timeline/view/timeline_widget.h"
#include "gui/window/main_window.h"
#include "tests/gui/support/synthetic_run.h"
#include "tests/support/one_core.h"

namespace {

using namespace dasgd;

constexpr double kStepMs = 3.8;
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

double cpuSeconds(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double at(std::vector<double>& values, double part) {
    std::ranges::sort(values);
    return values.empty() ? 0 : values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

// Milliseconds since the end of the newest span that a timeline in sight shows; nothing where none is in sight.
std::optional<double> pictureBehind(const QList<gui::TimelineWidget*>& timelines, const gui::Session& session) {
    for (const auto* timeline : timelines) {
        if (!timeline->isVisible() || !session.detail() || timeline->frame()->boxes.empty()) continue;
        Ns newest = 0;
        // Spans beyond the right edge are read, but not seen yet.
        const Ns edge = timeline->view().range.end - (timeline->view().range.end - timeline->view().range.start) / 4;
        for (const gui::TimelineBox& box : timeline->frame()->boxes) {
            if (box.span.start < edge) newest = std::max(newest, std::min(edge, box.span.end));
        }
        return static_cast<double>(MonotonicClock::rawNow() - session.detail()->clockOrigin - newest) / 1e6;
    }
    return std::nullopt;
}

// Runs the event loop as a window waits; QTest::qWait() would look every 10 ms.
void runEventsFor(std::chrono::milliseconds time) {
    QEventLoop loop;
    QTimer::singleShot(time, Qt::PreciseTimer, &loop, &QEventLoop::quit);
    loop.exec();
}

void measure(gui::MainWindow& window, const char* what) {
    static const QRegularExpression behind(QStringLiteral("(\\d+) ms behind"));
    runEventsFor(std::chrono::seconds(kSettleSeconds));
    const qint64 spans = window.session().pulse().spans;
    std::vector<double> lag, drawn;
    const auto timelines = window.findChildren<gui::TimelineWidget*>();
    const double before = cpuSeconds(CLOCK_PROCESS_CPUTIME_ID), ownBefore = cpuSeconds(CLOCK_THREAD_CPUTIME_ID);
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < kSecondsOfPage * 10; ++i) {
        runEventsFor(std::chrono::milliseconds(100));
        const auto match = behind.match(window.statusText());
        if (match.hasMatch()) lag.push_back(match.captured(1).toDouble());
        if (const auto age = pictureBehind(timelines, window.session())) drawn.push_back(*age);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    const double part = (cpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - before) / seconds;
    const double own = (cpuSeconds(CLOCK_THREAD_CPUTIME_ID) - ownBefore) / seconds;
    std::printf(
        "%-16s %5.1f %% of a core (window's thread %4.1f %%), %6.0f spans/s, behind: median %.0f ms, 95 %% %.0f ms, "
        "n = %zu\n",
        what, 100 * part, 100 * own, static_cast<double>(window.session().pulse().spans - spans) / seconds,
        at(lag, 0.5), at(lag, 0.95), lag.size());
    if (!drawn.empty()) {
        std::printf("%-16s newest span in the picture: median %.0f ms old, 95 %% %.0f ms, n = %zu\n", "",
                    at(drawn, 0.5), at(drawn, 0.95), drawn.size());
    }
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
    std::vector<const char*> pages(argv + 1, argv + argc);
    if (pages.empty()) pages = {"Run", "Timeline", "Runs", "Compare", "Experiment"};
    const auto seconds = static_cast<double>(pages.size() + 2) * (kSecondsOfPage + kSettleSeconds + 1);
    writer.start(QString::fromLocal8Bit(argv[0]), {QStringLiteral("write"), folder.path(), QString::number(seconds)});
    test::stayOnOneCore();
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
