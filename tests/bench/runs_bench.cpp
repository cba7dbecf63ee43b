// Cost of the Runs page with 10,000 runs: first rows, all rows, and a key in the filter with 0, 1,000 and all rows
// selected, each until the rows are painted; on one core at 1920×1080 without a display. Prints milliseconds; not a
// test.
//   runs_bench FOLDER     the folder is filled on the first call
#include <QApplication>
#include <QElapsedTimer>
#include <QItemSelection>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "gui/window/main_window.h"
#include "tests/gui/support/scaling_runs.h"
#include "tests/support/one_core.h"

namespace {

using namespace dasgd;
using namespace dasgd::gui;

constexpr int kRuns = 10'000;

// The rest of a resolved configuration, in the form and at the length that the engine records.
constexpr const char* kRest =
    "[model]\nname = \"lenet\"\n[data]\nname = \"mnist\"\npath = \"\"\npartition = \"iid\"\nshuffle = \"global\"\n"
    "drop_last = false\n[optimizer]\nname = \"sgd\"\nlearning_rate = 0.02\nmomentum = 0.9\ndampening = 0.0\n"
    "weight_decay = 0.0\nnesterov = false\n[schedule]\nname = \"constant\"\nwarmup_steps = 0\nwarmup_factor = 0.1\n"
    "[record]\ntrace = \"full\"\nweights = false\n[network]\nlink = { bandwidth = \"200Mbps\", latency = \"1ms\" }\n";

// 500 experiments of 4 algorithms with 5 seeds each.
void fill(const std::filesystem::path& folder) {
    auto store = storage::Store::open(folder);
    if (!store) throw std::runtime_error(store.error().message);
    const std::vector<std::string> algorithms{"sync_sgd", "dasgd", "local_sgd", "easgd"};
    for (int i = 0; i < kRuns; ++i) {
        const int seed = i % 5, algorithm = i / 5 % 4, experiment = i / 20;
        test::recordScaling(*store, {.experiment = "sweep-" + std::to_string(experiment),
                                     .algorithm = algorithms[static_cast<std::size_t>(algorithm)],
                                     .seed = seed,
                                     .stepMs = 10 + 0.1 * seed + algorithm,
                                     .more = kRest + ("[extra]\nvalue = " + std::to_string(experiment % 40) + "\n")});
    }
}

bool until(const std::function<bool()>& done) { return QTest::qWaitFor(done, 120'000); }

template <class Widget>
Widget* named(QWidget& window, const char* name) {
    for (auto* one : window.findChildren<Widget*>()) {
        if (one->accessibleName() == QString::fromUtf8(name)) return one;
    }
    return nullptr;
}

class Bench {
public:
    explicit Bench(const std::filesystem::path& folder) : look_(ThemeName::Dark) {
        clock_.start();
        window_ = std::make_unique<MainWindow>(folder, look_);
        window_->resize(1920, 1080);
        window_->open("Runs");
        window_->show();
        std::printf("window shown       %8.1f ms\n", ms());
        table_ = named<QTableView>(*window_, "Runs");
        field_ = named<QLineEdit>(*window_, "Filter runs");
        until([this] { return table_->model()->rowCount() > 0; });
        paint();
        std::printf("first rows         %8.1f ms  (%d)\n", ms(), table_->model()->rowCount());
        until([this] { return window_->session().runs().rowCount() == kRuns; });
        paint();
        std::printf("all rows           %8.1f ms\n", ms());
        QTest::qWait(2000);
    }

    // Types the filter key by key.
    void type(const char* what, const char* text, int selected) {
        field_->clear();
        paint();
        select(selected);
        paint();
        double worst = 0, sum = 0;
        const QString keys = QString::fromUtf8(text);
        for (const QChar key : keys) {
            clock_.restart();
            QTest::keyClick(field_, key.toLatin1());
            paint();
            worst = std::max(worst, ms());
            sum += ms();
        }
        std::printf("%-34s %6d selected  %8.1f ms a key, worst %8.1f ms  (%d rows)\n", what, selected,
                    sum / static_cast<double>(keys.size()), worst, table_->model()->rowCount());
        clock_.restart();
        field_->clear();
        paint();
        std::printf("%-34s                  %8.1f ms\n", "  cleared", ms());
    }

private:
    [[nodiscard]] double ms() const { return static_cast<double>(clock_.nsecsElapsed()) / 1e6; }
    void paint() {
        QCoreApplication::processEvents();
        table_->viewport()->repaint();
    }
    // Every other row, so that nothing is one range.
    void select(int count) {
        QItemSelection some;
        const QAbstractItemModel& model = *table_->model();
        for (int i = 0; i < count; ++i) {
            const int row = count == kRuns ? i : 2 * i;
            some.select(model.index(row, 0), model.index(row, model.columnCount() - 1));
        }
        table_->selectionModel()->select(some, QItemSelectionModel::ClearAndSelect);
    }

    Look look_;
    QElapsedTimer clock_;
    std::unique_ptr<MainWindow> window_;
    QTableView* table_ = nullptr;
    QLineEdit* field_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    if (argc < 2) return 2;
    const std::filesystem::path folder = argv[1];
    if (!std::filesystem::exists(folder / "lab.db")) {
        std::filesystem::create_directories(folder);
        fill(folder);
        std::printf("filled %s; call again to measure\n", argv[1]);
        return 0;
    }
    test::stayOnOneCore();
    installFonts();
    Bench bench(folder);
    bench.type("word", "dasgd", 0);
    bench.type("comparison", "seed=3", 0);
    bench.type("word", "dasgd", 1000);
    if (argc > 2) bench.type("word", argv[2], kRuns);
    return 0;
}
