#include "gui/kit/parts/parts.h"

#include <gtest/gtest.h>

#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTimer>
#include <memory>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(Parts, AKeyFigureSaysNumberAndUnit) {
    KeyFigure figure(QStringLiteral("hidden"), {});
    EXPECT_EQ(figure.text(), kAbsent);
    figure.setQuantity({QStringLiteral("99.2"), QStringLiteral("%")}, "good");
    EXPECT_EQ(figure.text(), QStringLiteral("99.2\u00a0%"));
    EXPECT_EQ(figure.accessibleName(), QStringLiteral("hidden"));
}

TEST(Parts, AMessageIsInThePageAndGoesWhenDismissed) {
    MessageBar bar(testLook());
    EXPECT_TRUE(bar.isHidden());
    bar.say(QStringLiteral("a.toml:1:1: <b>no</b>"));
    EXPECT_FALSE(bar.isHidden());
    EXPECT_EQ(bar.text(), QStringLiteral("a.toml:1:1: <b>no</b>")) << "as it is, not as markup";
    QTest::mouseClick(bar.findChild<QToolButton*>(), Qt::LeftButton);
    EXPECT_TRUE(bar.isHidden());
    bar.say({});
    EXPECT_TRUE(bar.isHidden());
}

TEST(Parts, ANoteLeavesByItselfAndAnErrorStays) {
    MessageBar bar(testLook());
    auto* expiry = bar.findChild<QTimer*>();
    ASSERT_NE(expiry, nullptr);
    bar.say(QStringLiteral("Saved as a.toml"), MessageBar::Kind::Note);
    EXPECT_EQ(expiry->remainingTime() > 0 ? expiry->interval() : 0, MessageBar::kNoteMs);
    bar.say(QStringLiteral("a.toml: cannot be written"));
    EXPECT_FALSE(expiry->isActive());
    bar.say(QStringLiteral("Saved as b.toml"), MessageBar::Kind::Note);
    expiry->start(0);
    EXPECT_TRUE(eventually([&] { return bar.isHidden(); }));
    EXPECT_EQ(bar.text(), QString());
}

TEST(Parts, AQuestionIsCarriedOutByItsButtonAlone) {
    MessageBar bar(testLook());
    bar.show();
    int deleted = 0;
    auto* act = bar.findChild<QPushButton*>();
    bar.ask(QStringLiteral("Delete r1 for good?"), QStringLiteral("Delete r1"), [&] { ++deleted; });
    ASSERT_TRUE(act->isVisibleTo(&bar));
    EXPECT_EQ(act->text(), QStringLiteral("Delete r1"));
    bar.findChild<QToolButton*>()->click();
    EXPECT_TRUE(bar.isHidden());
    EXPECT_EQ(deleted, 0) << "dismissed";
    bar.ask(QStringLiteral("Delete r1 for good?"), QStringLiteral("Delete r1"), [&] { ++deleted; });
    act->click();
    EXPECT_EQ(deleted, 1);
    EXPECT_TRUE(bar.isHidden());
    bar.say(QStringLiteral("r1: an error"));
    EXPECT_FALSE(act->isVisibleTo(&bar)) << "another message asks nothing";
}

TEST(Parts, EnterPressesAButtonAsSpaceDoes) {
    const std::unique_ptr<QAbstractButton> buttons[]{
        std::unique_ptr<QAbstractButton>(makeButton(QStringLiteral("Run"), true, {})),
        std::unique_ptr<QAbstractButton>(makeQuietButton(QStringLiteral("Export"), {}))};
    for (const auto& button : buttons) {
        QSignalSpy clicked(button.get(), &QAbstractButton::clicked);
        for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter, Qt::Key_Space}) QTest::keyClick(button.get(), key);
        EXPECT_EQ(clicked.size(), 3) << button->text().toStdString();
        QTest::keyClick(button.get(), Qt::Key_Return, Qt::ControlModifier);
        button->setEnabled(false);
        QTest::keyClick(button.get(), Qt::Key_Return);
        EXPECT_EQ(clicked.size(), 3) << "other keys, and while it is disabled";
    }
    Choice choice(QStringLiteral("x axis"), {QStringLiteral("step"), QStringLiteral("epoch")}, 0);
    QSignalSpy opened(choice.menu(), &QMenu::aboutToShow);
    QTimer::singleShot(0, choice.menu(), &QMenu::close);
    QTest::keyClick(&choice, Qt::Key_Return);
    EXPECT_EQ(opened.size(), 1);
}

TEST(Parts, AChoiceShowsWhatIsChosen) {
    Choice choice(QStringLiteral("x axis"), {QStringLiteral("step"), QStringLiteral("epoch")}, 0);
    QSignalSpy changed(&choice, &Choice::changed);
    EXPECT_TRUE(choice.text().startsWith(QLatin1String("step")));
    choice.menu()->actions()[1]->trigger();
    EXPECT_EQ(choice.chosen(), 1);
    EXPECT_EQ(changed.count(), 1);
    choice.choose(7);
    EXPECT_EQ(choice.chosen(), 1);
}

TEST(Parts, EveryStateHasAPillThatFitsItsWord) {
    StatePill pill(testLook());
    for (const char* state : {"queued", "running", "finished", "failed", "stopped", "interrupted"}) {
        pill.setState(QLatin1String(state));
        EXPECT_GT(pill.sizeHint().width(),
                  QFontMetrics(interFont(12, Weight::SemiBold)).horizontalAdvance(QLatin1String(state)) + 20);
        EXPECT_EQ(pill.accessibleName(), QLatin1String(state));
    }
}

TEST(Parts, AnEmptyCardSaysWhatToDoAboveItsButtons) {
    EmptyCard card;
    auto* row = new QHBoxLayout;
    auto* button = new QPushButton(QStringLiteral("Begin"));
    row->addWidget(button);
    card.addRow(row);
    card.say(QStringLiteral("No runs yet"), QStringLiteral("dasgd run FILE.toml"));
    card.resize(500, 300);
    card.show();
    const auto labels = card.findChildren<QLabel*>();
    ASSERT_EQ(labels.size(), 2);
    EXPECT_EQ(labels[0]->text(), QStringLiteral("No runs yet"));
    EXPECT_EQ(labels[1]->text(), QStringLiteral("dasgd run FILE.toml"));
    EXPECT_LT(labels[0]->geometry().bottom(), labels[1]->geometry().top());
    EXPECT_LT(labels[1]->geometry().bottom(), button->geometry().top());
    EXPECT_TRUE(labels[1]->textInteractionFlags().testFlag(Qt::TextSelectableByMouse));
}

TEST(Parts, AnElasticLabelThatIsCutSaysSo) {
    const std::unique_ptr<QLabel> label(makeElasticLabel("title"));
    const QString whole = QStringLiteral("first-light / dasgd, seed 1");
    label->resize(90, 24);
    label->setText(whole);
    const QImage cut = label->grab().toImage();
    label->setText(label->fontMetrics().elidedText(whole, Qt::ElideRight, 90));
    ASSERT_TRUE(label->text().endsWith(QChar(0x2026)));
    EXPECT_EQ(cut, label->grab().toImage());
}

TEST(Parts, AnElasticLabelMayBeCutInItsMiddle) {
    const std::unique_ptr<QLabel> label(makeElasticLabel("title", Qt::ElideMiddle));
    const QString whole = QStringLiteral("first-light / dasgd, seed 1");
    label->resize(90, 24);
    label->setText(whole);
    const QImage cut = label->grab().toImage();
    label->setText(label->fontMetrics().elidedText(whole, Qt::ElideMiddle, 90));
    ASSERT_TRUE(label->text().endsWith(QLatin1Char('1')));
    EXPECT_EQ(cut, label->grab().toImage());
}

}  // namespace
}  // namespace dasgd::gui
