#include "gui/data/filter/filter_expression.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class FilterExpressionTest : public ::testing::Test {
protected:
    FilterExpressionTest() {
        add("a", "dasgd", 4, 0.95, "finished");
        add("b", "dasgd", 2, 0.99, "failed");
        add("c", "local_sgd", 3, 0.5, "finished");
        runs_.push_back(makeRun("d", "sync_sgd", "[algorithm]\nname = \"sync_sgd\"\n", 3));
        for (const RunItemPtr& run : runs_) fields_.add(*run);
    }
    void add(const char* id, const char* algorithm, int delay, double hidden, const char* status) {
        storage::RunRow row =
            makeRun(id, algorithm,
                    "[algorithm]\nname = \"" + std::string(algorithm) + "\"\ndelay = " + std::to_string(delay) +
                        "\n[train]\nrate = 1\n[x]\nrate = 2\n",
                    1, status)
                ->row;
        row.hidden = hidden;
        runs_.push_back(makeRunItem(row));
    }
    // The ids of the runs that pass.
    [[nodiscard]] QString passing(const char* text) const {
        const auto filter = FilterExpression::parse(QString::fromUtf8(text), fields_);
        if (!filter) return QStringLiteral("%1: %2").arg(filter.error().at).arg(filter.error().message);
        QString ids;
        for (const RunItemPtr& run : runs_) ids += filter->accepts(*run) ? run->id : QString();
        return ids;
    }
    [[nodiscard]] FilterError error(const QString& text) const {
        const auto filter = FilterExpression::parse(text, fields_);
        EXPECT_FALSE(filter) << text.toStdString();
        return filter ? FilterError{-1, {}} : filter.error();
    }
    std::vector<RunItemPtr> runs_;
    FieldCatalog fields_;
};

TEST_F(FilterExpressionTest, WordsHitAnyPartAndAllMustHit) {
    EXPECT_EQ(passing(""), "abcd");
    EXPECT_EQ(passing("   "), "abcd");
    EXPECT_EQ(passing("SGD"), "abcd");
    EXPECT_EQ(passing("sgd sync"), "d");
    EXPECT_EQ(passing("-failed"), "acd");
    EXPECT_EQ(passing("dasgd -failed"), "a");
    EXPECT_EQ(passing("nothing"), "");
    EXPECT_EQ(passing("-"), "") << "a lone minus is a word that no run has";
    EXPECT_EQ(passing("\"seed 3\""), "d");
    EXPECT_EQ(passing("\"and\""), "") << "a keyword in quotes is a word";
}

TEST_F(FilterExpressionTest, ComparisonsMeetFieldsAndKeys) {
    EXPECT_EQ(passing("algorithm = dasgd and delay >= 3 and hidden > 0.9"), "a");
    EXPECT_EQ(passing("hidden > 90 %"), "ab");
    EXPECT_EQ(passing("hidden>90%"), "ab");
    EXPECT_EQ(passing("hidden > 90 % failed"), "b") << "a word after the unit";
    EXPECT_EQ(passing("delay=3"), "c");
    EXPECT_EQ(passing("algorithm.delay == 3"), "c");
    EXPECT_EQ(passing("delay != 3"), "ab") << "d has no delay";
    EXPECT_EQ(passing("not delay = 3"), "abd");
    EXPECT_EQ(passing("algorithm ~ sgd"), "abcd");
    EXPECT_EQ(passing("algorithm = \"sync_sgd\""), "d");
}

TEST_F(FilterExpressionTest, AListIsEqualToOneOfItsValues) {
    EXPECT_EQ(passing("delay in (2,3)"), "bc");
    EXPECT_EQ(passing("delay IN (2, 4) and dasgd"), "ab");
    EXPECT_EQ(passing("delay in (4 3)"), "ac");
    EXPECT_EQ(passing("delay not in (2, 3)"), "ad") << "d has no delay";
    EXPECT_EQ(passing("hidden in (95 %, 0.99)"), "ab");
    EXPECT_EQ(passing("algorithm in (\"sync_sgd\", local_sgd) or delay = 2"), "bcd");
    EXPECT_EQ(passing("in (sync)"), "d") << "without a field it is a word, here a part of \"finished\"";
    EXPECT_EQ(error(QStringLiteral("delay in (2, 3")).message, QStringLiteral("“(” is not closed"));
    EXPECT_EQ(error(QStringLiteral("delay in (2 > 3)")).at, 12);
    EXPECT_EQ(error(QStringLiteral("delay in ()")).at, 10);
    EXPECT_TRUE(error(QStringLiteral("dellay in (2)")).message.contains(QStringLiteral("no run has a field")));
    EXPECT_TRUE(error(QStringLiteral("hidden in (1, high)")).message.contains(QStringLiteral("“high” is none")));
}

TEST_F(FilterExpressionTest, AStatusThatThereIsNotIsSaid) {
    const FilterError unknown = error(QStringLiteral("status = stoped"));
    EXPECT_EQ(unknown.at, 9);
    EXPECT_TRUE(unknown.message.contains(QStringLiteral("finished, stopped"))) << unknown.message.toStdString();
    EXPECT_EQ(passing("status = Failed"), "b");
    EXPECT_EQ(passing("status ~ stoped"), "");
}

TEST_F(FilterExpressionTest, AndBindsMoreCloselyThanOr) {
    EXPECT_EQ(passing("delay = 3 or algorithm = dasgd and status = failed"), "bc");
    EXPECT_EQ(passing("(delay = 3 or algorithm = dasgd) and status = failed"), "b");
    EXPECT_EQ(passing("delay = 3 OR sync_sgd"), "cd");
    EXPECT_EQ(passing("NOT (dasgd or local_sgd)"), "d");
    EXPECT_EQ(passing("not not sync"), "d");
    EXPECT_EQ(passing("(dasgd failed) or (sync)"), "bd");
}

TEST_F(FilterExpressionTest, AnErrorSaysThePlaceAndWhatWasExpected) {
    const struct {
        const char* text;
        qsizetype at;
        const char* part;
    } cases[] = {{"delay >=", 8, "expected a value after “>=”"},
                 {"delay >= )", 9, "expected a value"},
                 {"dasgd and", 9, "expected a word"},
                 {"dasgd and or", 10, "found “or”"},
                 {"or dasgd", 0, "expected a word"},
                 {"not", 3, "expected a word"},
                 {"(dasgd", 0, "not closed"},
                 {"dasgd)", 5, "closes nothing"},
                 {"()", 1, "expected a word"},
                 {"delay => 3", 6, "no operator"},
                 {"algorithm = \"da", 12, "not closed"},
                 {"= 3", 0, "expected a word"},
                 {"dasgd hidden > high", 15, "hidden is a number"}};
    for (const auto& one : cases) {
        const FilterError found = error(QString::fromUtf8(one.text));
        EXPECT_EQ(found.at, one.at) << one.text;
        EXPECT_TRUE(found.message.contains(QString::fromUtf8(one.part))) << found.message.toStdString();
    }
}

TEST_F(FilterExpressionTest, AnUnknownFieldIsNoWord) {
    const FilterError unknown = error(QStringLiteral("dasgd dellay > 3"));
    EXPECT_EQ(unknown.at, 6);
    EXPECT_TRUE(unknown.message.contains(QStringLiteral("algorithm.delay"))) << unknown.message.toStdString();
    EXPECT_TRUE(error(QStringLiteral("qqqq > 3")).message.contains(QStringLiteral("no run has a field “qqqq”")));
    EXPECT_TRUE(error(QStringLiteral("rate > 3")).message.contains(QStringLiteral("train.rate, x.rate")));
}

TEST_F(FilterExpressionTest, AWordThatIsStillTypedIsLeftOutAfterAComparison) {
    for (const char* text : {"delay = 3", "delay = 3 a", "delay = 3 an", "delay = 3 and hid", "delay = 3 and not hid",
                             "delay = 3 or algo"}) {
        EXPECT_EQ(passing(text), "c") << text;
    }
    EXPECT_EQ(passing("delay = 3 and (hid)"), "") << "not at the end";
    EXPECT_EQ(passing("delay = 3 hid "), "") << "not at the end";
    EXPECT_EQ(passing("delay >= 2 failed"), "b") << "begins no name";
    EXPECT_EQ(passing("hid"), "") << "a word as ever where nothing is compared";
}

TEST_F(FilterExpressionTest, SaysWhichWordAtTheEndIsLeftOut) {
    const auto unfinished = [&](const char* text) {
        return FilterExpression::parse(QString::fromUtf8(text), fields_)->unfinished();
    };
    EXPECT_EQ(unfinished("delay = 3 an"), QStringLiteral("an"));
    EXPECT_EQ(unfinished("delay = 3"), QString());
    EXPECT_EQ(unfinished("delay = 3 failed"), QString());
}

TEST_F(FilterExpressionTest, AFlagAloneIsACondition) {
    runs_.push_back(makeRunItem(runs_[1]->row, {.starred = true, .tags = {"good", "fig3"}, .note = "Diverged late"}));
    EXPECT_EQ(passing("starred"), "b");
    EXPECT_EQ(passing("delay = 4 or starred"), "ab");
    EXPECT_EQ(passing("not starred delay >= 3"), "ac");
    EXPECT_EQ(passing("-starred"), "abcd");
    EXPECT_EQ(passing("starred = no"), "abcd");
    EXPECT_EQ(passing("\"starred\""), "") << "a word";
    EXPECT_EQ(passing("simulated"), "");
    EXPECT_EQ(error(QStringLiteral("starred = 3x")).message, QStringLiteral("starred is true or false, not “3x”"));
    EXPECT_TRUE(error(QStringLiteral("starred > 1")).message.contains(QStringLiteral("write it alone")));
}

TEST_F(FilterExpressionTest, TagsAndNotesAreAskedFor) {
    runs_.push_back(makeRunItem(runs_[1]->row, {.starred = true, .tags = {"good", "fig3"}, .note = "Diverged late"}));
    EXPECT_EQ(passing("tag = GOOD"), "b") << "one of several";
    EXPECT_EQ(passing("tag = goo"), "");
    EXPECT_EQ(passing("tag ~ fig"), "b");
    EXPECT_EQ(passing("tag != good"), "abcd") << "none of its tags";
    EXPECT_EQ(passing("note ~ diverged"), "b");
    EXPECT_EQ(passing("fig3"), "b") << "a word as well";
    EXPECT_TRUE(error(QStringLiteral("tag < a")).message.contains(QStringLiteral("tag is text")));
}

TEST_F(FilterExpressionTest, DeepNestingIsAnError) {
    EXPECT_TRUE(error(QString(100'000, u'(')).message.contains(QStringLiteral("levels")));
    EXPECT_TRUE(error(QStringLiteral("not ").repeated(100'000)).message.contains(QStringLiteral("levels")));
}

// Run page and Compare page choose the same runs, with the same filter.
TEST(ExperimentRuns, TheExperimentOfATrainingIsComparedWithoutItsProbes) {
    const auto training = makeRun("a", "dasgd"), probe = makeRun("b", "probe"), other = makeRun("c", "sync_sgd");
    const std::vector<RunItemPtr> runs{training, probe, other};
    const ExperimentRuns compared = comparedWith(*training, runs);
    EXPECT_EQ(compared.runs, (std::vector<RunItemPtr>{training, other}));
    EXPECT_EQ(compared.filter, QStringLiteral("experiment = \"sweep\" and algorithm != probe"));
    EXPECT_EQ(comparedWith(*probe, runs).runs, std::vector<RunItemPtr>{probe});
    EXPECT_EQ(comparedWith(*probe, runs).filter, QStringLiteral("experiment = \"sweep\" and algorithm = probe"));
    EXPECT_EQ(comparedWith(*training, std::vector<RunItemPtr>{training}).filter,
              QStringLiteral("experiment = \"sweep\""));
}

}  // namespace
}  // namespace dasgd::gui
