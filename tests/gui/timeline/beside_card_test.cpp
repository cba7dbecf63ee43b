#include "gui/timeline/beside_card.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QWheelEvent>

#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class BesideCardTest : public WindowBench {
protected:
    void look() {
        other_ = workspace_.record({.ranks = 2, .steps = 120});
        watched_ = workspace_.record({.ranks = 3, .steps = 200});
        open();
        window_->session().choose(watched_);
        window_->open("Timeline");
        QTest::keyClick(window_.get(), Qt::Key_B, Qt::ControlModifier);
        ASSERT_TRUE(eventually([this] {
            card_ = window_->findChild<BesideCard*>();
            return card_ && card_->isVisible() && card_->timeline().frame() && card_->timeline().frame()->spans > 0 &&
                   table()->rowCount() > 3;
        }));
        if (const QString folder = qEnvironmentVariable("DASGD_SHOTS"); !folder.isEmpty()) {
            window_->grab().save(folder + "/beside.png");
        }
    }
    QTableWidget* table() { return card_->findChild<QTableWidget*>(); }
    QString watched_, other_;
    BesideCard* card_ = nullptr;
};

TEST_F(BesideCardTest, BothMoveTogetherWhicheverIsMoved) {
    look();
    EXPECT_EQ(card_->run(), other_);
    TimeSelection& watched = window_->session().selection();
    watched.setWindow({1'000'000'000, 1'400'000'000});
    const TimeRange window = card_->selection().window();
    EXPECT_EQ(window.end - window.start, 400'000'000);
    card_->selection().pan(50'000'000);
    EXPECT_EQ(watched.window().start, 1'050'000'000);
    watched.mark(TimeRange{1'100'000'000, 1'200'000'000});
    ASSERT_TRUE(card_->selection().marked());
    EXPECT_EQ(card_->selection().marked()->end - card_->selection().marked()->start, 100'000'000);
}

TEST_F(BesideCardTest, NoRunIsComparedWithItself) {
    look();
    auto* runs = card_->findChild<QComboBox*>();
    const auto compares = [this, runs](const QString& a, const QString& b) {
        return eventually([&] {
            const auto frame = card_->timeline().frame();
            return window_->session().currentId() == a && card_->run() == b && runs->currentData().toString() == b &&
                   runs->findData(a) < 0 && frame && QString::fromStdString(frame->runId) == b &&
                   table()->rowCount() > 3;
        });
    };
    window_->session().choose(other_);
    EXPECT_TRUE(compares(other_, watched_)) << "the two change places";
    // The same where the card is not seen meanwhile.
    window_->open("Run");
    window_->session().choose(watched_);
    window_->open("Timeline");
    EXPECT_TRUE(compares(watched_, other_));
    card_->showRun(watched_);
    EXPECT_EQ(card_->run(), other_);
}

// The choice slides under the pointer where the page is scrolled.
TEST_F(BesideCardTest, TheWheelChangesNeitherTheRunNorTheStep) {
    workspace_.record({.ranks = 2, .steps = 60});
    look();
    const QString run = card_->run();
    for (QWidget* box : {static_cast<QWidget*>(card_->findChild<QComboBox*>()),
                         static_cast<QWidget*>(card_->findChild<QSpinBox*>())}) {
        const QPointF at = box->rect().center();
        for (const int turn : {-120, 120}) {
            QWheelEvent wheel(at, box->mapToGlobal(at), {}, {0, turn}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                              false);
            QApplication::sendEvent(box, &wheel);
        }
        QWheelEvent down(at, box->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                         false);
        QApplication::sendEvent(box, &down);
    }
    EXPECT_EQ(card_->run(), run);
    EXPECT_EQ(card_->findChild<QSpinBox*>()->value(), -1);
}

TEST_F(BesideCardTest, WhatIsTypedChoosesAmongRuns) {
    look();
    EXPECT_EQ(QApplication::focusWidget(), card_->findChild<QLineEdit*>());
}

TEST_F(BesideCardTest, AlignsAtAStepAndSaysWhereThereIsNone) {
    look();
    auto* step = card_->findChild<QSpinBox*>();
    step->setValue(30);
    EXPECT_TRUE(eventually([this] { return label(QStringLiteral("aligned at the start of step 30")) != nullptr; }));
    step->setValue(180);
    EXPECT_TRUE(eventually([this] { return label(QStringLiteral("one of them has no such step")) != nullptr; }));
}

TEST_F(BesideCardTest, AnyRunIsFoundByItsWords) {
    const QString third = workspace_.record({.algorithm = "local_sgd", .steps = 20});
    look();
    auto* runs = card_->findChild<QComboBox*>();
    EXPECT_EQ(runs->itemData(0).toString(), other_) << "the newest but the watched one";
    EXPECT_GE(runs->findData(third), 1);
    QLineEdit* words = nullptr;  // a spin box has one of its own
    for (auto* one : card_->findChildren<QLineEdit*>()) {
        if (one->accessibleName() == QStringLiteral("Words of the runs that are offered")) words = one;
    }
    ASSERT_TRUE(words);
    QTest::keyClicks(words, QStringLiteral("local_sgd"));
    EXPECT_GE(runs->findData(third), 0);
    EXPECT_EQ(runs->currentData().toString(), other_) << "what is shown stays chosen";
    EXPECT_EQ(runs->count(), 2);
    runs->setCurrentIndex(runs->findData(third));
    emit runs->activated(runs->currentIndex());
    EXPECT_EQ(card_->run(), third);
}

TEST_F(BesideCardTest, TheTableCanBeCopiedWithWhatItIsOf) {
    look();
    QTest::mouseClick(button<QPushButton>(QStringLiteral("Copy comparison")), Qt::LeftButton);
    const QString text = QApplication::clipboard()->text();
    EXPECT_TRUE(text.startsWith(QStringLiteral("of a step\tA\tB")));
    EXPECT_TRUE(text.contains(QStringLiteral("time of a step\t")));
    EXPECT_TRUE(text.contains(QStringLiteral("mean of 2 of 2 ranks")));
    EXPECT_TRUE(text.contains(QStringLiteral("3 and 2 ranks")));
}

TEST_F(BesideCardTest, AKindThatIsHiddenIsHiddenInBoth) {
    look();
    const auto draws = [this](SpanKind kind) {
        return std::ranges::any_of(card_->timeline().frame()->boxes,
                                   [kind](const TimelineBox& box) { return box.count == 1 && box.span.kind == kind; });
    };
    ASSERT_TRUE(eventually([&] { return draws(SpanKind::Backward); }));
    TimelineRows& rows = window_->session().timelineRows();
    rows.setShown(SpanKind::Backward, false);
    EXPECT_TRUE(eventually([&] { return !draws(SpanKind::Backward) && draws(SpanKind::Forward); }));
    rows.setShown(SpanKind::Backward, true);
    EXPECT_TRUE(eventually([&] { return draws(SpanKind::Backward); }));
}

TEST_F(BesideCardTest, NeitherTimelineIsSqueezedWhereTheWindowIsLow) {
    look();
    constexpr int kLeast = 180;
    window_->resize(1600, 960);
    const auto inSight = [](const TimelineWidget* one) { return one->visibleRegion().boundingRect().height(); };
    TimelineWidget* watched = nullptr;
    for (TimelineWidget* one : window_->findChildren<TimelineWidget*>()) {
        if (one->isVisible() && one != &card_->timeline()) watched = one;
    }
    ASSERT_NE(watched, nullptr);
    EXPECT_TRUE(eventually([&] { return inSight(watched) >= kLeast && card_->timeline().height() >= kLeast; }))
        << inSight(watched) << " and " << card_->timeline().height();
}

TEST_F(BesideCardTest, BeyondItsEndTheWordsSayWhatItsAxisShows) {
    look();
    TimeSelection& watched = window_->session().selection();
    const Ns end = watched.extent().end;
    ASSERT_LT(card_->selection().extent().end, end - 400'000'000);
    watched.setWindow({end - 400'000'000, end});
    EXPECT_LT(card_->selection().window().start, card_->selection().extent().end);
    EXPECT_TRUE(eventually([this] { return label(QStringLiteral("its axis shows")) != nullptr; }));
    watched.setWindow({100'000'000, 300'000'000});
    EXPECT_TRUE(eventually([this] { return label(QStringLiteral("its axis shows")) == nullptr; }));
}

TEST_F(BesideCardTest, TheWholeNameOfARunIsInItsTip) {
    look();
    const auto* runs = card_->findChild<QComboBox*>();
    EXPECT_TRUE(runs->toolTip().contains(other_)) << runs->toolTip().toStdString();
    EXPECT_TRUE(runs->itemData(0, Qt::ToolTipRole).toString().contains(other_));
}

}  // namespace
}  // namespace dasgd::gui
