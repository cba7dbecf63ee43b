// The way of a new user: sets an experiment up in an empty workspace, runs it, looks at it live, compares its runs,
// makes a figure of the comparison and exports it. By keys and clicks, with the `dasgd` program and real training.
#pragma once

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDirIterator>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QTest>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>

#include "gui/figures/bundle/figure_command.h"
#include "gui/kit/plots/plot_view.h"
#include "gui/kit/theme/theme.h"
#include "gui/runs/model/run_list_model.h"
#include "gui/timeline/view/timeline_widget.h"
#include "gui/window/main_window.h"

namespace dasgd::test {

// The window starts its own program for an export, which is the one that this header is in: to be called first in
// main(). Answers the exit status where that is what it was started for.
inline std::optional<int> writeFiguresIfAsked(int argc, char** argv) {
    if (argc < 2 || std::strcmp(argv[1], "figure") != 0) return std::nullopt;
    const QApplication app(argc, argv);
    gui::installFonts();
    const auto options = gui::parseFigureOptions(QCoreApplication::arguments().mid(2));
    const auto written = options ? gui::writeFigures(*options) : tl::unexpected(options.error());
    if (written) return 0;
    std::fprintf(stderr, "%s\n", written.error().message.c_str());
    return 2;
}

class ScriptedSession {
public:
    // Two algorithms with two seeds each, some seconds in all.
    static constexpr const char* kExperiment = R"(name = "first paper"

[algorithm]
name = "dasgd"

[model]
name = "lenet"

[train]
steps = 160
batch_size = 32
eval_every = 40

[cluster]
workers = 2
link = { bandwidth = "400Mbps", latency = "0.1ms" }

[sweep]
"algorithm" = [{ name = "local_sgd", period = 4 }, { name = "dasgd", period = 4, delay = 3 }]
"train.seed" = [1, 2]
)";

    // `say` is told of each step before it is made.
    ScriptedSession(gui::MainWindow& window, std::filesystem::path workspace, std::function<void(const char*)> say = {})
        : window_(window), workspace_(std::move(workspace)), say_(std::move(say)) {}

    // "" where it came to its end, else what did not happen.
    QString play() {
        const std::pair<const char*, bool (ScriptedSession::*)()> steps[]{
            {"the window opens", &ScriptedSession::opens},
            {"an experiment is written and checked", &ScriptedSession::writes},
            {"Ctrl+Enter runs it, and its curves and spans come live", &ScriptedSession::runs},
            {"the timeline follows, pans and zooms", &ScriptedSession::looksAtTheTimeline},
            {"all four runs finish", &ScriptedSession::finishes},
            {"the list is filtered and a run looked at", &ScriptedSession::filters},
            {"the newest experiment is compared", &ScriptedSession::compares},
            {"Ctrl+E writes what it shows", &ScriptedSession::exportsTheComparison},
            {"Ctrl+Shift+E makes a figure of it", &ScriptedSession::makesAFigure},
            {"Ctrl+E exports the bundle", &ScriptedSession::exports}};
        for (const auto& [words, step] : steps) {
            if (say_) say_(words);
            if (!(this->*step)()) return QString::fromUtf8(words);
        }
        return {};
    }
    // Files of the bundle.
    [[nodiscard]] QStringList bundle() const {
        QStringList files;
        QDirIterator each(figures(), QDir::Files, QDirIterator::Subdirectories);
        while (each.hasNext()) files << QFileInfo(each.next()).fileName();
        files.sort();
        return files;
    }

private:
    static bool soon(const std::function<bool()>& done) { return QTest::qWaitFor(done, 60'000); }
    [[nodiscard]] QString figures() const {
        return QDir(QString::fromStdString(workspace_.string())).filePath(QStringLiteral("figures"));
    }
    const std::vector<gui::RunItemPtr>& items() { return window_.session().runs().items(); }
    void key(Qt::Key key, Qt::KeyboardModifiers with = Qt::NoModifier) {
        QWidget* focused = QApplication::focusWidget();
        QTest::keyClick(focused ? focused : &window_, key, with);
    }
    template <class Widget>
    Widget* visible(const std::function<bool(const Widget&)>& is) {
        for (Widget* one : window_.findChildren<Widget*>()) {
            if (one->isVisible() && is(*one)) return one;
        }
        return nullptr;
    }
    QPushButton* button(const QString& part) {
        return visible<QPushButton>([&](const QPushButton& one) { return one.text().contains(part); });
    }

    bool opens() {
        window_.show();
        window_.activateWindow();
        return QTest::qWaitForWindowActive(&window_) && soon([&] { return window_.session().loaded(); });
    }
    bool writes() {
        key(Qt::Key_1, Qt::ControlModifier);
        auto* editor = visible<QPlainTextEdit>([](const QPlainTextEdit& one) { return !one.isReadOnly(); });
        if (!editor || !soon([&] { return window_.draft().schema().isKnown(); })) return false;
        editor->setFocus();
        QGuiApplication::clipboard()->setText(QString::fromUtf8(kExperiment));
        key(Qt::Key_A, Qt::ControlModifier);  // in place of the experiment that the page begins with
        key(Qt::Key_V, Qt::ControlModifier);
        return soon([&] { return window_.draft().check().result() && window_.draft().check().result()->total == 4; });
    }
    bool runs() {
        key(Qt::Key_Return, Qt::ControlModifier);
        if (!soon([&] { return window_.session().current() && window_.session().current()->row.steps > 20; })) {
            return false;
        }
        const QString id = window_.session().currentId();
        return soon([&] {
            return !window_.session().series(id, "train/loss").points().empty() &&
                   window_.session().pulse().spans > 100;
        });
    }
    bool looksAtTheTimeline() {
        key(Qt::Key_4, Qt::ControlModifier);
        const auto drawn = [](const gui::TimelineWidget& one) { return one.frame()->spans > 0; };
        if (!soon([&] { return visible<gui::TimelineWidget>(drawn) != nullptr; })) return false;
        for (int i = 0; i < 3; ++i) {
            for (const Qt::Key one : {Qt::Key_W, Qt::Key_W, Qt::Key_A, Qt::Key_D, Qt::Key_S, Qt::Key_0, Qt::Key_F}) {
                if (!movesTheWindow(one)) return false;
                QTest::qWait(60);
            }
        }
        return true;
    }
    bool movesTheWindow(Qt::Key one) {
        const gui::TimeSelection& selection = window_.session().selection();
        const auto width = [](TimeRange range) { return range.end - range.start; };
        // The next run may just have begun, with nothing to look at yet.
        if (!soon([&] { return width(selection.extent()) > 0; })) return false;
        const TimeRange before = selection.window();
        key(one);
        const TimeRange after = selection.window(), extent = selection.extent();
        switch (one) {
            case Qt::Key_W: return width(after) < width(before);
            // A short run may have no more to show.
            case Qt::Key_S: return width(after) > width(before) || width(before) >= 2 * width(extent);
            case Qt::Key_A: return after.start < before.start && !selection.following();
            case Qt::Key_D: return after.start > before.start && !selection.following();
            case Qt::Key_0: return after.start == extent.start && after.end == extent.end;
            case Qt::Key_F: return selection.following();
            default: return false;
        }
    }
    bool finishes() {
        return soon([&] {
            return items().size() == 4 && std::ranges::all_of(items(), [](const gui::RunItemPtr& run) {
                       return run->row.status == "finished";
                   });
        });
    }
    bool filters() {
        key(Qt::Key_2, Qt::ControlModifier);
        key(Qt::Key_F, Qt::ControlModifier);
        const auto* list = window_.findChild<gui::RunListModel*>();
        if (!list || !QApplication::focusWidget()) return false;
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("algorithm = dasgd and seed = 2"), Qt::NoModifier,
                         5);
        if (!soon([&] { return list->runCount() == 1 && !list->filterState().error; })) return false;
        key(Qt::Key_A, Qt::ControlModifier);
        key(Qt::Key_Delete);
        if (!soon([&] { return list->runCount() == 4; })) return false;
        key(Qt::Key_3, Qt::ControlModifier);
        return soon([&] {
            return visible<gui::PlotView>([](const gui::PlotView& one) {
                       return !one.curves().empty() && !one.curves().front().line.x.empty();
                   }) != nullptr;
        });
    }
    bool compares() {
        key(Qt::Key_5, Qt::ControlModifier);
        QTest::qWait(300);
        QPushButton* newest = button(QStringLiteral("ewest experiment"));
        if (!newest) return false;
        QTest::mouseClick(newest, Qt::LeftButton);
        return soon([&] {
            return visible<QLabel>(
                [](const QLabel& one) { return one.text().contains(QStringLiteral("2 configurations")); });
        });
    }
    bool makesAFigure() {
        key(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        return soon([&] {
            QPushButton* write = button(QStringLiteral("Export"));
            return write && write->isEnabled() && window_.figures().settled();
        });
    }
    [[nodiscard]] int pictures() const { return static_cast<int>(bundle().filter(QStringLiteral(".pdf")).size()); }
    // figure.json is written last.
    [[nodiscard]] int records() const { return static_cast<int>(bundle().count(QStringLiteral("figure.json"))); }
    // Two charts and the bars; a map needs two settings that differ.
    bool exportsTheComparison() {
        key(Qt::Key_E, Qt::ControlModifier);
        return soon([&] { return records() == 1 && pictures() >= 3; });
    }
    bool exports() {
        const int before = pictures();
        key(Qt::Key_E, Qt::ControlModifier);
        return soon([&] { return records() == 2 && pictures() == before + 1; }) &&
               soon([&] { return button(QStringLiteral("Export"))->isEnabled(); });
    }

    gui::MainWindow& window_;
    std::filesystem::path workspace_;
    std::function<void(const char*)> say_;
};

}  // namespace dasgd::test
