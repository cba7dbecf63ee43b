#include "gui/experiment/form/experiment_form.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

const QString kFormText =
    QStringLiteral("name = \"x\"\n[algorithm]\nname = \"dasgd\"\ndelay = 3\n[train]\nsteps = 4\n");

class ExperimentFormTest : public ::testing::Test {
protected:
    ExperimentFormTest() {
        form_.resize(480, 800);
        form_.setSchema(smallSchema());
        form_.update(ExperimentDocument(kFormText), {});
        form_.show();
    }
    QStringList sections() {
        QStringList names;
        for (const SectionForm* one : form_.findChildren<SectionForm*>()) {
            if (one->isVisible()) names << one->name();
        }
        return names;
    }
    ExperimentForm form_{testLook()};
};

TEST_F(ExperimentFormTest, SectionsThatTheTextLeavesOutAreOneLineThatOpens) {
    EXPECT_EQ(sections(), (QStringList{"", "algorithm", "train"}));
    QPushButton* more = nullptr;
    for (auto* one : form_.findChildren<QPushButton*>()) {
        if (one->isVisible() && one->text().contains(QLatin1String("optimizer, cluster, network"))) more = one;
    }
    ASSERT_NE(more, nullptr);
    more->click();
    EXPECT_EQ(sections().size(), 6);
    form_.update(ExperimentDocument(), {});
    more->click();
    EXPECT_EQ(sections(), (QStringList{"", "algorithm"})) << "what has no default is always asked for";
}

TEST_F(ExperimentFormTest, ASectionThatTheAlgorithmDoesNotReadIsThereOnlyIfTheTextHasIt) {
    ExperimentSchema schema = smallSchema();
    // Without a default of its own, as graphs have none: it would always be shown.
    schema.sections.push_back({.name = "graph",
                               .fields = {{.name = "name", .type = "string"}},
                               .plugins = {{.name = "ring", .summary = "Two neighbours"}}});
    form_.setSchema(schema);
    const auto isThere = [this](QString text) {
        form_.update(ExperimentDocument(std::move(text)), {});
        return sections().contains(QStringLiteral("graph"));
    };
    const QString localSgd =
        QString(kFormText).replace(QLatin1String("dasgd\"\ndelay = 3"), QLatin1String("local_sgd\""));
    EXPECT_TRUE(isThere(kFormText)) << "dasgd reads it here";
    EXPECT_FALSE(isThere(localSgd));
    EXPECT_TRUE(isThere(localSgd + QStringLiteral("[graph]\nname = \"ring\"\n"))) << "so that it can be taken out";
    EXPECT_TRUE(isThere(localSgd + QStringLiteral("[sweep]\n\"algorithm.name\" = [\"local_sgd\", \"dasgd\"]\n")));
}

TEST_F(ExperimentFormTest, ASectionThatTheBackendRefusesIsThereOnlyIfTheTextHasIt) {
    ExperimentSchema schema = smallSchema();
    std::ranges::find(schema.sections, "network", &SchemaSection::name)->backends = {"virtual"};
    form_.setSchema(schema);
    const auto isThere = [this](const QString& more) {
        form_.update(ExperimentDocument(kFormText + more), {});
        for (auto* one : form_.findChildren<QPushButton*>()) {
            if (one->isVisible() && one->text().contains(QLatin1String("at default")) &&
                one->text().contains(QLatin1String("network")))
                return true;
        }
        return sections().contains(QStringLiteral("network"));
    };
    EXPECT_FALSE(isThere({})) << "gloo is the default";
    EXPECT_FALSE(isThere(QStringLiteral("[cluster]\nbackend = \"threads\"\n")));
    EXPECT_TRUE(isThere(QStringLiteral("[cluster]\nbackend = \"virtual\"\n")));
    EXPECT_TRUE(isThere(QStringLiteral("[network]\nname = \"star\"\n"))) << "so that it can be taken out";
    EXPECT_TRUE(isThere(QStringLiteral("[sweep]\n\"cluster.backend\" = [\"gloo\", \"virtual\"]\n")));
}

TEST_F(ExperimentFormTest, AFieldKeepsTheCursorWhenItsSectionIsEmptied) {
    const QString text = kFormText + QStringLiteral("[cluster]\nworkers = 4\n");
    form_.update(ExperimentDocument(text), {});
    ASSERT_TRUE(QTest::qWaitForWindowActive(&form_));
    ASSERT_TRUE(form_.focusKey(QStringLiteral("cluster.workers")));
    form_.update(ExperimentDocument(kFormText), {});
    ASSERT_TRUE(form_.focusKey(QStringLiteral("train.steps")));
    form_.update(ExperimentDocument(QStringLiteral("name = \"x\"\n[algorithm]\nname = \"dasgd\"\n")), {});
    EXPECT_EQ(QApplication::focusWidget()->accessibleName(), QStringLiteral("train.steps"));
    EXPECT_TRUE(QApplication::focusWidget()->isVisible());
}

TEST_F(ExperimentFormTest, ASectionGetsItsRowsWhenItIsFirstShownAndThenShowsTheText) {
    const auto rowsOf = [this](const QString& section) {
        for (const SectionForm* one : form_.findChildren<SectionForm*>()) {
            if (one->name() == section) return one->rows().size();
        }
        return std::size_t{0};
    };
    EXPECT_TRUE(QTest::qWaitFor([&] { return rowsOf("train") > 0; }));
    EXPECT_EQ(rowsOf("optimizer"), 0U) << "nobody sees it";
    form_.update(ExperimentDocument(kFormText + QStringLiteral("[optimizer]\nmomentum = 0.5\n")), {});
    EXPECT_EQ(rowsOf("optimizer"), 0U) << "the next key or click comes first";
    EXPECT_TRUE(QTest::qWaitFor([&] { return rowsOf("optimizer") > 0; }));
    EXPECT_EQ(qobject_cast<QLineEdit*>(form_.rowOf("optimizer.momentum")->editor())->text(), QStringLiteral("0.5"));
}

TEST_F(ExperimentFormTest, AProblemInAFoldedSectionUnfoldsIt) {
    form_.update(ExperimentDocument(kFormText), {{.message = "too much", .key = "optimizer.momentum"}});
    EXPECT_TRUE(sections().contains(QStringLiteral("optimizer")));
    EXPECT_TRUE(form_.rowOf("optimizer.momentum")->hasProblem());
}

TEST_F(ExperimentFormTest, AFieldIsFoundWhereverItIsFolded) {
    ASSERT_TRUE(QTest::qWaitForWindowActive(&form_));
    EXPECT_TRUE(form_.focusKey("optimizer.momentum"));
    EXPECT_TRUE(form_.rowOf("optimizer.momentum")->isVisible());
    EXPECT_TRUE(form_.rowOf("optimizer.momentum")->editor()->hasFocus());
    EXPECT_FALSE(form_.focusKey("optimizer.unknown"));
    EXPECT_EQ(form_.rowOf("optimizer.unknown"), nullptr);
}

TEST_F(ExperimentFormTest, WhileTheTextIsBrokenTheFormKeepsWhatItShowed) {
    form_.update(ExperimentDocument("name = \n"), {});
    auto* delay = qobject_cast<QLineEdit*>(form_.rowOf("algorithm.delay")->editor());
    EXPECT_EQ(delay->text(), QStringLiteral("3"));
    EXPECT_FALSE(delay->isEnabled());
    bool said = false;
    for (const auto* label : form_.findChildren<QLabel*>()) {
        said = said || (label->isVisible() && label->text().startsWith(QLatin1String("Line 1 of the text is no TOML")));
    }
    EXPECT_TRUE(said);
    form_.update(ExperimentDocument(kFormText), {});
    EXPECT_TRUE(delay->isEnabled());
}

TEST_F(ExperimentFormTest, TellsWhatIsTypedAndWhere) {
    QSignalSpy edited(&form_, &ExperimentForm::edited);
    QTest::keyClicks(form_.rowOf("train.steps")->editor(), QStringLiteral("0"));
    ASSERT_EQ(edited.count(), 1);
    EXPECT_EQ(edited[0][0].toString(), QStringLiteral("train.steps"));
}

}  // namespace
}  // namespace dasgd::gui
