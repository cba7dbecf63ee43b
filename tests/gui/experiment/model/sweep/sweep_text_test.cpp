#include "gui/experiment/model/sweep/sweep_text.h"

#include <gtest/gtest.h>

#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

const QString kSweepText =
    "# head\nname = \"a\"\n[algorithm]\nname = \"dasgd\"  # ours\ndelay = 3\n\n[sweep]\n"
    "\"algorithm.delay\" = [1, 2, 4]  # below τ\n\"train.seed\" = [1, 2]\n\n[[case]]\nname = \"x\"\n";

FieldInfo fieldOfType(const char* type) { return {.name = "f", .type = type}; }

QStringList keysOf(const std::vector<SweptField>& rows) {
    QStringList keys;
    for (const SweptField& row : rows) keys << row.key;
    return keys;
}

QString edited(const QString& text, const QString& key, const QString& written) {
    const ExperimentDocument document(text);
    for (const SweptField& row : sweptFields(document, smallSchema())) {
        if (row.key == key) return withSweep(document, key, *sweepValues(written, row.field), smallSchema());
    }
    return {};
}

TEST(SweepText, RowsAreTheKeysInTheOrderOfTheText) {
    const auto rows = sweptFields(ExperimentDocument(kSweepText), smallSchema());
    ASSERT_EQ(keysOf(rows), (QStringList{"algorithm.delay", "train.seed"}));
    EXPECT_EQ(rows[0].values, QStringLiteral("1, 2, 4"));
    EXPECT_EQ(rows[0].count, 3);
    EXPECT_EQ(rows[0].line, 8);
    ASSERT_NE(rows[0].field, nullptr);
    EXPECT_EQ(rows[0].field->spec.symbol, "d");
}

TEST(SweepText, SweepsOfACaseAreNotThoseOfTheExperiment) {
    const ExperimentDocument document("[sweep]\n\"train.seed\" = [1]\n[[case]]\n[case.sweep]\n\"train.steps\" = [2]\n");
    EXPECT_EQ(keysOf(sweptFields(document, smallSchema())), QStringList{"train.seed"});
}

TEST(SweepText, AnEditChangesTheValuesAndNothingElse) {
    EXPECT_EQ(edited(kSweepText, "algorithm.delay", "1, 2, 8"), QString(kSweepText).replace("2, 4]", "2, 8]"));
    EXPECT_EQ(edited(kSweepText, "algorithm.delay", "1, 2, 4"), kSweepText);
    EXPECT_EQ(edited(kSweepText, "algorithm.delay", "2, 4"), QString(kSweepText).replace("[1, 2, 4]", "[2, 4]"));
    EXPECT_EQ(edited(kSweepText, "algorithm.delay", "1..4"), QString(kSweepText).replace("[1, 2, 4]", "[1, 2, 3, 4]"));
    EXPECT_EQ(edited(kSweepText, "algorithm.delay", "7"), QString(kSweepText).replace("[1, 2, 4]", "[7]"));
}

TEST(SweepText, CommentsBetweenTheValuesOfALongArrayStay) {
    const QString text =
        "[sweep]\n\"algorithm.delay\" = [\n    1,  # at once, [not] late\n    2,\n    4,  # late\n]\nx = 1\n";
    EXPECT_EQ(sweptFields(ExperimentDocument(text), smallSchema())[0].values, QStringLiteral("1, 2, 4"));
    EXPECT_EQ(edited(text, "algorithm.delay", "1, 2, 4, 8"), QString(text).replace("4,  # late", "4, 8,  # late"));
    EXPECT_EQ(edited(text, "algorithm.delay", "1, 3, 4"), QString(text).replace("    2,", "    3,"));
    EXPECT_EQ(edited(text, "algorithm.delay", "0, 1, 2, 4"), QString(text).replace("    1,", "    0, 1,"));
    for (const char* written : {"1", "4", "1, 4", "2, 4", "5, 6, 7, 8", "1, 2"}) {
        const QString changed = edited(text, "algorithm.delay", written);
        EXPECT_EQ(sweptFields(ExperimentDocument(changed), smallSchema())[0].values, QString(written));
        EXPECT_TRUE(changed.endsWith("]\nx = 1\n"));
    }
}

TEST(SweepText, StringsNeedNoQuotesWhereTheFieldIsOne) {
    const QString text =
        "[algorithm]\nname = \"dasgd\"\n[sweep]\n\"algorithm.optimizer_state\" = [\"keep\", \"a, b\"]\n"
        "\"train.seed\" = [1, \"2\"]\nalgorithm = [{ name = \"dasgd\", delay = 1 }, { name = \"local_sgd\" }]\n";
    const auto rows = sweptFields(ExperimentDocument(text), smallSchema());
    EXPECT_EQ(rows[0].values, QStringLiteral("keep, \"a, b\""));
    EXPECT_EQ(rows[1].values, QStringLiteral("1, \"2\"")) << "no number, and said to be none";
    EXPECT_EQ(rows[2].values, QStringLiteral("{ name = \"dasgd\", delay = 1 }, { name = \"local_sgd\" }"));
    for (const SweptField& row : rows) EXPECT_EQ(edited(text, row.key, row.values), text) << "shown and taken back";
    EXPECT_EQ(edited(text, "algorithm.optimizer_state", "keep, reset"), QString(text).replace("\"a, b\"", "\"reset\""));
}

TEST(SweepText, ValuesAreThoseOfTheCommandLine) {
    const FieldInfo integer = fieldOfType("integer");
    EXPECT_EQ(*sweepValues("1..3, 8,", &integer), (QStringList{"1", "2", "3", "8"}));
    EXPECT_EQ(*sweepValues("-2..0", &integer), (QStringList{"-2", "-1", "0"}));
    EXPECT_EQ(*sweepValues("1..", &integer), QStringList{"\"1..\""}) << "for the engine to say what is wrong";
    EXPECT_EQ(*sweepValues("dirichlet(0.5, 1), iid", nullptr), (QStringList{"\"dirichlet(0.5, 1)\"", "\"iid\""}));
    EXPECT_FALSE(sweepValues(" , ", &integer)) << "an array needs a value";
    EXPECT_FALSE(sweepValues("5..1", &integer));
    EXPECT_TRUE(sweepValues("1..1000", &integer));
    EXPECT_FALSE(sweepValues("1..1001", &integer));
    EXPECT_FALSE(sweepValues("-9223372036854775807..9223372036854775807", &integer));
    EXPECT_FALSE(sweepValues("1..99999999999999999999", &integer));
}

TEST(SweepText, TheFirstRowMakesItsTableBeforeTheCases) {
    const QString text = "name = \"a\"\n\n[train]\nsteps = 8\n\n# one by one\n[[case]]\nname = \"x\"\n";
    const ExperimentDocument document(text);
    const QString swept = withSweep(document, "train.seed", {"1", "2"}, smallSchema());
    EXPECT_EQ(swept, QString(text).replace("# one", "[sweep]\n\"train.seed\" = [1, 2]\n\n# one"));
    EXPECT_EQ(withoutSweep(ExperimentDocument(swept), "train.seed"), text);
    const QString bare = "name = \"a\"\n[train]\nsteps = 8\n";
    const QString added = withSweep(ExperimentDocument(bare), "train.seed", {"1"}, smallSchema());
    EXPECT_EQ(added, bare + "\n[sweep]\n\"train.seed\" = [1]\n");
    EXPECT_EQ(withoutSweep(ExperimentDocument(added), "train.seed"), bare);
}

TEST(SweepText, RemovingARowLeavesTheOthersAndAComment) {
    EXPECT_EQ(withoutSweep(ExperimentDocument(kSweepText), "train.seed"),
              QString(kSweepText).remove("\"train.seed\" = [1, 2]\n"));
    const QString text = "[sweep]\n# later: delay\n\"train.seed\" = [1]\n";
    EXPECT_EQ(withoutSweep(ExperimentDocument(text), "train.seed"), "[sweep]\n# later: delay\n");
    EXPECT_EQ(withoutSweep(ExperimentDocument(text), "train.steps"), text) << "there is no such row";
}

TEST(SweepText, OfferedIsWhatThePluginsKnowAndIsNotSweptYet) {
    const ExperimentDocument document(kSweepText);
    QStringList keys, present;
    for (const SweepableField& one : sweepableFields(document, smallSchema())) {
        keys << one.key;
        present << one.present;
    }
    EXPECT_EQ(present.value(keys.indexOf("algorithm.period")), QStringLiteral("4")) << "the default";
    EXPECT_EQ(present.value(keys.indexOf("algorithm.name")), QStringLiteral("\"dasgd\""));
    EXPECT_TRUE(keys.contains("algorithm.local_weight"));
    EXPECT_TRUE(keys.contains("cluster.link.bandwidth"));
    EXPECT_FALSE(keys.contains("algorithm.delay"));
}

TEST(SweepText, ATextThatIsNoTomlHasNoRows) {
    EXPECT_TRUE(sweptFields(ExperimentDocument("[sweep]\n\"train.seed\" = [1,, 2\n"), smallSchema()).empty());
    EXPECT_EQ(sweptFields(ExperimentDocument("[sweep]\n\"train.seed\" = 1\n"), smallSchema())[0].values, QString());
}

}  // namespace
}  // namespace dasgd::gui
