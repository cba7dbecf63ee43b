#include "gui/experiment/model/document/toml_text.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>

#include "core/base/schema/toml_reader.h"
#include "tests/support/paths.h"

namespace dasgd::gui {
namespace {

const QStringList kOrder{QStringLiteral("algorithm"), QStringLiteral("model"), QStringLiteral("train"),
                         QStringLiteral("cluster")};

QString set(const QString& text, const QString& key, const QString& toml) {
    return withKey(text, key.split(u'.'), toml, kOrder);
}
QString unset(const QString& text, const QString& key) { return withoutKey(text, key.split(u'.')); }

TEST(TomlText, OnlyTheValueChanges) {
    const QString text = QStringLiteral(
        "# why\nname = 'x'\n\n[algorithm]  # which\nperiod   =  4   # steps\ndelay = 1\n\n[sweep]\n\"algorithm.delay\" "
        "= [1,\n  2]\n");
    EXPECT_EQ(set(text, "algorithm.period", "16"), QString(text).replace("4   # steps", "16   # steps"));
    EXPECT_EQ(set(text, "name", "\"y\""), QString(text).replace("'x'", "\"y\""));
    EXPECT_EQ(set(set(text, "algorithm.delay", "300"), "algorithm.delay", "1"), text) << "and back";
}

TEST(TomlText, StringsAndBracketsAreValuesWhateverIsInThem) {
    const QString text = QStringLiteral(
        "a = \"x # no, ] comment\" # c\nb = '''\nlong\n[x]\n''' # d\nc = [ [1, 2], # e ]\n  [3] ]\nd = \"\\\"\"\ne = "
        "5\n");
    EXPECT_EQ(set(text, "a", "1"), QString(text).replace("\"x # no, ] comment\"", "1"));
    EXPECT_EQ(set(text, "b", "1"), QString(text).replace("'''\nlong\n[x]\n'''", "1"));
    EXPECT_EQ(set(text, "c", "1"), QString(text).replace("[ [1, 2], # e ]\n  [3] ]", "1"));
    EXPECT_EQ(set(text, "d", "1"), QString(text).replace("\"\\\"\"", "1"));
    EXPECT_EQ(set(text, "e", "6"), QString(text).replace("e = 5", "e = 6"));
}

TEST(TomlText, ANewKeyGoesToTheEndOfItsTable) {
    const QString text = QStringLiteral("[train]\nsteps = 3 # few\n\n# of the sweep\n[sweep]\n\"train.seed\" = [1]\n");
    EXPECT_EQ(set(text, "train.seed", "7"), QString(text).replace("# few\n", "# few\nseed = 7\n"));
    EXPECT_EQ(set("[train]", "train.seed", "7"), QStringLiteral("[train]\nseed = 7\n"));
    EXPECT_EQ(set("[train]\nsteps = 3", "train.seed", "7"), QStringLiteral("[train]\nsteps = 3\nseed = 7\n"));
}

TEST(TomlText, ANewTableStandsInTheOrderOfTheSchema) {
    const QString text = QStringLiteral("name = \"x\"\n\n[algorithm]\nperiod = 4\n\n# where\n[cluster]\nworkers = 2\n");
    EXPECT_EQ(set(text, "train.steps", "9"), QString(text).replace("# where\n", "[train]\nsteps = 9\n\n# where\n"));
    EXPECT_EQ(set("name = \"x\"\n", "train.steps", "9"), QStringLiteral("name = \"x\"\n\n[train]\nsteps = 9\n"));
    EXPECT_EQ(set("[sweep]\n\"a.b\" = [1]\n", "train.steps", "9"),
              QStringLiteral("[train]\nsteps = 9\n\n[sweep]\n\"a.b\" = [1]\n"));
    EXPECT_EQ(set("", "train.steps", "9"), QStringLiteral("[train]\nsteps = 9\n"));
}

TEST(TomlText, ANewTopLevelKeyStandsBelowTheFirstComment) {
    EXPECT_EQ(set("# what\n# why\n[train]\nsteps = 9\n", "name", "\"x\""),
              QStringLiteral("# what\n# why\nname = \"x\"\n\n[train]\nsteps = 9\n"));
    EXPECT_EQ(set("", "name", "\"x\""), QStringLiteral("name = \"x\"\n"));
}

TEST(TomlText, InlineTablesAndDottedKeysStayWhatTheyAre) {
    const QString text = QStringLiteral("[cluster]\nlink = { bandwidth = \"1Gbps\", latency = \"1ms\" } # l\n");
    EXPECT_EQ(set(text, "cluster.link.latency", "\"2ms\""), QString(text).replace("1ms", "2ms"));
    EXPECT_EQ(set("[cluster]\nlink = { latency = \"1ms\" }\n", "cluster.link.bandwidth", "\"2Gbps\""),
              QStringLiteral("[cluster]\nlink = { latency = \"1ms\", bandwidth = \"2Gbps\" }\n"));
    EXPECT_EQ(set("[cluster]\nlink = {}\n", "cluster.link.bandwidth", "\"2Gbps\""),
              QStringLiteral("[cluster]\nlink = { bandwidth = \"2Gbps\" }\n"));
    EXPECT_EQ(set("[cluster]\nworkers = 2\n", "cluster.link.latency", "\"1ms\""),
              QStringLiteral("[cluster]\nworkers = 2\nlink = { latency = \"1ms\" }\n"));
    EXPECT_EQ(set("[cluster.link]\nlatency = \"1ms\"\n", "cluster.link.bandwidth", "\"2Gbps\""),
              QStringLiteral("[cluster.link]\nlatency = \"1ms\"\nbandwidth = \"2Gbps\"\n"));
    EXPECT_EQ(set("train.steps = 3\n", "train.seed", "2"), QStringLiteral("train.steps = 3\ntrain.seed = 2\n"));
}

TEST(TomlText, KeysOfCasesAreNotThoseOfTheExperiment) {
    const QString text =
        QStringLiteral("[train]\nsteps = 1\n[[case]]\n[case.train]\nsteps = 2\n[[case]]\ntrain.steps = 3\n");
    EXPECT_EQ(set(text, "train.steps", "9"), QString(text).replace("steps = 1", "steps = 9"));
    EXPECT_EQ(unset(text, "train.seed"), text);
}

TEST(TomlText, AKeyGoesWithItsLine) {
    const QString text = QStringLiteral("[train]\nsteps = 3 # few\nseed = [1,\n 2] # s\nepochs = 1\n");
    EXPECT_EQ(unset(text, "train.steps"), QString(text).remove("steps = 3 # few\n"));
    EXPECT_EQ(unset(text, "train.seed"), QString(text).remove("seed = [1,\n 2] # s\n"));
    EXPECT_EQ(unset(text, "train.other"), text);
}

TEST(TomlText, AnInlineTableGoesWithItsLastKey) {
    const QString text =
        QStringLiteral("[cluster]\nworkers = 2\nlink = { bandwidth = \"1Gbps\", latency = \"1ms\" }\n");
    const QString one = unset(text, "cluster.link.bandwidth");
    EXPECT_EQ(one, QStringLiteral("[cluster]\nworkers = 2\nlink = { latency = \"1ms\" }\n"));
    EXPECT_EQ(unset(text, "cluster.link.latency"),
              QStringLiteral("[cluster]\nworkers = 2\nlink = { bandwidth = \"1Gbps\" }\n"));
    EXPECT_EQ(unset(one, "cluster.link.latency"), QStringLiteral("[cluster]\nworkers = 2\n"));
    EXPECT_EQ(unset("[cluster]\nworkers = 2\n\n[cluster.link]\nlatency = \"1ms\"\n", "cluster.link.latency"),
              QStringLiteral("[cluster]\nworkers = 2\n\n"));
}

TEST(TomlText, LinesAreCountedFromOne) {
    const QString text = QStringLiteral("a = 1\n\n[b]\nc = [\n 1,\n]\nd = 2\n");
    const auto entries = scanToml(text);
    ASSERT_EQ(entries.size(), 4U);
    EXPECT_EQ(entries[0].line, 1);
    EXPECT_EQ(entries[1].line, 3);
    EXPECT_EQ(findKey(entries, {"b", "d"})->line, 7);
    EXPECT_EQ(findKey(entries, {"b", "x"}), nullptr);
}

// Reading ends whatever is typed, and every place is inside the text.
TEST(TomlText, HalfWrittenTextIsReadAsFarAsItGoes) {
    const QString text = QStringLiteral("[a]\nb = { c = [1, \"x\\\"y\" ], d = '''z''' } # e\n[[f]]\ng.\"h i\".j = 1\n");
    for (qsizetype cut = 0; cut <= text.size(); ++cut) {
        for (const char* broken : {"", "\n", "\"", "{", "]", "= =", "[["}) {
            const QString half = text.left(cut) + QLatin1String(broken);
            for (const TomlEntry& entry : scanToml(half)) {
                ASSERT_LE(0, entry.begin);
                ASSERT_LE(entry.begin, entry.valueEnd) << half.toStdString();
                ASSERT_LE(entry.valueEnd, half.size()) << half.toStdString();
                ASSERT_LE(entry.lineEnd, half.size());
            }
        }
    }
}

// Every shipped experiment: setting each key to its own value changes nothing, another value stays valid TOML.
TEST(TomlText, ShippedExperimentsSurviveEveryEdit) {
    const QDir folder(QString::fromUtf8(test::kSourceDir) + QStringLiteral("/experiments/suites"));
    int edits = 0;
    for (const QString& name : folder.entryList({QStringLiteral("*.toml")})) {
        QFile file(folder.filePath(name));
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        for (const TomlEntry& entry : scanToml(text)) {
            if (entry.kind != TomlEntry::Kind::Key || entry.path.first() == QLatin1String("case")) continue;
            const QString value = text.mid(entry.valueBegin, entry.valueEnd - entry.valueBegin);
            EXPECT_EQ(withKey(text, entry.path, value, kOrder), text);
            const QString changed = withKey(text, entry.path, QStringLiteral("[ 7 ]"), kOrder);
            EXPECT_TRUE(parseToml(changed.toStdString(), "t")) << changed.toStdString();
            EXPECT_TRUE(parseToml(withoutKey(text, entry.path).toStdString(), "t"))
                << entry.path.join('.').toStdString();
            ++edits;
        }
    }
    EXPECT_GT(edits, 100);
}

}  // namespace
}  // namespace dasgd::gui
