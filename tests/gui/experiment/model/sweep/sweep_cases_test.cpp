#include "gui/experiment/model/sweep/sweep_cases.h"

#include <gtest/gtest.h>

#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

const QString kCasesText =
    "name = \"a\"\n\n[sweep]\n\"algorithm.delay\" = [1, 2, 4]\n\"train.seed\" = [1, 2, 3, 4, 5]\n\n"
    "# the small one\n[[case]]\nname = \"small\"  # of us\ncluster.workers = 2\ntrain = { steps = 8, seed = 7 }\n\n"
    "[[case]]\n[case.algorithm]\nperiod = 16\n[case.sweep]\n\"train.steps\" = [8, 16]\n";

TEST(SweepCases, RowsSayWhatEachCaseSets) {
    const auto rows = casesOf(ExperimentDocument(kCasesText));
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].name, QStringLiteral("small"));
    EXPECT_EQ(rows[0].sets, (QStringList{"cluster.workers = 2", "train.steps = 8", "train.seed = 7"}));
    EXPECT_EQ(rows[0].line, 8);
    EXPECT_EQ(rows[1].name, QString());
    EXPECT_EQ(rows[1].sets, (QStringList{"algorithm.period = 16", "sweep train.steps"}));
}

TEST(SweepCases, CasesInACaseAreCountedNotListed) {
    const auto rows =
        casesOf(ExperimentDocument("[[case]]\n[[case.case]]\nname = \"x\"\n[[case.case.case]]\n[[case.case]]\n"));
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].inner, 2);
    EXPECT_EQ(rows[0].name, QString()) << "the name is that of the inner one";
}

TEST(SweepCases, AnArrayInOnePieceIsLeftToTheText) {
    EXPECT_TRUE(casesOf(ExperimentDocument("case = [{ name = \"x\" }, { name = \"y\" }]\n")).empty());
    EXPECT_TRUE(casesOf(ExperimentDocument("[[case]]\nname = = 1\n")).empty()) << "no TOML";
}

TEST(SweepCases, ANewCaseStandsBehindTheLastAndIsNamedApart) {
    EXPECT_EQ(withNewCase(ExperimentDocument("name = \"a\"")), "name = \"a\"\n\n[[case]]\nname = \"case 1\"\n");
    const QString one = withNewCase(ExperimentDocument(kCasesText));
    EXPECT_EQ(one, kCasesText + "\n[[case]]\nname = \"case 3\"\n");
    const QString table = "[[case]]\nname = \"case 2\"\n\n# of the cluster\n[cluster]\nworkers = 2\n";
    EXPECT_EQ(withNewCase(ExperimentDocument(table)),
              QString(table).replace("# of", "[[case]]\nname = \"case 3\"\n\n# of"));
}

TEST(SweepCases, ACopyHasANameOfItsOwn) {
    const QString copied = withCopiedCase(ExperimentDocument(kCasesText), 0);
    const auto rows = casesOf(ExperimentDocument(copied));
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[1].name, QStringLiteral("small 2"));
    EXPECT_EQ(rows[1].sets, rows[0].sets);
    EXPECT_EQ(copied.count(QLatin1String("# the small one")), 2);
    EXPECT_EQ(withoutCase(ExperimentDocument(copied), 1), kCasesText);
    EXPECT_EQ(casesOf(ExperimentDocument(withCopiedCase(ExperimentDocument(copied), 0)))[1].name,
              QStringLiteral("small 3"));
}

TEST(SweepCases, RemovingTakesTheCommentAboveWithIt) {
    const QString less = withoutCase(ExperimentDocument(kCasesText), 0);
    EXPECT_FALSE(less.contains(QLatin1String("small")));
    EXPECT_TRUE(less.contains(QLatin1String("5]\n\n[[case]]\n[case.algorithm]")));
    EXPECT_EQ(withoutCase(ExperimentDocument(kCasesText), 2), kCasesText) << "there is no third";
    EXPECT_TRUE(withoutCase(ExperimentDocument(kCasesText), 1).endsWith("seed = 7 }\n"));
}

TEST(SweepCases, ANameIsWrittenInPlace) {
    EXPECT_EQ(withCaseName(ExperimentDocument(kCasesText), 0, "big \"one\""),
              QString(kCasesText).replace("\"small\"", "\"big \\\"one\\\"\""));
    EXPECT_EQ(withCaseName(ExperimentDocument(kCasesText), 0, ""),
              QString(kCasesText).remove("name = \"small\"  # of us\n"));
    EXPECT_EQ(withCaseName(ExperimentDocument(kCasesText), 1, "x"),
              QString(kCasesText).replace("[[case]]\n[case", "[[case]]\nname = \"x\"\n[case"));
    EXPECT_EQ(withCaseName(ExperimentDocument("[[case]]"), 0, "x"), "[[case]]\nname = \"x\"\n");
}

TEST(SweepCases, ValuesAreWrittenAndTakenOutInPlace) {
    const ExperimentDocument document(kCasesText);
    const auto rows = casesOf(document);
    ASSERT_EQ(rows[0].values.size(), 3U);
    EXPECT_EQ(rows[0].values[1].key(), QStringLiteral("train.steps"));
    EXPECT_EQ(rows[0].values[1].toml, QStringLiteral("8"));
    EXPECT_EQ(rows[0].values[1].line, 11);
    EXPECT_EQ(rows[1].values[1].key(), QStringLiteral("sweep train.steps"));
    EXPECT_EQ(withCaseValue(document, 0, rows[0].values[1].path, "16"),
              QString(kCasesText).replace("steps = 8,", "steps = 16,"));
    EXPECT_EQ(withCaseValue(document, 1, rows[1].values[1].path, "[4]"), QString(kCasesText).replace("[8, 16]", "[4]"));
    EXPECT_EQ(withCaseValue(document, 1, rows[0].values[1].path, "16"), kCasesText) << "that case does not set it";
    EXPECT_EQ(withoutCaseValue(document, 0, rows[0].values[2].path),
              QString(kCasesText).replace("{ steps = 8, seed = 7 }", "{ steps = 8 }"));
    EXPECT_EQ(withoutCaseValue(document, 0, rows[0].values[0].path),
              QString(kCasesText).remove("cluster.workers = 2\n"));
    EXPECT_FALSE(withoutCaseValue(document, 1, rows[1].values[0].path).contains("case.algorithm"))
        << "the table was for it alone";
}

TEST(SweepCases, AKeyGoesIntoTheTableThatTheCaseHas) {
    EXPECT_EQ(withCaseKey(ExperimentDocument(kCasesText), 0, "algorithm.delay", "3"),
              QString(kCasesText).replace("seed = 7 }\n", "seed = 7 }\nalgorithm.delay = 3\n"));
    EXPECT_EQ(withCaseKey(ExperimentDocument(kCasesText), 1, "algorithm.delay", "3"),
              QString(kCasesText)
                  .replace("period = 16\n", "period = 16\nalgorithm.delay = 3\n")
                  .replace("algorithm.delay = 3\n", "delay = 3\n"));
    EXPECT_EQ(withCaseKey(ExperimentDocument(kCasesText), 0, "cluster.workers", "9"), kCasesText)
        << "it sets that already";
    for (std::size_t i : {0U, 1U}) {
        const ExperimentDocument set(withCaseKey(ExperimentDocument(kCasesText), i, "cluster.timeout_s", "9.5"));
        EXPECT_FALSE(set.syntaxError());
        EXPECT_TRUE(casesOf(set)[i].sets.contains("cluster.timeout_s = 9.5"));
    }
}

TEST(SweepCases, TheProductIsSaidFactorByFactor) {
    const QString simple = QString(kCasesText).remove("[case.sweep]\n\"train.steps\" = [8, 16]\n");
    const SweepSize size = sweepSize(ExperimentDocument(simple));
    EXPECT_EQ(size.runs, 30);
    EXPECT_EQ(size.inWords(std::nullopt), QStringLiteral("3 × 5 seeds × 2 cases = 30 runs"));
    EXPECT_EQ(size.inWords(28), QStringLiteral("3 × 5 seeds × 2 cases = 30 runs, 28 of them different"));
    EXPECT_EQ(sweepSize(ExperimentDocument("[sweep]\na = [1, 2]\n")).inWords(2), QStringLiteral("2 runs"));
    EXPECT_EQ(sweepSize(ExperimentDocument("name = \"a\"\n")).inWords(1), QStringLiteral("1 run"));
}

TEST(SweepCases, ACaseWithASweepOfItsOwnIsCountedByItself) {
    const SweepSize size = sweepSize(ExperimentDocument(kCasesText));
    EXPECT_EQ(size.runs, 15 + 30);
    EXPECT_EQ(size.inWords(std::nullopt), QStringLiteral("2 cases, with cases or sweeps of their own: 45 runs"));
    const ExperimentDocument inner(
        "[sweep]\na = [1, 2]\n[[case]]\n[[case.case]]\n[case.case.sweep]\na = [1]\n[[case.case]]\n");
    EXPECT_EQ(sweepSize(inner).runs, 1 + 2) << "the sweep of a case replaces that of the file";
}

TEST(SweepCases, AHugeProductDoesNotOverflow) {
    QString text = "[sweep]\n";
    for (int i = 0; i < 20; ++i) text += QStringLiteral("\"k%1\" = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n").arg(i);
    EXPECT_EQ(sweepSize(ExperimentDocument(text)).runs, SweepSize::kMostCounted);
}

}  // namespace
}  // namespace dasgd::gui
