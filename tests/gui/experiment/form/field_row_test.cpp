#include "gui/experiment/form/field_row.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QSignalSpy>
#include <QWheelEvent>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

const FieldInfo& fieldOfDasgd(std::size_t place) {
    return *smallSchema().section("algorithm")->fieldsOf("dasgd")[place];
}

QLabel* labelOf(const QWidget& widget, const QString& text) {
    for (auto* label : widget.findChildren<QLabel*>()) {
        if (label->text() == text && label->isVisibleTo(&widget)) return label;
    }
    return nullptr;
}

TEST(FieldRow, SaysKeySymbolUnitAndHelp) {
    FieldRow row(fieldOfDasgd(2), "algorithm.delay", "delay", {}, testLook());
    EXPECT_NE(labelOf(row, "delay"), nullptr);
    EXPECT_NE(labelOf(row, "d"), nullptr);
    EXPECT_NE(labelOf(row, "steps"), nullptr);
    EXPECT_TRUE(row.toolTip().contains(QLatin1String("Lag of the merge")));
    EXPECT_TRUE(row.toolTip().contains(QLatin1String("at least 0")));
    EXPECT_EQ(row.editor()->accessibleName(), QStringLiteral("algorithm.delay"));
}

TEST(FieldRow, ADotMarksWhatDiffersFromTheDefault) {
    FieldRow row(fieldOfDasgd(2), "algorithm.delay", "delay", {}, testLook());
    row.show({}, true);
    EXPECT_EQ(labelOf(row, QStringLiteral("•")), nullptr);
    EXPECT_EQ(qobject_cast<QLineEdit*>(row.editor())->placeholderText(), QStringLiteral("1"));
    row.show(QStringLiteral("3"), false);
    EXPECT_NE(labelOf(row, QStringLiteral("•")), nullptr);
    EXPECT_EQ(qobject_cast<QLineEdit*>(row.editor())->text(), QStringLiteral("3"));
}

TEST(FieldRow, WhatIsTypedIsToldAtOnceAndNotTakenAway) {
    FieldRow row(fieldOfDasgd(3), "algorithm.local_weight", "local_weight", {}, testLook());
    row.QWidget::show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&row));
    auto* line = qobject_cast<QLineEdit*>(row.editor());
    line->setFocus();
    QSignalSpy edited(&row, &FieldRow::edited);
    QTest::keyClicks(line, QStringLiteral("0."));
    ASSERT_EQ(edited.count(), 2);
    EXPECT_EQ(edited[1][0].toString(), QStringLiteral("0."));
    row.show(QStringLiteral("0."), false);
    EXPECT_EQ(line->text(), QStringLiteral("0."));
    row.show(QStringLiteral("0.5"), false);
    EXPECT_EQ(line->text(), QStringLiteral("0.5")) << "the text beside it was changed";
}

TEST(FieldRow, AnErrorStandsBelow) {
    FieldRow row(fieldOfDasgd(2), "algorithm.delay", "delay", {}, testLook());
    EXPECT_FALSE(row.hasProblem());
    row.setProblem(QStringLiteral("delay is 9"));
    EXPECT_NE(labelOf(row, QStringLiteral("delay is 9")), nullptr);
    EXPECT_TRUE(row.editor()->property("wrong").toBool());
    row.setProblem({});
    EXPECT_EQ(labelOf(row, QStringLiteral("delay is 9")), nullptr);
    EXPECT_FALSE(row.editor()->property("wrong").toBool());
}

TEST(FieldRow, AChoiceShowsAlsoWhatIsNoneOfThem) {
    FieldRow row(fieldOfDasgd(4), "algorithm.optimizer_state", "optimizer_state", {"keep", "reset"}, testLook());
    auto* choice = qobject_cast<QComboBox*>(row.editor());
    row.show({}, true);
    EXPECT_EQ(choice->currentText(), QStringLiteral("keep")) << "the default";
    row.show(QStringLiteral("forget"), false);
    EXPECT_EQ(choice->currentText(), QStringLiteral("forget"));
    QSignalSpy edited(&row, &FieldRow::edited);
    emit choice->textActivated(QStringLiteral("reset"));
    ASSERT_EQ(edited.count(), 1);
    EXPECT_EQ(edited[0][0].toString(), QStringLiteral("reset"));
    row.QWidget::show();
    const int before = choice->currentIndex();
    QWheelEvent wheel({5, 5}, choice->mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton, {}, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(choice, &wheel);
    EXPECT_EQ(choice->currentIndex(), before) << "scrolling the form changes no setting";
}

}  // namespace
}  // namespace dasgd::gui
