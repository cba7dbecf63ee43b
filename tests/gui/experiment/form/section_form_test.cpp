#include "gui/experiment/form/section_form.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

class SectionFormTest : public ::testing::Test {
protected:
    void show(const QString& toml, const std::vector<Problem>& problems = {}) {
        form_.update(ExperimentDocument(toml), problems);
        form_.resize(600, 200);
        form_.show();
    }
    QStringList visibleKeys() {
        QStringList keys;
        for (const FieldRow* row : form_.rows()) {
            if (row->isVisible()) keys << row->key();
        }
        return keys;
    }
    QPushButton* more() { return form_.findChild<QPushButton*>(); }
    SectionForm form_{*smallSchema().section("algorithm"), testLook()};
};

TEST_F(SectionFormTest, FieldsThatTheTextLeavesOutAreOneLineThatOpens) {
    show("[algorithm]\nname = \"dasgd\"\ndelay = 3\n");
    EXPECT_EQ(visibleKeys(), (QStringList{"algorithm.name", "algorithm.delay"}));
    EXPECT_TRUE(more()->text().contains(QLatin1String("period, local_weight, optimizer_state at default")));
    more()->click();
    EXPECT_EQ(visibleKeys().size(), 5);
    more()->click();
    EXPECT_EQ(visibleKeys().size(), 2);
}

TEST_F(SectionFormTest, ANarrowLineOfFoldedFieldsNamesFewerOfThem) {
    show("[algorithm]\nname = \"dasgd\"\ndelay = 3\n");
    more()->setFont(interFont(20));  // else all of them fit into the narrowest form
    for (const int width : {700, 500, 300}) {
        form_.resize(width, 200);
        const int needed = more()->fontMetrics().horizontalAdvance(more()->text());
        EXPECT_LE(needed, more()->contentsRect().width()) << width << ": " << more()->text().toStdString();
    }
    EXPECT_TRUE(more()->text().endsWith(QLatin1String(" more at default"))) << more()->text().toStdString();
    EXPECT_TRUE(more()->toolTip().contains(QLatin1String("optimizer_state"))) << "all of them are in the tool tip";
}

TEST_F(SectionFormTest, RowsFollowThePlugin) {
    show("[algorithm]\nname = \"dasgd\"\ndelay = 3\n");
    show("[algorithm]\nname = \"local_sgd\"\nperiod = 8\n");
    EXPECT_EQ(visibleKeys(), (QStringList{"algorithm.name", "algorithm.period"}));
    EXPECT_FALSE(more()->isVisible());
    QSignalSpy chosen(&form_, &SectionForm::pluginChosen), edited(&form_, &SectionForm::edited);
    emit form_.rows()[0]->edited(QStringLiteral("dasgd"));
    emit form_.rows()[1]->edited(QStringLiteral("16"));
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][1].toString(), QStringLiteral("dasgd"));
    ASSERT_EQ(edited.count(), 1);
    EXPECT_EQ(edited[0][0].toString(), QStringLiteral("algorithm.period"));
    EXPECT_EQ(edited[0][2].toString(), QStringLiteral("16"));
}

TEST_F(SectionFormTest, TheFieldThatHasTheCursorKeepsItWhenTheRowsAreMadeAnew) {
    show("[algorithm]\nname = \"dasgd\"\nperiod = 8\n");
    ASSERT_TRUE(QTest::qWaitForWindowActive(&form_));
    const auto focused = [] {
        return QApplication::focusWidget() ? QApplication::focusWidget()->accessibleName() : "";
    };
    form_.rows()[0]->editor()->setFocus();
    show("[algorithm]\nname = \"local_sgd\"\nperiod = 8\n");
    EXPECT_EQ(focused(), QStringLiteral("algorithm.name")) << "another algorithm was chosen there";
    form_.rows()[1]->editor()->setFocus();
    show("[algorithm]\nname = \"dasgd\"\nperiod = 8\n");
    EXPECT_EQ(focused(), QStringLiteral("algorithm.period"));
    ASSERT_NE(form_.reveal(QStringLiteral("algorithm.delay")), nullptr);
    form_.rows()[2]->editor()->setFocus();
    show("[algorithm]\nname = \"local_sgd\"\n");
    EXPECT_EQ(focused(), QStringLiteral("algorithm.name")) << "it has no such field";
}

TEST_F(SectionFormTest, WhatThePluginDoesIsWholeInAFormOfUsualWidth) {
    show("[algorithm]\nname = \"dasgd\"\n");
    form_.resize(500, 300);
    const auto labels = form_.findChildren<QLabel*>();
    const auto summary = std::ranges::find(labels, QStringLiteral("Local SGD with delayed averaging"), &QLabel::text);
    ASSERT_NE(summary, labels.end());
    EXPECT_TRUE((*summary)->isVisible());
    EXPECT_TRUE((*summary)->wordWrap());
    EXPECT_GE((*summary)->height(), (*summary)->heightForWidth((*summary)->width()));
}

TEST_F(SectionFormTest, AProblemUnfoldsItsField) {
    show("[algorithm]\nname = \"dasgd\"\n", {{3, 1, "period must be 4", "algorithm.period"},
                                             {4, 1, "less", "algorithm.delay"},
                                             {5, 1, "of another", "train.steps"}});
    EXPECT_TRUE(visibleKeys().contains("algorithm.period"));
    EXPECT_TRUE(visibleKeys().contains("algorithm.delay")) << "each field has its own";
    show("[algorithm]\nname = \"dasgd\"\n");
    EXPECT_FALSE(visibleKeys().contains("algorithm.period"));
    EXPECT_NE(form_.reveal("algorithm.period"), nullptr);
    EXPECT_TRUE(visibleKeys().contains("algorithm.period"));
    EXPECT_EQ(form_.reveal("train.steps"), nullptr);
}

TEST_F(SectionFormTest, WhatTheSweepReplacesSaysSo) {
    show("[algorithm]\nname = \"dasgd\"\ndelay = 3\n[sweep]\n\"algorithm.delay\" = [1, 2]\n");
    int swept = 0;
    for (const auto* label : form_.findChildren<QLabel*>()) {
        swept += label->isVisible() && label->text() == QLatin1String("swept") ? 1 : 0;
    }
    EXPECT_EQ(swept, 1);
}

TEST(SectionForm, FieldsOfATableHaveTheirTablesName) {
    SectionForm form(*smallSchema().section("cluster"), testLook());
    form.update(ExperimentDocument("[cluster]\nlink = { latency = \"1ms\" }\n"), {});
    form.show();
    FieldRow* row = form.reveal("cluster.link.latency");
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(qobject_cast<QLineEdit*>(row->editor())->text(), QStringLiteral("1ms"));
}

}  // namespace
}  // namespace dasgd::gui
