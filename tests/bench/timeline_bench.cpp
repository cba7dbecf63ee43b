// Cost of the timeline with ten million spans, on one core at 1920×1080 without a display: from the start of the window
// to the first picture of the run; fitting all of it; each frame while zooming and panning, by what it costs the thread
// of the window and by when the picture shows all that is in the store; memory. Prints figures; not a test.
//   timeline_bench FOLDER [RANKS SPANS_OF_RANK]     the first call fills the folder
//   timeline_bench FOLDER [PAGE]                     every other measures, on the Run page or this one
#include <QApplication>
#include <QElapsedTimer>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>

#include "core/base/check.h"
#include "core/journal/journal.h"
#include "gui/timeline/model/find/find_query.h"
#include "gui/timeline/view/timeline_widget.h"
#include "gui/window/main_window.h"
#include "storage/write/recorder.h"
#include "tests/support/one_core.h"

namespace {

using namespace dasgd;
using namespace dasgd::gui;

constexpr int kPeriod = 4;
constexpr double kSpansOfStep = 4.75;  // data, forward, backward, update; of every fourth snapshot, reduce and merge

template <class T>
T orDie(Result<T> result) {
    if (!result) std::fprintf(stderr, "%s\n", result.error().message.c_str());
    DASGD_CHECK(result);
    return std::move(*result);
}

// A step of DaSGD with delay 1, of some milliseconds, with scatter: no two steps are alike.
class Rank {
public:
    Rank(int number, EventSink& sink) : random_(static_cast<unsigned>(number)), sink_(sink) {}
    void step(std::int64_t step, bool averages) {
        work(SpanKind::Data, step, 100'000);
        work(SpanKind::Forward, step, 1'600'000);
        work(SpanKind::Backward, step, 3'100'000);
        work(SpanKind::Update, step, 250'000);
        if (launched_ != 0) {
            const auto collective = static_cast<std::uint64_t>((step - 1) / kPeriod);
            sink_.span({.lane = Lane::Comm,
                        .kind = SpanKind::Reduce,
                        .step = step - 1,
                        .start = launched_,
                        .end = std::max(launched_, now_ - 400'000),
                        .bytes = 246'824,
                        .collective = collective});
            work(SpanKind::Merge, step, 120'000, collective);
            launched_ = 0;
        }
        if (!averages) return;
        work(SpanKind::Snapshot, step, 60'000);
        launched_ = now_;
    }

private:
    void work(SpanKind kind, std::int64_t step, Ns length, std::uint64_t collective = 0) {
        const Ns end = now_ + length + static_cast<Ns>(random_() % static_cast<unsigned>(length / 4));
        sink_.span({.kind = kind, .step = step, .start = now_, .end = end, .collective = collective});
        now_ = end;
    }
    std::minstd_rand random_;
    EventSink& sink_;
    Ns now_ = 2'000'000, launched_ = 0;
};

// Records all ranks step after step, as those of a live run come in.
void fill(const std::filesystem::path& folder, int ranks, std::int64_t spansOfRank) {
    storage::Store store = orDie(storage::Store::open(folder));
    const storage::RunInfo info{.runId = store.newRunId("dasgd"),
                                .experiment = "timeline",
                                .algorithm = "dasgd",
                                .backend = "virtual",
                                .config = "name = \"timeline\"\n[algorithm]\nname = \"dasgd\"\n",
                                .workers = ranks,
                                .timeSimulated = true,
                                .versions = "{}"};
    DASGD_CHECK(store.addRun(info));
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    auto journal = orDie(JournalWriter::create(store.paths().journal(info.runId, 0)));
    std::vector<Rank> group;
    for (const int rank : all) group.emplace_back(rank, journal->of(dasgd::Rank(rank)));
    auto recorder = orDie(storage::Recorder::start(store, info.runId, all, {0}));
    const auto steps = static_cast<std::int64_t>(static_cast<double>(spansOfRank) / kSpansOfStep);
    for (std::int64_t step = 1; step <= steps; ++step) {
        for (Rank& rank : group) rank.step(step, step % kPeriod == 0);
        // The journal of a real run is read about as fast as it is written.
        while (step % 1000 == 0 && recorder->recordsStored() < (step - 4000) * ranks * 4) QTest::qSleep(5);
    }
    for (const int rank : all) journal->of(dasgd::Rank(rank)).state(RankState::Finished, steps, "");
    journal.reset();
    DASGD_CHECK(recorder->finish("finished", ""));
}

// MiB, of /proc/self/status.
double memory(const char* field) {
    std::ifstream file("/proc/self/status");
    std::string word;
    while (file >> word) {
        if (word != field) continue;
        double kilobytes = 0;
        file >> kilobytes;
        return kilobytes / 1024;
    }
    return 0;
}

struct Times {
    std::vector<double> ms;
    [[nodiscard]] double at(double part) {
        std::sort(ms.begin(), ms.end());
        return ms.empty() ? 0 : ms[static_cast<std::size_t>(part * static_cast<double>(ms.size() - 1))];
    }
    void print(const char* what) {
        const double middle = at(0.5), most = at(0.95), worst = at(1);
        std::printf("  %-36s median %7.1f ms, 95 %% %7.1f ms, worst %7.1f ms, n = %zu\n", what, middle, most, worst,
                    ms.size());
    }
};

class Bench {
public:
    explicit Bench(const std::filesystem::path& folder, const char* page) : look_(ThemeName::Dark) {
        clock_.start();
        window_ = std::make_unique<MainWindow>(folder, look_);
        window_->resize(1920, 1080);
        window_->open(page);
        window_->show();
        until([this] { return find(); });
        DASGD_CHECK(timeline_);
        until([this] { return selection().extent().end > 0 && timeline_->frame()->spans > 0 && isSharp(); });
        timeline_->repaint();
        std::printf("first picture       %8.1f ms  (%zu spans in it)\n", ms(), timeline_->frame()->spans);
    }

    void fit() {
        selection().fit();
        sharp("fit all");
    }

    // Zooms in at the pointer to single spans, and out again, then pans, at several widths.
    void travel() {
        Times zoomUi, zoomSharp, panUi, panSharp;
        for (const double at : {0.2, 0.5, 0.8}) {
            for (int i = 0; i < 70; ++i) frame(zoomUi, zoomSharp, [&] { zoom(at, 1 / 1.2); });
            for (int i = 0; i < 70; ++i) frame(zoomUi, zoomSharp, [&] { zoom(at, 1.2); });
        }
        for (int width = 0; width < 12; ++width) {
            for (int i = 0; i < 20; ++i) {
                frame(panUi, panSharp, [&] { pan(width % 2 == 0 ? 0.06 : -0.06); });
            }
            for (int i = 0; i < 5; ++i) zoom(0.5, 1 / 1.2);
            settle();
        }
        zoomUi.print("zooming: a frame, window's thread");
        zoomSharp.print("  until all of it is shown");
        panUi.print("panning: a frame, window's thread");
        panSharp.print("  until all of it is shown");
    }

private:
    bool find() {
        for (auto* one : window_->findChildren<TimelineWidget*>()) {
            if (one->isVisible()) timeline_ = one;
        }
        return timeline_ != nullptr;
    }
    [[nodiscard]] TimeSelection& selection() { return window_->session().selection(); }
    [[nodiscard]] double ms() const { return static_cast<double>(clock_.nsecsElapsed()) / 1e6; }
    // Waits as a window does: a loop that looks again and again would take from the reader's thread the core that they
    // share.
    static void until(const std::function<bool()>& done) {
        QTimer patience;
        patience.setSingleShot(true);
        patience.start(120'000);
        while (!done() && patience.isActive()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    [[nodiscard]] bool isSharp() const {
        const TimelineView view = timeline_->view();
        const TimelineFramePtr& frame = timeline_->frame();
        return frame->complete && frame->range.start == view.range.start && frame->range.end == view.range.end;
    }
    void settle() {
        until([this] { return isSharp(); });
    }
    void sharp(const char* what) {
        clock_.restart();
        settle();
        timeline_->repaint();
        std::printf("%-19s %8.1f ms  (%zu spans in %zu boxes)\n", what, ms(), timeline_->frame()->spans,
                    timeline_->frame()->boxes.size());
    }
    void zoom(double at, double factor) {
        const TimeRange window = selection().window();
        selection().zoom(window.start + static_cast<Ns>(at * static_cast<double>(window.end - window.start)), factor);
    }
    void pan(double part) {
        const TimeRange window = selection().window();
        selection().pan(static_cast<Ns>(part * static_cast<double>(window.end - window.start)));
    }
    // The thread of the window: moving, painting, taking the answer and painting that.
    void frame(Times& ui, Times& all, const std::function<void()>& move) {
        QElapsedTimer own;
        own.start();
        clock_.restart();
        move();
        timeline_->repaint();
        double busy = static_cast<double>(own.nsecsElapsed()) / 1e6;
        settle();
        own.restart();
        timeline_->repaint();
        busy = std::max(busy, static_cast<double>(own.nsecsElapsed()) / 1e6);
        ui.ms.push_back(busy);
        all.ms.push_back(ms());
    }

    Look look_;
    QElapsedTimer clock_;
    std::unique_ptr<MainWindow> window_;
    TimelineWidget* timeline_ = nullptr;
};

// Times a search from the request to the answer, on the reader's thread alone.
void find(const std::filesystem::path& folder, const char* text) {
    LiveStore store(folder);
    DASGD_CHECK(store.open() && store.isOpen());
    const std::string run = orDie(store.reader().runs().list()).front().runId;
    FindQuery query;
    std::optional<FoundSpans> answer;
    QObject::connect(&query, &FindQuery::arrived, [&](const FoundSpans& found) { answer = found; });
    QElapsedTimer clock;
    clock.start();
    qint64 longest = 0;
    query.request(1, QString::fromStdString(run), SpanFilter::parse(QString::fromUtf8(text)).value());
    while (!answer) {
        QElapsedTimer piece;
        piece.start();
        DASGD_CHECK(query.refresh(store));
        longest = std::max(longest, piece.elapsed());
        QCoreApplication::sendPostedEvents(&query);
    }
    std::printf("find %-26s %6.2f s, %lld found, longest piece %lld ms\n", text,
                static_cast<double>(clock.elapsed()) / 1e3, static_cast<long long>(answer->found),
                static_cast<long long>(longest));
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    if (argc < 2) return 2;
    const std::filesystem::path folder = argv[1];
    if (!std::filesystem::exists(folder / "lab.db")) {
        const int ranks = argc > 2 ? std::atoi(argv[2]) : 8;
        const std::int64_t spans = argc > 3 ? std::atoll(argv[3]) : 1'250'000;
        QElapsedTimer clock;
        clock.start();
        std::filesystem::create_directories(folder);
        fill(folder, ranks, spans);
        std::printf("filled %s in %.1f s; call again to measure\n", argv[1],
                    static_cast<double>(clock.elapsed()) / 1e3);
        return 0;
    }
    test::stayOnOneCore();
    installFonts();
    const double before = memory("VmRSS:");
    for (const char* text : {"backward > 20 ms", "wait > 20ms and rank >= 4", "step = 100", "rank = 3"})
        find(folder, text);
    Bench bench(folder, argc > 2 ? argv[2] : "Run");
    bench.fit();
    bench.travel();
    std::printf("memory              %8.0f MiB at most, %.0f MiB before the window\n", memory("VmHWM:"), before);
    return 0;
}
