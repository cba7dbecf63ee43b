// Longest time for which the window answers nobody while somebody works with it: the scripted session of
// tests/gui/support/scripted_session.h with real runs, every event timed; at 1920×1080 without a display, all on one
// core, the runs too.
#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "tests/gui/support/scripted_session.h"
#include "tests/support/one_core.h"
#include "tests/support/paths.h"

namespace {

// The processor is shared with the runs: what the thread itself computed is told apart from how long it took.
double threadMs() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Block {
    double ms = 0, computedMs = 0;
    std::string what, during;
};

// Times each event that is not delivered within another one.
class TimedApplication : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        if (depth_ > 0) return QApplication::notify(receiver, event);
        const std::string what =
            std::string(receiver->metaObject()->className()) + ", event " + std::to_string(event->type());
        ++depth_;
        QElapsedTimer timer;
        timer.start();
        const double before = threadMs();
        const bool handled = QApplication::notify(receiver, event);
        const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        --depth_;
        ++events_;
        if (ms > kNoted) blocks_.push_back({ms, threadMs() - before, what, during_});
        return handled;
    }
    void setStep(const char* words) { during_ = words; }
    void print() {
        std::ranges::sort(blocks_, std::ranges::greater(), &Block::ms);
        std::printf("%lld events, %zu of them longer than %.0f ms; the longest:\n", static_cast<long long>(events_),
                    blocks_.size(), kNoted);
        for (std::size_t i = 0; i < std::min<std::size_t>(12, blocks_.size()); ++i) {
            std::printf("%8.1f ms (%.1f ms computed)  %s, while: %s\n", blocks_[i].ms, blocks_[i].computedMs,
                        blocks_[i].what.c_str(), blocks_[i].during.c_str());
        }
    }

private:
    static constexpr double kNoted = 16;
    int depth_ = 0;
    std::int64_t events_ = 0;
    std::string during_;
    std::vector<Block> blocks_;
};

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (const auto ended = dasgd::test::writeFiguresIfAsked(argc, argv)) return *ended;
    TimedApplication app(argc, argv);
    const QTemporaryDir settings, folder;
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    dasgd::test::stayOnOneCore();
    dasgd::gui::installFonts();
    dasgd::gui::Look look(dasgd::gui::ThemeName::Dark);
    dasgd::gui::MainWindow window(folder.path().toStdString(), look, QString::fromUtf8(dasgd::test::kProgram));
    window.resize(1920, 1080);
    dasgd::test::ScriptedSession session(window, folder.path().toStdString(),
                                         [&](const char* words) { app.setStep(words); });
    const QString missed = session.play();
    if (!missed.isEmpty()) std::printf("did not happen: %s\n", missed.toUtf8().constData());
    app.print();
    return missed.isEmpty() ? 0 : 1;
}
