#include "gui/experiment/sweep/sweep_card.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QLineEdit>
#include <QSignalSpy>

#include "gui/experiment/sweep/case_row.h"
#include "gui/experiment/sweep/case_value_row.h"
#include "gui/experiment/sweep/field_picker.h"
#include "gui/experiment/sweep/sweep_row.h"
#include "gui/experiment/sweep/sweep_table.h"
#include "tests/gui/support/bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

const QString kSwept =
    "[algorithm]\nname = \"dasgd\"\n\n[sweep]\n\"algorithm.delay\" = [1, 2]  # ours\n\"train.seed\" = [1, 2]\n";

class SweepCardTest : public ::testing::Test {
protected:
    SweepCardTest() {
        card_.resize(300, 700);
        card_.setSchema(smallSchema());
        QObject::connect(&card_, &SweepCard::textWanted, &card_, [this](const QString& text) { show(text); });
        card_.show();
        card_.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&card_));
    }
    void show(const QString& text, const std::optional<Problem>& problem = std::nullopt) {
        text_ = text;
        card_.update(ExperimentDocument(text), problem);
    }
    QToolButton* link(const QString& text) {
        for (auto* one : card_.findChildren<QToolButton*>()) {
            if (one->text() == text && one->isVisible()) return one;
        }
        return nullptr;
    }
    // Opens the list by the keyboard and takes what the words find first.
    void choose(QToolButton& button, const QString& words) {
        button.setFocus();
        QTest::keyClick(&button, Qt::Key_Space);
        auto* picker = card_.findChild<FieldPicker*>();
        ASSERT_NE(picker, nullptr);
        QTest::keyClicks(&picker->filter(), words);
        QTest::keyClick(&picker->filter(), Qt::Key_Return);
    }
    bool says(const QString& words) {
        for (const auto* label : card_.findChildren<QLabel*>()) {
            if (label->isVisible() && label->text().contains(words)) return true;
        }
        return false;
    }
    SweepCard card_;
    QString text_;
};

TEST_F(SweepCardTest, AFieldOfTheFormIsSweptFromItsPresentValue) {
    show(QStringLiteral("[algorithm]\nname = \"dasgd\"\ndelay = 3\n"));
    card_.sweepField(QStringLiteral("algorithm.delay"));
    EXPECT_TRUE(text_.contains(QStringLiteral("\"algorithm.delay\" = [3]"))) << text_.toStdString();
    ASSERT_EQ(card_.rows().size(), 1U);
    EXPECT_TRUE(card_.rows()[0]->editor().hasFocus());
    const QString before = text_;
    card_.sweepField(QStringLiteral("algorithm.delay"));
    EXPECT_EQ(text_, before) << "it only goes there";
    card_.sweepField(QStringLiteral("algorithm.nonsense"));
    EXPECT_EQ(text_, before);
}

TEST_F(SweepCardTest, AnErrorWithinACaseStandsAtItsRow) {
    const QString text =
        QStringLiteral("[[case]]\nname = \"a\"\ntrain.steps = 4\n\n[[case]]\nname = \"b\"\ntrain.steps = -1\n");
    const ExperimentDocument document(text);
    show(text, Problem{.line = 7, .column = 15, .message = QStringLiteral("steps is -1"), .key = document.keyAt(7)});
    ASSERT_EQ(card_.cases().size(), 2U);
    EXPECT_EQ(card_.cases()[0]->problem(), QString());
    EXPECT_EQ(card_.cases()[1]->problem(), QStringLiteral("steps is -1"));
    EXPECT_TRUE(eventually([&] { return says(QStringLiteral("steps is -1")); }));
    show(text);
    EXPECT_EQ(card_.cases()[1]->problem(), QString());
}

TEST_F(SweepCardTest, AnEditChangesTheValuesInTheText) {
    show(kSwept);
    ASSERT_EQ(card_.rows().size(), 2U);
    EXPECT_TRUE(card_.focusKey());
    EXPECT_TRUE(card_.rows()[0]->editor().hasFocus());
    QTest::keyClicks(&card_.rows()[0]->editor(), QStringLiteral("1..3"));
    EXPECT_EQ(text_, QString(kSwept).replace("[1, 2]  # ours", "[1, 2, 3]  # ours"));
    show(QString(kSwept).replace("[1, 2]  # ours", "[8]  # ours"));
    EXPECT_EQ(card_.rows()[0]->editor().text(), QStringLiteral("8"));
}

TEST_F(SweepCardTest, AFieldIsAddedFromTheSearchedListAndItsValuesAreNextToBeTyped) {
    show("[algorithm]\nname = \"dasgd\"\nperiod = 8\n");
    EXPECT_TRUE(says(QStringLiteral("Nothing is swept.")));
    EXPECT_TRUE(card_.focusKey());
    EXPECT_TRUE(link(QStringLiteral("+ field"))->hasFocus()) << "what Alt+S goes to without a row";
    choose(*link(QStringLiteral("+ field")), QStringLiteral("period"));
    EXPECT_TRUE(text_.endsWith("\n[sweep]\n\"algorithm.period\" = [8]\n"));
    ASSERT_EQ(card_.rows().size(), 1U);
    EXPECT_TRUE(eventually([this] { return card_.rows()[0]->editor().hasFocus(); }));
    QTest::keyClicks(&card_.rows()[0]->editor(), QStringLiteral("4, 8"));
    EXPECT_TRUE(text_.endsWith("\"algorithm.period\" = [4, 8]\n"));
    EXPECT_FALSE(says(QStringLiteral("Nothing is swept.")));
}

TEST_F(SweepCardTest, ARowIsTakenOutByDeleteAndTheNextOneIsGoneTo) {
    show(kSwept);
    card_.focusKey();
    QTest::keyClick(&card_.rows()[0]->editor(), Qt::Key_Delete, Qt::ControlModifier);
    ASSERT_TRUE(eventually([this] { return card_.rows().size() == 1; }));
    EXPECT_EQ(text_, QString(kSwept).remove("\"algorithm.delay\" = [1, 2]  # ours\n"));
    EXPECT_TRUE(card_.rows()[0]->editor().hasFocus());
    QTest::keyClick(&card_.rows()[0]->editor(), Qt::Key_Delete, Qt::ControlModifier);
    ASSERT_TRUE(eventually([this] { return card_.rows().empty(); }));
    EXPECT_EQ(text_, "[algorithm]\nname = \"dasgd\"\n");
    EXPECT_TRUE(link(QStringLiteral("+ field"))->hasFocus());
}

TEST_F(SweepCardTest, CasesAreAddedSetCopiedNamedAndTakenOut) {
    show("[algorithm]\nname = \"dasgd\"\n");
    link(QStringLiteral("+ case"))->setFocus();
    QTest::keyClick(link(QStringLiteral("+ case")), Qt::Key_Space);
    ASSERT_EQ(card_.cases().size(), 1U);
    EXPECT_TRUE(card_.cases()[0]->name().hasFocus());
    choose(card_.cases()[0]->setButton(), QStringLiteral("local_weight"));
    EXPECT_TRUE(text_.endsWith("[[case]]\nname = \"case 1\"\nalgorithm.local_weight = 0.25\n"));
    // New rows are shown by the event loop.
    ASSERT_TRUE(eventually([this] { return link(QStringLiteral("copy")) != nullptr; }));
    link(QStringLiteral("copy"))->click();
    ASSERT_EQ(card_.cases().size(), 2U);
    ASSERT_TRUE(eventually([this] { return card_.cases()[1]->name().isVisible(); }));
    card_.cases()[1]->name().selectAll();
    QTest::keyClicks(&card_.cases()[1]->name(), QStringLiteral("late"));
    EXPECT_EQ(text_.count("algorithm.local_weight = 0.25"), 2);
    EXPECT_TRUE(text_.contains("name = \"late\""));
    QTest::keyClick(&card_.cases()[0]->name(), Qt::Key_Delete, Qt::ControlModifier);
    ASSERT_TRUE(eventually([this] { return card_.cases().size() == 1; }));
    EXPECT_EQ(card_.cases()[0]->name().text(), QStringLiteral("late"));
}

TEST_F(SweepCardTest, ValuesOfACaseAreEditedInStepWithTheText) {
    const QString text =
        "[algorithm]\nname = \"dasgd\"\n\n[[case]]\nname = \"a\"\nalgorithm.delay = 2  # ours\n"
        "train = { steps = 8, seed = 7 }\n";
    show(text);
    const auto value = [this](const char* key) -> CaseValueRow* {
        for (CaseValueRow* row : card_.cases()[0]->values()) {
            if (row->value().key() == QLatin1String(key)) return row;
        }
        return nullptr;
    };
    ASSERT_TRUE(eventually([&] { return value("algorithm.delay") && value("algorithm.delay")->editor().isVisible(); }));
    QLineEdit& delay = value("algorithm.delay")->editor();
    delay.setFocus();
    delay.selectAll();
    QTest::keyClicks(&delay, QStringLiteral("3"));
    EXPECT_EQ(text_, QString(text).replace("delay = 2", "delay = 3"));
    QLineEdit& seed = value("train.seed")->editor();
    seed.setFocus();
    seed.selectAll();
    QTest::keyClicks(&seed, QStringLiteral("9"));
    EXPECT_TRUE(text_.contains("{ steps = 8, seed = 9 }")) << "between braces too";
    QTest::keyClicks(&seed, QStringLiteral(", 10"));
    EXPECT_TRUE(text_.contains("{ steps = 8, seed = 9 }"));
    EXPECT_TRUE(value("train.seed")->problem().contains(QStringLiteral("a sweep")))
        << value("train.seed")->problem().toStdString();
    show(QString(text).replace("delay = 2", "delay = 4"));
    EXPECT_EQ(delay.text(), QStringLiteral("4")) << "the text leads too";
    show(text, Problem{6, 1, "delay is 9", "algorithm.delay"});
    EXPECT_EQ(value("algorithm.delay")->problem(), QStringLiteral("delay is 9"));
    EXPECT_EQ(value("train.steps")->problem(), QString());
    QTest::keyClick(&value("train.steps")->editor(), Qt::Key_Delete, Qt::ControlModifier);
    ASSERT_TRUE(eventually([&] { return value("train.steps") == nullptr; }));
    EXPECT_TRUE(text_.contains("train = { seed = 7 }")) << text_.toStdString();
}

TEST_F(SweepCardTest, AProblemStandsUnderItsRowAndASyntaxErrorStopsEditing) {
    show(kSwept, Problem{5, 3, "delay is 9", "sweep.algorithm.delay"});
    EXPECT_EQ(card_.rows()[0]->problem(), QStringLiteral("delay is 9"));
    EXPECT_EQ(card_.rows()[1]->problem(), QString());
    EXPECT_TRUE(card_.focusKey(QStringLiteral("algorithm.delay")));
    EXPECT_FALSE(card_.focusKey(QStringLiteral("algorithm.period")));
    show("[sweep]\n\"a\" = [1,, 2]\n");
    EXPECT_EQ(card_.rows().size(), 2U) << "they wait";
    EXPECT_FALSE(card_.rows()[0]->isEnabled());
    EXPECT_TRUE(says(QStringLiteral("Line 2 of the text is no TOML")));
    show("case = [{ name = \"x\" }]\n");
    EXPECT_TRUE(says(QStringLiteral("change them in the text")));
}

TEST_F(SweepCardTest, SaysHowManyRunsAndWhatTheTimeIsFrom) {
    show(kSwept);
    card_.showSize(std::nullopt);
    EXPECT_EQ(card_.sizeInWords(), QStringLiteral("2 × 2 seeds = 4 runs"));
    EXPECT_TRUE(says(QStringLiteral("not known before the dry run")));
    card_.showSize(4, QStringLiteral("about 5 min 00 s"), QStringLiteral("planned steps × time of a step in r7"));
    EXPECT_TRUE(says(QStringLiteral("takes: about 5 min 00 s")));
    EXPECT_TRUE(says(QStringLiteral("time of a step in r7")));
    card_.setLow(true);
    EXPECT_FALSE(says(QStringLiteral("time of a step in r7"))) << "its room is the rows'";
    EXPECT_TRUE(says(QStringLiteral("takes: about 5 min 00 s")));
    card_.setLow(false);
    EXPECT_TRUE(says(QStringLiteral("time of a step in r7")));
}

TEST_F(SweepCardTest, ACaseOfTheForecastIsChosenInItsTable) {
    show(kSwept);
    const auto* table = card_.findChild<SweepTable*>();
    ASSERT_NE(table, nullptr);
    EXPECT_FALSE(table->isVisible());
    card_.showForecast(
        {{.label = QStringLiteral("d = 1"), .runs = 2, .hidden = 0.5, .stepSeconds = 0.01, .seconds = 3, .tip = {}},
         {.label = QStringLiteral("d = 2"), .runs = 2, .hidden = 1, .stepSeconds = 0.008, .seconds = 2, .tip = {}}});
    EXPECT_TRUE(table->isVisible());
    QSignalSpy wanted(&card_, &SweepCard::caseWanted);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualItemRect(table->item(1, 0)).center());
    ASSERT_GE(wanted.size(), 1);
    EXPECT_EQ(wanted.back()[0].toInt(), 1);
    card_.showForecast({});
    EXPECT_FALSE(table->isVisible());
}

}  // namespace
}  // namespace dasgd::gui
