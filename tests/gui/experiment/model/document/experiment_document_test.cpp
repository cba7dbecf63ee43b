#include "gui/experiment/model/document/experiment_document.h"

#include <gtest/gtest.h>

#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

const QString kText = QStringLiteral(
    "# What the delay does\n"
    "name = \"delay-sweep\"\n"
    "\n"
    "[algorithm]\n"
    "name = \"dasgd\"\n"
    "period = 8   # long\n"
    "delay = 3\n"
    "\n"
    "[optimizer]\n"
    "momentum = 0.9\n"
    "\n"
    "[cluster]\n"
    "workers = 4\n"
    "link = { bandwidth = \"100Mbps\" }\n"
    "\n"
    "[sweep]\n"
    "\"algorithm.delay\" = [3, 4]\n");

const FieldInfo& field(const char* section, const char* plugin, std::size_t place) {
    return *smallSchema().section(section)->fieldsOf(plugin)[place];
}

TEST(ExperimentDocument, AnswersValuesAndLines) {
    const ExperimentDocument document(kText);
    EXPECT_FALSE(document.syntaxError());
    EXPECT_EQ(document.name(), QStringLiteral("delay-sweep"));
    EXPECT_EQ(document.valueText("algorithm.delay"), QStringLiteral("3"));
    EXPECT_EQ(document.valueText("cluster.link.bandwidth"), QStringLiteral("100Mbps"));
    EXPECT_EQ(document.valueText("train.steps"), QString());
    EXPECT_EQ(document.value("train.steps"), nullptr);
    EXPECT_EQ(document.lineOf("optimizer.momentum"), 10);
    EXPECT_EQ(document.lineOf("cluster.link.bandwidth"), 14);
    EXPECT_EQ(document.lineOf("train.steps"), 0);
    EXPECT_EQ(document.keyAt(7), QStringLiteral("algorithm.delay"));
    EXPECT_EQ(document.keyAt(1), QString());
    EXPECT_EQ(document.swept(), QStringList{QStringLiteral("algorithm.delay")});
    EXPECT_TRUE(document.hasSection("cluster"));
    EXPECT_FALSE(document.hasSection("network"));
}

TEST(ExperimentDocument, ThePluginIsTheNamedOneOrTheDefault) {
    const ExperimentDocument document(kText);
    EXPECT_EQ(document.pluginOf(*smallSchema().section("algorithm")), QStringLiteral("dasgd"));
    EXPECT_EQ(document.pluginOf(*smallSchema().section("optimizer")), QStringLiteral("sgd"));
    EXPECT_EQ(ExperimentDocument().pluginOf(*smallSchema().section("algorithm")), QString());
}

TEST(ExperimentDocument, KnowsWhatSweepsAndCasesSetAtAnyDepth) {
    const ExperimentDocument document(
        QStringLiteral("name = \"x\"\n[algorithm]\nperiod = 4\n[sweep]\n\"train.seed\" = [1, 2]\nalgorithm = [{ name = "
                       "\"dasgd\" }]\n[[case]]\nname = \"a\"\n[case.train]\nsteps = 4\n[case.sweep]\n"
                       "\"train.seed\" = [3]\n[[case.case]]\nname = \"b\"\nalgorithm.delay = 2\n"));
    ASSERT_FALSE(document.syntaxError());
    QStringList varied = document.varied();
    varied.sort();
    EXPECT_EQ(varied, (QStringList{"algorithm", "algorithm.delay", "train.seed", "train.steps"}));
    EXPECT_TRUE(ExperimentDocument(QStringLiteral("name = \"x\"\n[algorithm]\nperiod = 4\n")).varied().isEmpty());
}

TEST(ExperimentDocument, ASyntaxErrorHasItsPlace) {
    const ExperimentDocument document(QStringLiteral("name = \"x\"\n[train]\nsteps = = 3\n"));
    ASSERT_TRUE(document.syntaxError());
    EXPECT_EQ(document.syntaxError()->line, 3);
    EXPECT_GT(document.syntaxError()->column, 1);
    EXPECT_EQ(document.syntaxError()->key, QStringLiteral("train.steps"));
    EXPECT_TRUE(document.syntaxError()->inWords().startsWith(QLatin1String("3:")));
    EXPECT_EQ(document.value("name"), nullptr);
    const ExperimentDocument twice(QStringLiteral("a = 1\na = 2\n"));
    ASSERT_TRUE(twice.syntaxError());
    EXPECT_EQ(twice.syntaxError()->line, 2);
}

TEST(ExperimentDocument, AnotherPluginDropsWhatOnlyTheOldOneKnows) {
    const auto change = ExperimentDocument(kText).withPlugin("algorithm", "local_sgd", smallSchema());
    EXPECT_EQ(change.dropped, QStringList{QStringLiteral("delay")});
    EXPECT_EQ(change.text, QString(kText).replace("\"dasgd\"", "\"local_sgd\"").remove("delay = 3\n"));
    const auto same = ExperimentDocument(kText).withPlugin("algorithm", "dasgd", smallSchema());
    EXPECT_EQ(same.text, kText);
    EXPECT_TRUE(same.dropped.isEmpty());
    const auto fresh =
        ExperimentDocument(QStringLiteral("name = \"x\"\n")).withPlugin("algorithm", "dasgd", smallSchema());
    EXPECT_EQ(fresh.text, QStringLiteral("name = \"x\"\n\n[algorithm]\nname = \"dasgd\"\n"));
}

// Of the small schema's algorithms dasgd alone reads [graph].
TEST(ExperimentDocument, AnotherAlgorithmDropsTheSectionsThatItDoesNotRead) {
    const ExperimentSchema& schema = smallSchema();
    const QString before = QStringLiteral("name = \"x\"\n\n[algorithm]\nname = \"dasgd\"\n\n");
    const QString after = QStringLiteral("# on both sides\n[train]\nsteps = 4\n");
    const QString graph =
        QStringLiteral("# a ring\n[graph]\nname = \"ring\" # as published\n\n[graph.more]\nx = 1\n\n");
    const ExperimentDocument document(before + graph + after);
    const auto change = document.withPlugin("algorithm", "local_sgd", schema);
    EXPECT_EQ(change.dropped, QStringList{QStringLiteral("[graph]")});
    EXPECT_EQ(change.text, QString(before).replace("dasgd", "local_sgd") + after);
    EXPECT_EQ(document.withPlugin("algorithm", "dasgd", schema).text, document.text());
    const auto dotted = ExperimentDocument(QStringLiteral("graph.name = \"ring\"\n") + before)
                            .withPlugin("algorithm", "local_sgd", schema);
    EXPECT_EQ(dotted.text, QString(before).replace("dasgd", "local_sgd"));
    EXPECT_TRUE(document.withPlugin("algorithm", "unknown", schema).dropped.isEmpty());
}

TEST(ExperimentDocument, WhatIsWrittenInAFieldIsAlwaysToml) {
    const FieldInfo& period = field("algorithm", "dasgd", 1);
    EXPECT_EQ(tomlOf(period, " 8 "), QStringLiteral("8"));
    EXPECT_EQ(tomlOf(period, "1e"), QStringLiteral("\"1e\"")) << "the engine says that this is no integer";
    EXPECT_EQ(tomlOf(period, "4\nx = 1"), QStringLiteral("\"4\\nx = 1\"")) << "one field sets one key";
    EXPECT_EQ(tomlOf(period, "4 # no"), QStringLiteral("\"4 # no\""));
    const FieldInfo& state = field("algorithm", "dasgd", 4);
    EXPECT_EQ(tomlOf(state, "a \"b\""), QStringLiteral("\"a \\\"b\\\"\""));
    EXPECT_EQ(tomlOf(state, "8"), QStringLiteral("\"8\""));
}

TEST(ExperimentDocument, DefaultsCompareAsValues) {
    const auto valueOf = [](const QString& toml) { return ExperimentDocument(QStringLiteral("v = ") + toml); };
    const FieldInfo& weight = field("algorithm", "dasgd", 3);
    EXPECT_TRUE(isDefault(weight, nullptr));
    EXPECT_TRUE(isDefault(weight, valueOf("0.250").value("v")));
    EXPECT_FALSE(isDefault(weight, valueOf("0.3").value("v")));
    EXPECT_FALSE(isDefault(weight, valueOf("\"0.25\"").value("v")));
    EXPECT_TRUE(isDefault(field("optimizer", "sgd", 1), valueOf("0").value("v")))
        << "an integer where a float is meant";
}

TEST(ExperimentDocument, ARecordedConfigurationIsShownByWhatItDiffersIn) {
    const QString recorded = QStringLiteral(
        "name = \"x\"\n\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 3\nlocal_weight = 0.25\n"
        "optimizer_state = \"keep\"\n\n[train]\nsteps = 0\nseed = 1\n\n[optimizer]\nname = \"sgd\"\nmomentum = 0.9\n"
        "nesterov = false\n\n[cluster]\nbackend = \"gloo\"\nworkers = 2\ntimeout_s = 60.0\n\n[cluster.link]\n"
        "bandwidth = \"1Gbps\"\nlatency = \"1ms\"\n");
    const QString shorter = withoutDefaults(recorded, smallSchema());
    EXPECT_EQ(shorter,
              QStringLiteral("name = \"x\"\n\n[algorithm]\nname = \"dasgd\"\ndelay = 3\n\n[optimizer]\nname = \"sgd\"\n"
                             "momentum = 0.9\n\n[cluster.link]\nbandwidth = \"1Gbps\"\nlatency = \"1ms\"\n"))
        << "an optional table keeps all its keys: without them it would not be there";
}

TEST(ExperimentDocument, RelativePathsAreFoundByTheirQuotes) {
    EXPECT_EQ(namedFiles("a = \"two-racks.xml\"\nb = 'data/mnist'\nc = \"/abs\"\nd = \"../up\"\n"),
              (QStringList{"two-racks.xml", "data"}));
}

}  // namespace
}  // namespace dasgd::gui
