#include "gui/figures/figure_form.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class FigureFormTest : public ::testing::Test {
protected:
    FigureFormTest() {
        form_.resize(320, 900);
        form_.QWidget::show();
    }
    QLineEdit& line(const char* key) { return *qobject_cast<QLineEdit*>(form_.editor(QLatin1String(key))); }
    QComboBox& choice(const char* key) { return *qobject_cast<QComboBox*>(form_.editor(QLatin1String(key))); }
    void type(const char* key, const QString& text) {
        line(key).setFocus();
        line(key).selectAll();
        QTest::keyClicks(&line(key), text);
    }
    FigureForm form_{testLook()};
};

TEST_F(FigureFormTest, WhatIsTypedIsInTheFigure) {
    FigureSpec spec;
    spec.filter = QStringLiteral("a");
    form_.show(spec);
    QSignalSpy changed(&form_, &FigureForm::changed);
    type("filter", QStringLiteral("dasgd"));
    type("x_range", QStringLiteral("0, 100"));
    type("height_in", QStringLiteral("3"));
    EXPECT_EQ(form_.spec().filter, QStringLiteral("dasgd"));
    EXPECT_EQ(form_.spec().xRange->high, 100);
    EXPECT_EQ(form_.spec().heightIn, 3);
    EXPECT_GT(changed.count(), 2);
    type("runs", QStringLiteral("run-1, run-2"));
    EXPECT_EQ(form_.spec().runs, (QStringList{QStringLiteral("run-1"), QStringLiteral("run-2")}));
    EXPECT_TRUE(form_.spec().filter.isEmpty()) << "one way or the other";
    EXPECT_TRUE(line("filter").text().isEmpty());
}

TEST_F(FigureFormTest, AWrongValueIsSaidUnderItsFieldAndChangesNothing) {
    form_.show({});
    type("smoothing", QStringLiteral("2"));
    EXPECT_TRUE(form_.problemOf(QStringLiteral("smoothing")).contains(QLatin1String("allowed 0 to 0.999")));
    EXPECT_EQ(form_.spec().smoothing, 0);
    type("smoothing", QStringLiteral("0.5"));
    EXPECT_EQ(form_.problemOf(QStringLiteral("smoothing")), QString());
    EXPECT_EQ(form_.spec().smoothing, 0.5);
    type("x_range", QStringLiteral("many"));
    EXPECT_TRUE(form_.problemOf(QStringLiteral("x_range")).contains(QLatin1String("[0, 100]")));
}

TEST_F(FigureFormTest, TheKindDecidesWhichFieldsThereAre) {
    form_.show({});
    EXPECT_TRUE(form_.editor(QStringLiteral("metric"))->isVisible());
    EXPECT_FALSE(form_.editor(QStringLiteral("ranks"))->isVisible());
    choice("kind").setFocus();
    QTest::keyClick(&choice("kind"), Qt::Key_Down);
    EXPECT_EQ(form_.spec().kind, FigureKind::Timeline) << "by keyboard";
    EXPECT_FALSE(form_.editor(QStringLiteral("metric"))->isVisible());
    EXPECT_TRUE(form_.editor(QStringLiteral("ranks"))->isVisible());
}

TEST_F(FigureFormTest, KindsAreChecksAndRanksAreTyped) {
    FigureSpec spec;
    spec.kind = FigureKind::Timeline;
    spec.hiddenKinds = QStringList{QStringLiteral("wait")};
    form_.show(spec);
    QCheckBox* wait = nullptr;
    QCheckBox* merge = nullptr;
    for (QCheckBox* one : form_.editor(QStringLiteral("hidden_kinds"))->findChildren<QCheckBox*>()) {
        if (one->text() == QStringLiteral("wait")) wait = one;
        if (one->text() == QStringLiteral("merge")) merge = one;
    }
    ASSERT_TRUE(wait && merge && wait->isVisible());
    EXPECT_FALSE(wait->isChecked());
    QTest::keyClick(wait, Qt::Key_Space);
    EXPECT_TRUE(form_.spec().hiddenKinds.isEmpty());
    QTest::keyClick(merge, Qt::Key_Space);
    EXPECT_EQ(form_.spec().hiddenKinds, (QStringList{QStringLiteral("merge"), QStringLiteral("snapshot")}));
    type("rank_rows", QStringLiteral("12, 0-7"));
    EXPECT_EQ(form_.spec().rankRows, QStringLiteral("12, 0-7"));
    type("rank_rows", QStringLiteral("7-0"));
    EXPECT_TRUE(form_.problemOf(QStringLiteral("rank_rows")).contains(QStringLiteral("allowed ranks, as 0-7")));
    EXPECT_EQ(form_.spec().rankRows, QStringLiteral("7")) << "the last that could be read";
}

TEST_F(FigureFormTest, ColourAloneIsRefused) {
    form_.show({});
    auto* dashes = qobject_cast<QCheckBox*>(form_.editor(QStringLiteral("dashes")));
    auto* markers = qobject_cast<QCheckBox*>(form_.editor(QStringLiteral("markers")));
    QTest::keyClick(dashes, Qt::Key_Space);
    EXPECT_FALSE(form_.spec().dashes);
    QTest::keyClick(markers, Qt::Key_Space);
    EXPECT_TRUE(form_.spec().markers);
    EXPECT_TRUE(form_.problemOf(QStringLiteral("markers")).contains(QLatin1String("colour alone")));
}

TEST_F(FigureFormTest, CurvesGetNames) {
    form_.show({});
    form_.setCurves({{QStringLiteral("e/1"), QStringLiteral("dasgd d 3"), QStringLiteral("n 4 of 5")}});
    auto* name = form_.findChild<QLineEdit*>();
    for (QLineEdit* one : form_.findChildren<QLineEdit*>()) {
        if (one->accessibleName() == QStringLiteral("Name of dasgd d 3")) name = one;
    }
    QTest::keyClicks(name, QStringLiteral("DaSGD"));
    EXPECT_EQ(form_.spec().names.at(QStringLiteral("e/1")), QStringLiteral("DaSGD"));
    name->clear();
    QTest::keyClicks(name, QStringLiteral("x"));
    QTest::keyClick(name, Qt::Key_Backspace);
    EXPECT_TRUE(form_.spec().names.empty());
}

}  // namespace
}  // namespace dasgd::gui
