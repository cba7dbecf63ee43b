#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableWidget>
#include <QToolButton>

#include "gui/data/spans/timeline_rows.h"
#include "gui/figures/bundle/figure_bundle.h"
#include "gui/timeline/kind_legend.h"
#include "gui/timeline/view/overview_widget.h"
#include "gui/timeline/view/timeline_widget.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class TimelinePageTest : public WindowBench {
protected:
    template <class Widget>
    Widget* visible() {
        for (Widget* one : window_->findChildren<Widget*>()) {
            if (one->isVisible()) return one;
        }
        return nullptr;
    }
    void look() {
        workspace_.record({.steps = 200});
        open();
        window_->open("Timeline");
        ASSERT_TRUE(eventually([this] {
            return visible<OverviewWidget>() && !visible<OverviewWidget>()->image().isNull() &&
                   visible<TimelineWidget>()->frame()->spans > 0 && visible<QTableWidget>()->rowCount() > 3;
        }));
    }
    [[nodiscard]] TimeSelection& selection() { return window_->session().selection(); }
};

TEST_F(TimelinePageTest, TheStripHasALineForEachRankAndMovesTheWindow) {
    look();
    auto* strip = visible<OverviewWidget>();
    EXPECT_EQ(strip->image().height(), 4);
    EXPECT_TRUE(std::ranges::any_of(window_->findChildren<QLabel*>(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains(QStringLiteral(" spans in ")) &&
               label->text().endsWith(QStringLiteral(", measured"));
    }));
    const TimeRange before = selection().window();
    QTest::mouseClick(strip, Qt::LeftButton, {}, QPoint(strip->width() / 4, 20));
    const TimeRange extent = selection().extent();
    const TimeRange after = selection().window();
    EXPECT_EQ(after.end - after.start, before.end - before.start);
    EXPECT_NEAR(static_cast<double>((after.start + after.end) / 2 - extent.start),
                static_cast<double>(extent.end - extent.start) / 4, 2e7);
    QTest::keyClick(strip, Qt::Key_Right);
    EXPECT_GT(selection().window().start, after.start);
}

TEST_F(TimelinePageTest, TheTableIsOfTheWindowOrOfWhatIsSelectedAndCanBeCopied) {
    look();
    EXPECT_NE(label(QStringLiteral("in the window, mean of 4 ranks")), nullptr);
    selection().mark(TimeRange{1'000'000'000, 1'200'000'000});
    ASSERT_TRUE(eventually([this] { return label(QStringLiteral("selected, mean of 4 ranks")) != nullptr; }));
    QTest::mouseClick(button<QPushButton>(QStringLiteral("Copy table")), Qt::LeftButton);
    const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_GT(lines.size(), 4);
    double sum = 0;
    for (const QString& line : lines.mid(1)) {
        sum += line.section(QLatin1Char('\t'), 1, 1).toDouble();
        if (line.startsWith(QStringLiteral("idle"))) break;
    }
    EXPECT_NEAR(sum, 200, 1e-3) << "adds up to its length";
}

TEST_F(TimelinePageTest, WhatWasMarkedBeforeThePageWasOpenIsAddedUpOnIt) {
    workspace_.record({.steps = 200});
    open();
    ASSERT_TRUE(eventually([this] { return window_->session().current() && window_->session().pulse().spans > 0; }));
    selection().mark(TimeRange{1'000'000'000, 1'200'000'000});
    QTest::qWait(50);
    window_->open("Timeline");
    EXPECT_TRUE(eventually([this] { return label(QStringLiteral("selected, mean of 4 ranks")) != nullptr; }));
    EXPECT_GT(visible<QTableWidget>()->rowCount(), 3);
}

TEST_F(TimelinePageTest, InANarrowWindowTheTableMakesRoomAndComesBackByKey) {
    look();
    window_->resize(1280, 720);
    EXPECT_TRUE(eventually([this] { return visible<QTableWidget>() == nullptr; }));
    QTest::keyClick(window_.get(), Qt::Key_I, Qt::ControlModifier);
    EXPECT_TRUE(eventually([this] { return visible<QTableWidget>() != nullptr; }));
    QTest::qWait(50);
    EXPECT_EQ(window_->size(), QSize(1280, 720));
    for (const QScrollArea* area : window_->findChildren<QScrollArea*>()) {
        EXPECT_TRUE(!area->isVisible() || area->horizontalScrollBar()->maximum() == 0);
    }
}

TEST_F(TimelinePageTest, KeysZoomPanAndGoToTheNextWait) {
    look();
    auto* timeline = visible<TimelineWidget>();
    EXPECT_TRUE(timeline->hasFocus());
    const auto width = [this] { return selection().window().end - selection().window().start; };
    const Ns before = width();
    QTest::keyClick(timeline, Qt::Key_W);
    EXPECT_LT(width(), before);
    QTest::keyClick(timeline, Qt::Key_S);
    const Ns start = selection().window().start;
    QTest::keyClick(timeline, Qt::Key_D);
    EXPECT_GT(selection().window().start, start);
    QTest::keyClick(timeline, Qt::Key_A);
    EXPECT_NEAR(static_cast<double>(selection().window().start), static_cast<double>(start), 2);
}

TEST_F(TimelinePageTest, PinsAndHiddenKindsSurviveTheChangeOfPage) {
    look();
    auto* timeline = visible<TimelineWidget>();
    QTest::keyClick(timeline, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(timeline, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(timeline, Qt::Key_P);
    QTest::keyClick(visible<KindToggle>(), Qt::Key_Space);
    EXPECT_NE(label(QStringLiteral("not drawn: forward; the numbers count them")), nullptr);
    const auto isThere = [](const TimelineWidget* one) {
        const TimelineFramePtr& frame = one->frame();
        return frame->spans > 0 && frame->rows.front().rank == 1 &&
               std::ranges::none_of(frame->boxes, [](const TimelineBox& box) {
                   return box.count == 1 && box.span.kind == SpanKind::Forward;
               });
    };
    EXPECT_TRUE(eventually([&] { return isThere(timeline); }));
    window_->open("Run");
    EXPECT_TRUE(eventually([&] { return visible<TimelineWidget>() && isThere(visible<TimelineWidget>()); }))
        << "the same rows on every page";
    window_->open("Timeline");
    EXPECT_TRUE(eventually([&] { return visible<TimelineWidget>() == timeline && isThere(timeline); }));
}

TEST_F(TimelinePageTest, FindsSpansByKeysAndPointsOutTheOneThatIsShown) {
    look();
    auto* timeline = visible<TimelineWidget>();
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    auto* field = qobject_cast<QLineEdit*>(window_->focusWidget());
    ASSERT_TRUE(field);
    EXPECT_EQ(field->accessibleName(), QStringLiteral("Find spans"));
    QTest::keyClicks(field, QStringLiteral("merge and rank = 3"));
    QTest::keyClick(window_.get(), Qt::Key_F3);
    ASSERT_TRUE(eventually([&] { return !timeline->accessibleDescription().isEmpty(); }));
    EXPECT_TRUE(timeline->accessibleDescription().startsWith(QStringLiteral("Found: merge of rank 3")));
    EXPECT_EQ(timeline->marks().current, 3) << "keys go on from the row of the span";
    const TimeRange first = selection().window();
    QTest::keyClick(window_.get(), Qt::Key_F3);
    QTest::keyClick(window_.get(), Qt::Key_F3, Qt::ShiftModifier);
    EXPECT_NEAR(static_cast<double>(selection().window().start), static_cast<double>(first.start),
                static_cast<double>(first.end - first.start));
    const QImage marked = timeline->grab().toImage();
    QTest::keyClick(field, Qt::Key_Escape);
    EXPECT_TRUE(timeline->hasFocus());
    EXPECT_TRUE(timeline->accessibleDescription().isEmpty());
    EXPECT_NE(timeline->grab().toImage(), marked);
}

TEST_F(TimelinePageTest, ScrollsToTheRowOfWhatWasFoundInAGroup) {
    workspace_.record({.ranks = 24, .steps = 60});
    open();
    window_->resize(1280, 720);
    window_->open("Timeline");
    ASSERT_TRUE(eventually([this] {
        return visible<TimelineWidget>() && visible<TimelineWidget>()->frame()->spans > 0 &&
               window_->session().timelineRows().lateness();
    }));
    auto* timeline = visible<TimelineWidget>();
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(window_->focusWidget(), QStringLiteral("merge and rank = 20"));
    QTest::keyClick(window_.get(), Qt::Key_F3);
    EXPECT_TRUE(eventually([&] {
        const auto& rows = timeline->frame()->rows;
        for (std::size_t i = 0; i < rows.size() && i < timeline->layout().size(); ++i) {
            if (rows[i].isGroup() || rows[i].rank != 20) continue;
            return timeline->visibleRegion().boundingRect().contains(timeline->layout().pair(i).toRect());
        }
        return false;
    }));
}

// Stand-in for `dasgd`: its output is that of the program, its timing that of the test.
class TimelineTraceTest : public TimelinePageTest {
protected:
    QString write(const char* name, const QByteArray& text) {
        const QString path = folder_.filePath(QLatin1String(name));
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }
    void lookWith(const QByteArray& script) {
        id_ = workspace_.record({.steps = 40});
        open(write("dasgd", "#!/bin/sh\necho \"$@\" >> " + folder_.filePath("said").toUtf8() + '\n' + script));
        window_->open("Timeline");
        ASSERT_TRUE(eventually([this] { return window_->session().current() != nullptr; }));
    }
    // The page is asked first; `taker`, where it is named, gets what is dropped in the page's place.
    void drop(const QString& file, QWidget* taker = nullptr) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QWidget* page = visible<OverviewWidget>();
        while (page && !page->acceptDrops()) page = page->parentWidget();
        ASSERT_TRUE(page);
        QDragEnterEvent enter(QPoint(9, 9), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(page, &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent dropped(QPointF(9, 9), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(taker ? taker : page, &dropped);
    }
    // Presses the keys and answers the dialog with the file.
    bool answer(Qt::Key key, const QString& file) {
        QTest::keyClick(window_.get(), key, Qt::ControlModifier);
        if (!eventually([this] { return window_->findChild<QFileDialog*>() != nullptr; })) return false;
        auto* dialog = window_->findChild<QFileDialog*>();
        dialog->selectFile(file);
        emit dialog->fileSelected(file);
        emit dialog->filesSelected({file});
        dialog->close();
        if (!eventually([this] { return window_->findChild<QFileDialog*>() == nullptr; })) return false;
        window_->activateWindow();
        return QTest::qWaitForWindowActive(window_.get());
    }
    QByteArray said() {
        QFile file(folder_.filePath(QStringLiteral("said")));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QTemporaryDir folder_;
    QString id_;
};

TEST_F(TimelineTraceTest, ADroppedTraceBecomesARunThatIsShown) {
    lookWith(
        "echo '{\"progress\":40}'\necho "
        "'{\"run\":\"RUN\",\"spans\":12,\"ranks\":1,\"steps\":2,\"dropped_count\":0}'\n");
    drop(write("t.json", "[]"));
    ASSERT_TRUE(eventually([this] { return label(QStringLiteral("Imported 12 spans")) != nullptr; }));
    EXPECT_EQ(window_->session().currentId(), QStringLiteral("RUN"));
    EXPECT_TRUE(said().contains("import " + folder_.filePath("t.json").toUtf8())) << said().toStdString();
    window_->session().choose(id_);
    EXPECT_EQ(label(QStringLiteral("Imported 12 spans")), nullptr) << "it is of another run";
}

// Qt asks the widgets from the innermost outwards until one takes it.
TEST_F(TimelineTraceTest, ADroppedExperimentIsLeftToTheWindow) {
    lookWith("exit 1\n");
    drop(write("e.toml", "name = \"dropped\"\n"), window_.get());
    EXPECT_TRUE(eventually([this] { return window_->draft().title() == QStringLiteral("dropped"); }));
    EXPECT_FALSE(said().contains("import")) << said().toStdString();
}

TEST_F(TimelineTraceTest, OpensByKeyAndAnImportCanBeCancelled) {
    lookWith("echo '{\"progress\":40}'\nexec sleep 50\n");
    ASSERT_TRUE(answer(Qt::Key_O, write("slow.json", "[]")));
    ASSERT_TRUE(eventually([this] { return label(QStringLiteral("Importing the trace: 40 %")) != nullptr; }));
    auto* cancel = button<QToolButton>(QStringLiteral("Cancel import"));
    ASSERT_TRUE(cancel && cancel->isVisible());
    QTest::keyClick(window_.get(), Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_TRUE(eventually([&] { return !cancel->isVisible(); }));
    EXPECT_NE(label(QStringLiteral("The import was cancelled.")), nullptr);
    EXPECT_TRUE(button<QToolButton>(QStringLiteral("Open trace"))->isEnabled()) << "the next one can begin";
}

TEST_F(TimelineTraceTest, SavesTheRunThatIsShownByKey) {
    lookWith("exit 0\n");
    const QString file = folder_.filePath(QStringLiteral("out.json"));
    ASSERT_TRUE(answer(Qt::Key_S, file));
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("Saved ") + file) != nullptr; }));
    EXPECT_TRUE(said().contains("export " + id_.toUtf8() + " --trace " + file.toUtf8())) << said().toStdString();
}

// The program that draws is this test's own, which keeps its input (gui_main.cpp).
TEST_F(TimelinePageTest, CtrlEWritesTheWindowThatIsSeen) {
    look();
    selection().mark(TimeRange{1'000'000'000, 1'200'000'000});
    QTest::keyClick(visible<TimelineWidget>(), Qt::Key_E, Qt::ControlModifier);
    ASSERT_TRUE(eventually([this] { return label(QStringLiteral("Figures are in ")) != nullptr; }));
    EXPECT_TRUE(visible<TimelineWidget>()->isVisible()) << "the page stays";
    EXPECT_TRUE(window_->figures().figures().empty());
    const QString folder = QStringLiteral("figures/%1-timeline").arg(window_->session().currentId());
    EXPECT_NE(label(folder), nullptr);
    QFile file(QDir(QString::fromStdString(workspace_.path().string())).filePath(folder + QStringLiteral("/figures")));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const auto written = figuresOf(file.readAll(), QStringLiteral("figures"));
    ASSERT_TRUE(written.has_value()) << written.error().message;
    ASSERT_EQ(written->size(), 1U);
    const FigureSpec& spec = written->front().spec;
    EXPECT_EQ(spec.kind, FigureKind::Timeline);
    EXPECT_EQ(spec.runs, QStringList{window_->session().currentId()});
    EXPECT_EQ(spec.windowS, (FigureRange{1.0, 1.2}));
}

TEST_F(TimelinePageTest, LatenessAndHiddenStepsArrive) {
    look();
    EXPECT_TRUE(eventually([this] {
        const auto* timeline = visible<TimelineWidget>();
        return timeline->marks().notes.size() == 4 && !timeline->marks().hidden.steps.empty();
    }));
    EXPECT_NE(label(QStringLiteral("beyond noise")), nullptr);
}

}  // namespace
}  // namespace dasgd::gui
