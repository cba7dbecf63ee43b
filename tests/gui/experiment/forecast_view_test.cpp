#include "gui/experiment/forecast_view.h"

#include <gtest/gtest.h>

#include <QMenu>

#include "gui/experiment/round_gantt.h"
#include "gui/kit/words/seconds.h"
#include "tests/gui/support/bench.h"
#include "tests/gui/support/forecasts.h"

namespace dasgd::gui {
namespace {

using namespace forecast_test;

class ForecastViewTest : public ::testing::Test {
protected:
    ForecastViewTest() {
        view_.resize(760, 220);
        view_.show();
    }
    [[nodiscard]] QStringList words() const {
        QStringList all;
        for (const auto* one : view_.findChildren<QLabel*>()) {
            if (one->isVisible()) all << one->text();
        }
        return all;
    }
    void show(std::vector<ForecastCase> cases) { board_.setForecast(forecastOf(std::move(cases))); }
    // A word of the case on show.
    [[nodiscard]] QString said(std::string ForecastCase::*word) const {
        return QString::fromStdString(board_.current()->*word);
    }
    QPushButton* set() { return view_.findChild<QPushButton*>(); }

    ForecastBoard board_;
    ForecastView view_{board_, testLook()};
};

TEST_F(ForecastViewTest, WhatWillNotHideIsAWarningWithItsRemedy) {
    show({caseOf(3)});
    EXPECT_TRUE(words().contains(said(&ForecastCase::warning)));
    EXPECT_TRUE(words().contains(said(&ForecastCase::reason)));
    EXPECT_TRUE(words().contains(QStringLiteral("⚠"))) << "not by colour alone";
    ASSERT_TRUE(set()->isVisible());
    EXPECT_EQ(set()->text(), QStringLiteral("Set d = 5"));
    std::vector<std::pair<QString, QString>> wanted;
    QObject::connect(&view_, &ForecastView::settingsWanted, &view_, [&](const auto& written) { wanted = written; });
    set()->click();
    ASSERT_EQ(wanted.size(), 1U) << "the period stays";
    EXPECT_EQ(wanted[0], std::pair(QStringLiteral("algorithm.delay"), QStringLiteral("5")));
    view_.setVaried({QStringLiteral("train.seed")});
    EXPECT_TRUE(set()->isVisible());
    view_.setVaried({QStringLiteral("algorithm.delay")});
    EXPECT_FALSE(set()->isVisible()) << "a sweep has more than one delay";
    show({caseOf(5)});
    EXPECT_FALSE(words().contains(QStringLiteral("⚠")));
    EXPECT_TRUE(words().contains(QStringLiteral("100.0")));
}

TEST_F(ForecastViewTest, ACalibrationThatFitsBadlyIsWarnedOf) {
    // Long enough that nothing is waited for: that too is only as good as the fit.
    ForecastCase bad = caseOf(6);
    bad.doubt = "Calibration one: No link fits these transfers. Calibrate again.";
    show({bad});
    ASSERT_EQ(bad.warning, "");
    EXPECT_TRUE(words().contains(QStringLiteral("⚠")));
    EXPECT_TRUE(words().contains(QStringLiteral("Calibration one: No link fits these transfers")))
        << words().join(u'|').toStdString();
    const auto praises = [&] {
        return std::ranges::any_of(view_.findChildren<QLabel*>(), [](const QLabel* label) {
            return label->property("tone").toString() == QLatin1String("numbergood");
        });
    };
    EXPECT_FALSE(praises());
    show({caseOf(6)});
    EXPECT_TRUE(praises());
    EXPECT_FALSE(words().contains(QStringLiteral("⚠")));
}

TEST_F(ForecastViewTest, ANarrowHeadStillSaysTheTimes) {
    show({caseOf(3)});
    QString basis;
    for (const auto* one : view_.head().findChildren<QLabel*>()) basis += one->text();
    EXPECT_TRUE(basis.startsWith(QStringLiteral("T_c ") + secondsInWords(0.005) + QStringLiteral(" · T_m ")))
        << basis.toStdString();
    EXPECT_TRUE(basis.contains(QStringLiteral("by formula")));
}

TEST_F(ForecastViewTest, BelowTheTextOfANarrowWindowNoFigureIsCut) {
    view_.setLow(true);
    show({caseOf(3)});
    const auto whole = [](const QWidget& one) { return one.width() >= one.sizeHint().width(); };
    constexpr int kOfAWindowOf1280 = 520, kOfAWindowOf960 = 366;
    for (const int width : {kOfAWindowOf1280, kOfAWindowOf960}) {
        view_.resize(width, 120);
        QCoreApplication::processEvents();
        for (const auto* one : view_.findChildren<QLabel*>()) {
            if (!one->isVisible() || one->wordWrap()) continue;
            EXPECT_TRUE(whole(*one)) << width << one->text().toStdString();
        }
        for (const auto* one : view_.findChildren<QToolButton*>()) {
            if (!one->isVisible()) continue;
            EXPECT_TRUE(whole(*one)) << width << one->text().toStdString();
        }
    }
    EXPECT_FALSE(words().contains(QStringLiteral("÷ independent"))) << "there is no room for it";
}

TEST_F(ForecastViewTest, FiguresAreWholeBesideTheActionsOrWithoutThem) {
    show({caseOf(3)});
    for (int width = 480; width <= 640; width += 8) {
        view_.resize(width, 220);
        QCoreApplication::processEvents();
        for (const auto* one : view_.findChildren<QLabel*>()) {
            if (!one->isVisible() || one->wordWrap() || one->text().isEmpty()) continue;
            const bool isFigure = QStringList{QStringLiteral("hidden"), QStringLiteral("blocked"),
                                              QStringLiteral("step"), QStringLiteral("÷ independent")}
                                      .contains(one->text());
            if (!isFigure) continue;
            EXPECT_GE(one->width(), one->sizeHint().width()) << width << one->text().toStdString();
        }
    }
}

TEST_F(ForecastViewTest, ADelayBeyondThePeriodSetsBoth) {
    show({caseOf(3, "dasgd", 4)});
    EXPECT_EQ(set()->text(), QStringLiteral("Set d = 5, τ = 5"));
}

TEST_F(ForecastViewTest, WhileAnotherTextIsCheckedItsRemedyIsNotSet) {
    show({caseOf(3)});
    view_.setChecking(true);
    EXPECT_FALSE(set()->isEnabled());
    view_.setChecking(false);
    EXPECT_TRUE(set()->isEnabled());
}

TEST_F(ForecastViewTest, SeveralCasesAreChosenFromAMenu) {
    show({caseOf(3, "d = 3"), caseOf(4, "d = 4")});
    auto* chooser = view_.head().findChild<QToolButton*>(QStringLiteral("choice"));
    ASSERT_EQ(chooser->menu()->actions().size(), 2);
    EXPECT_EQ(chooser->text(), QStringLiteral("d\u00a03 ▾"));
    chooser->menu()->actions()[1]->trigger();
    EXPECT_EQ(chooser->text(), QStringLiteral("d\u00a04 ▾"));
    EXPECT_EQ(board_.chosen(), 1U);
}

TEST_F(ForecastViewTest, ALongNameOfACaseLeavesTheTimesTheirRoom) {
    show({caseOf(3), caseOf(4, "d = 4, model = a-model-with-a-long-name, link = 250Mbps, latency = 10ms")});
    board_.choose(1);
    auto* chooser = view_.head().findChild<QToolButton*>(QStringLiteral("choice"));
    const QString whole = QString::fromStdString(board_.cases()[1].label);
    EXPECT_LT(chooser->text().size(), whole.size());
    EXPECT_TRUE(chooser->text().startsWith(QStringLiteral("d\u00a04"))) << chooser->text().toStdString();
    EXPECT_TRUE(chooser->toolTip().contains(whole));
    EXPECT_TRUE(chooser->accessibleName().contains(whole));
}

TEST_F(ForecastViewTest, WithoutAForecastItSaysWhyAndWhatToDo) {
    show({unknownCase()});
    EXPECT_TRUE(words().contains(said(&ForecastCase::why)));
    EXPECT_FALSE(view_.gantt().isVisible());
}

TEST_F(ForecastViewTest, WhoDoesNotSeeThePictureHearsIt) {
    show({caseOf(3)});
    EXPECT_EQ(view_.gantt().accessibleDescription(), said(&ForecastCase::words));
    EXPECT_TRUE(view_.gantt().accessibleDescription().contains(QStringLiteral("by formula")));
    view_.gantt().setFocus();
    QTest::keyClick(&view_.gantt(), Qt::Key_Right);
    EXPECT_TRUE(words().contains(view_.gantt().marked()));
}

// The view has this size in a window of 1600 x 1000.
TEST_F(ForecastViewTest, TwoWarningsAreWhole) {
    ForecastCase bad = blockingCase();
    bad.doubt =
        "Calibration first-light: No link fits these transfers: the fitted one is 46.2 % off the longest and 456.9 % "
        "off "
        "the worst of them. Calibrate again.";
    show({bad});
    view_.resize(600, 195);
    QCoreApplication::processEvents();
    int found = 0;
    for (const auto* one : view_.findChildren<QLabel*>()) {
        if (!one->isVisible() || !one->wordWrap()) continue;
        ++found;
        EXPECT_GE(one->height(), one->heightForWidth(one->width())) << one->text().toStdString();
        EXPECT_TRUE(one->parentWidget()->rect().contains(one->geometry())) << one->text().toStdString();
        if (!one->text().contains(QStringLiteral("will not hide"))) continue;
        EXPECT_TRUE(one->toolTip().contains(QStringLiteral("456.9"))) << "what is left out";
        EXPECT_LT(one->heightForWidth(one->width()), 4 * one->fontMetrics().height());
    }
    EXPECT_GE(found, 1);
}

// The card's head has this size in a window of 1600 x 1000.
TEST_F(ForecastViewTest, TheHeadHasRoomForTheTimesBesideACase) {
    show({caseOf(3), blockingCase()});
    ASSERT_TRUE(board_.current()->known());
    view_.head().resize(360, 30);
    view_.head().show();
    QCoreApplication::processEvents();
    const RoundInput& input = board_.current()->round->input;
    const QString times = QStringLiteral("T_c %1 · T_m %2")
                              .arg(secondsInWords(input.compute), secondsInWords(input.exchange.transfers()));
    for (const auto* one : view_.head().findChildren<QLabel*>())
        EXPECT_GE(one->width(), one->fontMetrics().horizontalAdvance(times)) << times.toStdString();
}

}  // namespace
}  // namespace dasgd::gui
