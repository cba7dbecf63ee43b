#include "gui/experiment/model/experiment_draft.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

// Fails on a momentum of 1.9, else plans two runs, of cases by names of their own; notes the arguments of what it is
// asked to run for real.
const QByteArray kEngine =
    "case \"$*\" in *--dry-run*) ;; *) echo \"$@\" >\"$(dirname \"$0\")/ran\"; exit 0;; esac\n"
    "line=$(grep -n 'momentum = 1.9' \"$2\" | cut -d: -f1)\n"
    "[ -z \"$line\" ] || { echo \"dasgd: $2:$line:12: momentum is 1.9; allowed: 0 to 1\" >&2; exit 2; }\n"
    "for each in 1 2; do config=; grep -q '^\\[\\[case' \"$2\" && config=',\"config\":\"name = "
    "\\\"case-'$each'\\\"\"'\n"
    "echo '{\"label\":\"train.seed='$each'\",\"steps\":8,\"workers\":4'\"$config\"'}'; done\n";

const QString kDraftText = QStringLiteral(
    "name = \"sweep\"\n\n[algorithm]\nname = \"dasgd\"\ndelay = 2\n\n[cluster]\nlink = { bandwidth = \"100Mbps\" }\n");

class ExperimentDraftTest : public ::testing::Test {
protected:
    ExperimentDraftTest() {
        draft_.loadSchema();
        EXPECT_TRUE(eventually([&] { return draft_.schema().isKnown(); }));
    }
    QString program() {
        QFile file(folder_.filePath(QStringLiteral("dasgd")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(standInProgram(kEngine));
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        return file.fileName();
    }
    void takeText(const QString& text) { draft_.take({Start::Kind::Preset, {}, {}, {}, text, {}}); }
    [[nodiscard]] bool isAnswered() {
        return eventually([&] { return draft_.check().result().has_value(); });
    }
    static QByteArray content(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    [[nodiscard]] FieldInfo field(const char* section, const char* plugin, std::size_t place) const {
        return *draft_.schema().section(section)->fieldsOf(plugin)[place];
    }

    void setField(const QString& key, const FieldInfo& field, const QString& written) {
        draft_.setEdited({withField(draft_.document(), draft_.schema(), key, field, written), {}});
    }
    void setFields(const std::vector<std::pair<QString, QString>>& written) {
        draft_.setEdited({withFields(draft_.document(), draft_.schema(), written), {}});
    }

    QTemporaryDir folder_;
    std::filesystem::path workspace_ = folder_.filePath(QStringLiteral("ws")).toStdString();
    Engine engine_{workspace_, program()};
    ExperimentDraft draft_{engine_, workspace_};
};

TEST_F(ExperimentDraftTest, APresetFillsThePageAndStartsNothing) {
    QSignalSpy begun(&draft_, &ExperimentDraft::begun), launched(&draft_, &ExperimentDraft::launched);
    takeText(kDraftText);
    EXPECT_EQ(begun.count(), 1);
    EXPECT_EQ(draft_.document().text(), kDraftText);
    EXPECT_FALSE(draft_.isSaved());
    ASSERT_TRUE(isAnswered());
    EXPECT_EQ(draft_.title(), QStringLiteral("sweep"));
    EXPECT_EQ(draftInWords(draft_), QStringLiteral("2 runs · 4 workers over gloo · link emulated 100\u00a0Mbps"));
    EXPECT_EQ(launched.count(), 0);
    EXPECT_FALSE(QFile::exists(folder_.filePath(QStringLiteral("ran"))));
}

TEST_F(ExperimentDraftTest, AFieldChangesItsPlaceOfTheText) {
    takeText(kDraftText);
    QSignalSpy replaced(&draft_, &ExperimentDraft::textReplaced);
    setField("algorithm.delay", field("algorithm", "dasgd", 2), QStringLiteral("3"));
    EXPECT_EQ(draft_.document().text(), QString(kDraftText).replace("delay = 2", "delay = 3"));
    setField("algorithm.delay", field("algorithm", "dasgd", 2), {});
    EXPECT_EQ(draft_.document().text(), QString(kDraftText).remove("delay = 2\n"));
    setField("train.steps", field("train", "", 0), QStringLiteral("40"));
    EXPECT_EQ(draft_.document().valueText("train.steps"), QStringLiteral("40"));
    EXPECT_EQ(replaced.count(), 3);
}

TEST_F(ExperimentDraftTest, SeveralFieldsAtOnceAreOneStepOfTheUndo) {
    takeText(kDraftText);
    QSignalSpy replaced(&draft_, &ExperimentDraft::textReplaced);
    setFields({{"algorithm.period", "6"}, {"algorithm.delay", "5"}, {"algorithm.nonsense", "1"}});
    EXPECT_EQ(replaced.count(), 1);
    EXPECT_EQ(effectiveText(draft_.document(), draft_.schema(), "algorithm", "period"), QStringLiteral("6"));
    EXPECT_EQ(effectiveText(draft_.document(), draft_.schema(), "algorithm", "delay"), QStringLiteral("5"));
    const QString before = draft_.document().text();
    setFields({{"algorithm.delay", "5"}});
    EXPECT_EQ(draft_.document().text(), before) << "what stands there already is not written";
    draft_.setEdited(
        withSection(draft_.document(), draft_.schema(), "algorithm", "{ name = \"dasgd\", period = 2, delay = 1 }"));
    EXPECT_EQ(replaced.count(), 2);
    EXPECT_EQ(effectiveText(draft_.document(), draft_.schema(), "algorithm", "period"), QStringLiteral("2"));
    EXPECT_EQ(effectiveText(draft_.document(), draft_.schema(), "algorithm", "delay"), QStringLiteral("1"));
}

TEST_F(ExperimentDraftTest, ASectionThatIsSetHoldsNothingElse) {
    takeText(QStringLiteral("name = \"x\"\n[algorithm]\nname = \"dasgd\"\ndelay = 2\nlocal_weight = 0.5\n"));
    QSignalSpy noted(&draft_, &ExperimentDraft::noted);
    draft_.setEdited(
        withSection(draft_.document(), draft_.schema(), "algorithm", "{ name = \"dasgd\", period = 4, delay = 3 }"));
    EXPECT_EQ(draft_.document().value("algorithm.local_weight"), nullptr) << "advised was its default";
    EXPECT_EQ(draft_.document().valueText("algorithm.delay"), QStringLiteral("3"));
    ASSERT_EQ(noted.size(), 1);
    EXPECT_TRUE(noted[0][0].toString().contains(QStringLiteral("local_weight")));
    takeText(kDraftText + QStringLiteral("\n[[case]]\nname = \"long\"\nalgorithm.delay = 7\n"));
    draft_.setEdited(
        withSection(draft_.document(), draft_.schema(), "algorithm", "{ name = \"dasgd\", period = 4, delay = 3 }"));
    ASSERT_EQ(noted.size(), 2);
    EXPECT_TRUE(noted[1][0].toString().contains(QStringLiteral("[[case]] sets algorithm.delay")));
}

TEST_F(ExperimentDraftTest, AnAlgorithmThatIsSetTakesOutTheSectionThatItDoesNotRead) {
    const QString graph = QStringLiteral("name = \"x\"\n[algorithm]\nname = \"dasgd\"\n[graph]\nname = \"ring\"\n");
    takeText(graph);
    QSignalSpy noted(&draft_, &ExperimentDraft::noted);
    draft_.setEdited(withSection(draft_.document(), draft_.schema(), "algorithm", "{ name = \"dasgd\", period = 4 }"));
    EXPECT_TRUE(draft_.document().hasSection("graph"));
    draft_.setEdited(
        withSection(draft_.document(), draft_.schema(), "algorithm", "{ name = \"local_sgd\", period = 4 }"));
    EXPECT_FALSE(draft_.document().hasSection("graph"));
    ASSERT_EQ(noted.size(), 1);
    EXPECT_EQ(noted[0][0].toString(), QStringLiteral("Taken out, as the algorithm does not read it: [graph]."));
}

TEST_F(ExperimentDraftTest, AnotherPluginSaysWhatItTookOut) {
    takeText(kDraftText);
    QSignalSpy noted(&draft_, &ExperimentDraft::noted);
    draft_.setEdited(withPlugin(draft_.document(), draft_.schema(), "algorithm", "local_sgd"));
    ASSERT_EQ(noted.count(), 1);
    EXPECT_TRUE(noted[0][0].toString().startsWith(QLatin1String("local_sgd does not know delay")));
    EXPECT_EQ(draft_.document().value("algorithm.delay"), nullptr);
}

TEST_F(ExperimentDraftTest, ItKeepsItsNameWhileTheTextIsBroken) {
    takeText(kDraftText);
    draft_.setText(QString(kDraftText).replace("delay = 2", "delay = 2x"));
    ASSERT_TRUE(draft_.document().syntaxError());
    EXPECT_EQ(draft_.title(), QStringLiteral("sweep"));
    EXPECT_EQ(draft_.fileName(), QStringLiteral("sweep.toml"));
    draft_.setText(QStringLiteral("name = \"other\"\n"));
    EXPECT_EQ(draft_.title(), QStringLiteral("other"));
    draft_.setText(QStringLiteral("[train]\nsteps = 4\n"));
    EXPECT_EQ(draft_.title(), QStringLiteral("Untitled experiment")) << "the name was taken out";
    draft_.setText(kDraftText);
    takeText(QStringLiteral("name = \"broken\n"));
    EXPECT_EQ(draft_.title(), QStringLiteral("Untitled experiment")) << "not that of the experiment before";
}

TEST_F(ExperimentDraftTest, AnOpenedFileKeepsItsFileName) {
    // Away from the stand-in `dasgd`, which would count as a file that the text names.
    const QTemporaryDir own;
    const QString file = own.filePath(QStringLiteral("virt.toml"));
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::WriteOnly) && written.write(kDraftText.toUtf8()) > 0);
    written.close();
    draft_.open(file);
    ASSERT_TRUE(eventually([&] { return draft_.file() == file; }));
    EXPECT_EQ(draft_.title(), QStringLiteral("sweep"));
    EXPECT_EQ(draft_.fileName(), QStringLiteral("virt.toml"));
    QSignalSpy launched(&draft_, &ExperimentDraft::launched);
    draft_.run();
    ASSERT_TRUE(eventually([&] { return launched.count() == 1; }));
    EXPECT_EQ(launched[0][0].toString(), experimentsFolder(workspace_) + QStringLiteral("/sweep.toml"));
    draft_.duplicate({});
    EXPECT_EQ(draft_.fileName(), QStringLiteral("sweep-2.toml")) << "a copy has no file yet";
}

TEST_F(ExperimentDraftTest, NothingIsSetWhileTheTextIsBroken) {
    const QString broken = QStringLiteral("name = \n");
    takeText(broken);
    ASSERT_TRUE(draft_.check().problem());
    EXPECT_EQ(draft_.check().problem()->line, 1);
    EXPECT_FALSE(draft_.check().isRunning()) << "the program has nothing to add";
    setField("algorithm.delay", field("algorithm", "dasgd", 2), QStringLiteral("3"));
    draft_.setEdited(withPlugin(draft_.document(), draft_.schema(), "algorithm", "local_sgd"));
    EXPECT_EQ(draft_.document().text(), broken);
}

TEST_F(ExperimentDraftTest, RunWritesToTheWorkspaceAndStarts) {
    takeText(kDraftText);
    QSignalSpy launched(&draft_, &ExperimentDraft::launched), noted(&draft_, &ExperimentDraft::noted);
    draft_.run();
    EXPECT_EQ(launched.count(), 0) << "not before it was checked";
    ASSERT_TRUE(eventually([&] { return launched.count() == 1; }));
    for (const QList<QVariant>& said : noted)
        EXPECT_FALSE(said[0].toString().contains(QStringLiteral("Nothing was started"))) << "the check is its own";
    const QString file = experimentsFolder(workspace_) + QStringLiteral("/sweep.toml");
    EXPECT_EQ(launched[0][0].toString(), file);
    EXPECT_EQ(QString::fromUtf8(content(file)), kDraftText);
    EXPECT_TRUE(draft_.isSaved());
    const QString ran = folder_.filePath(QStringLiteral("ran"));
    ASSERT_TRUE(eventually([&] { return !content(ran).isEmpty(); }));
    EXPECT_TRUE(content(ran).startsWith("run " + file.toUtf8() + " --workspace"));
}

TEST_F(ExperimentDraftTest, AnotherTextOfTheNameGetsAFileOfItsOwn) {
    takeText(kDraftText);
    QSignalSpy launched(&draft_, &ExperimentDraft::launched);
    draft_.run();
    ASSERT_TRUE(eventually([&] { return launched.count() == 1; }));
    setField("algorithm.delay", field("algorithm", "dasgd", 2), QStringLiteral("3"));
    draft_.run();
    ASSERT_TRUE(eventually([&] { return launched.count() == 2; }));
    EXPECT_TRUE(launched[1][0].toString().endsWith(QLatin1String("/sweep-2.toml")));
    EXPECT_EQ(QString::fromUtf8(content(launched[0][0].toString())), kDraftText);
}

TEST_F(ExperimentDraftTest, OneThatIsQueuedWaitsInTheProgram) {
    takeText(kDraftText);
    QSignalSpy queued(&draft_, &ExperimentDraft::queued), launched(&draft_, &ExperimentDraft::launched);
    draft_.run(Engine::Order::Queued);
    ASSERT_TRUE(eventually([&] { return queued.count() == 1; })) << "also where it had to be checked first";
    const QString file = experimentsFolder(workspace_) + QStringLiteral("/sweep.toml");
    EXPECT_EQ(queued[0][0].toString(), file);
    EXPECT_EQ(launched.count(), 0);
    const QString ran = folder_.filePath(QStringLiteral("ran"));
    ASSERT_TRUE(eventually([&] { return !content(ran).isEmpty(); }));
    EXPECT_TRUE(content(ran).startsWith("queue add " + file.toUtf8() + " --work --workspace"));
}

TEST_F(ExperimentDraftTest, WhatWasQueuedIsNamedAsRunsShowsIt) {
    takeText(kDraftText);
    ASSERT_TRUE(isAnswered());
    EXPECT_EQ(queuedInWords(draft_), QStringLiteral("Queued sweep: Runs shows where it waits."));
    takeText(kDraftText + QStringLiteral("[[case]]\nname = \"case-1\"\n[[case]]\nname = \"case-2\"\n"));
    ASSERT_TRUE(isAnswered());
    EXPECT_EQ(queuedInWords(draft_),
              QStringLiteral("Queued sweep: Runs shows where its cases wait, by their own names: case-1, case-2."));
}

TEST_F(ExperimentDraftTest, ACopyHasANameOfItsOwnAndIsSavedNowhere) {
    takeText(kDraftText);
    QSignalSpy begun(&draft_, &ExperimentDraft::begun);
    draft_.duplicate({"sweep", "sweep-2"});
    EXPECT_EQ(draft_.document().text(), QString(kDraftText).replace("name = \"sweep\"", "name = \"sweep-3\""));
    EXPECT_EQ(begun.count(), 1);
    EXPECT_FALSE(draft_.isSaved());
    draft_.duplicate({});
    EXPECT_EQ(draft_.title(), QStringLiteral("sweep-4"));
    ASSERT_FALSE(draft_.unsaved().kept().empty()) << "the copy before was nowhere else";
    EXPECT_EQ(draft_.unsaved().kept().front().title, QStringLiteral("sweep-3"));
    takeText(QStringLiteral("[train]\nsteps = 4\n"));
    draft_.duplicate({});
    EXPECT_EQ(draft_.title(), QStringLiteral("experiment-2"));
    EXPECT_EQ(draft_.document().valueText("train.steps"), QStringLiteral("4"));
}

TEST_F(ExperimentDraftTest, WhatIsNoTomlHasNoCopy) {
    const QString broken = QStringLiteral("name = \n");
    takeText(broken);
    QSignalSpy stopped(&draft_, &ExperimentDraft::stoppedByProblem);
    draft_.duplicate({});
    EXPECT_EQ(stopped.count(), 1);
    EXPECT_EQ(draft_.document().text(), broken);
}

TEST_F(ExperimentDraftTest, RunGoesToTheProblemInstead) {
    takeText(kDraftText + QStringLiteral("\n[optimizer]\nmomentum = 1.9\n"));
    QSignalSpy stopped(&draft_, &ExperimentDraft::stoppedByProblem), launched(&draft_, &ExperimentDraft::launched);
    draft_.run();
    ASSERT_TRUE(eventually([&] { return stopped.count() == 1; }));
    EXPECT_EQ(draft_.check().problem()->key, QStringLiteral("optimizer.momentum"));
    EXPECT_EQ(draft_.check().problem()->line, 11);
    QTest::qWait(200);
    EXPECT_EQ(launched.count(), 0);
    draft_.setText(kDraftText);
    EXPECT_FALSE(draft_.check().problem()) << "what was said of another text does not count";
}

TEST_F(ExperimentDraftTest, ARunThatWasChangedWhileItWasCheckedIsNotStarted) {
    takeText(kDraftText);
    QSignalSpy launched(&draft_, &ExperimentDraft::launched);
    draft_.run();
    draft_.setText(kDraftText + QStringLiteral("# more\n"));
    ASSERT_TRUE(isAnswered());
    QTest::qWait(300);
    EXPECT_EQ(launched.count(), 0);
}

TEST_F(ExperimentDraftTest, AFileIsOpenedAndSaved) {
    const QString file = folder_.filePath(QStringLiteral("mine.toml"));
    takeText(kDraftText);
    QSignalSpy noted(&draft_, &ExperimentDraft::noted), failed(&draft_, &ExperimentDraft::failed);
    draft_.save(file);
    ASSERT_TRUE(eventually([&] { return noted.count() == 1; }));
    takeText(QStringLiteral("name = \"other\"\n"));
    draft_.open(file);
    ASSERT_TRUE(eventually([&] { return draft_.document().text() == kDraftText; }));
    EXPECT_TRUE(draft_.isSaved());
    draft_.open(folder_.filePath(QStringLiteral("none.toml")));
    ASSERT_TRUE(eventually([&] { return failed.count() == 1; }));
    EXPECT_EQ(draft_.document().text(), kDraftText);
}

TEST_F(ExperimentDraftTest, AFileIsSavedWhereItWasOpenedUnlessAnotherProgramChangedIt) {
    const QString file = folder_.filePath(QStringLiteral("own.toml"));
    const auto put = [&](const QByteArray& text) {
        QFile own(file);
        EXPECT_TRUE(own.open(QIODevice::WriteOnly) && own.write(text) >= 0);
    };
    const auto content = [&] {
        QFile own(file);
        return own.open(QIODevice::ReadOnly) ? own.readAll() : QByteArray();
    };
    takeText(kDraftText);
    EXPECT_EQ(draft_.file(), QString()) << "a preset has no file of one's own";
    put("name = \"own\"\r\n");
    draft_.open(file);
    ASSERT_TRUE(eventually([&] { return draft_.file() == file; }));
    QSignalSpy noted(&draft_, &ExperimentDraft::noted), failed(&draft_, &ExperimentDraft::failed);
    for (const char* text : {"name = \"first\"\n", "name = \"second\"\n"}) {
        draft_.setText(QString::fromLatin1(text));
        draft_.save();
        ASSERT_TRUE(eventually([&] { return draft_.isSaved(); }));
        EXPECT_EQ(content(), text);
    }
    EXPECT_EQ(noted.count(), 2);
    put("name = \"elsewhere\"\n");
    draft_.setText(QStringLiteral("name = \"third\"\n"));
    draft_.save();
    ASSERT_TRUE(eventually([&] { return failed.count() == 1; }));
    EXPECT_TRUE(failed[0][0].toString().contains(QStringLiteral("Ctrl+Shift+S")));
    EXPECT_EQ(content(), "name = \"elsewhere\"\n");
    EXPECT_FALSE(draft_.isSaved());
    takeText(kDraftText);
    EXPECT_EQ(draft_.file(), QString()) << "it is another experiment";
}

TEST_F(ExperimentDraftTest, ARecordedConfigurationIsShownWithoutItsDefaults) {
    draft_.take({Start::Kind::Recent, {}, {}, {}, kDraftText + QStringLiteral("\n[train]\nseed = 1\n"), {}});
    EXPECT_EQ(draft_.document().text(), kDraftText + QStringLiteral("\n"));
}

TEST_F(ExperimentDraftTest, WhatWasWrittenAndNotSavedIsKeptWhenAnotherTakesItsPlace) {
    takeText(kDraftText);
    takeText(kDraftText + QStringLiteral("# another\n"));
    EXPECT_TRUE(draft_.unsaved().kept().empty()) << "nobody wrote the preset";
    const QString mine = kDraftText + QStringLiteral("# mine\n");
    draft_.setText(mine);
    takeText(kDraftText);
    ASSERT_EQ(draft_.unsaved().kept().size(), 1U);
    EXPECT_EQ(draft_.unsaved().kept().front().text, mine);
    EXPECT_EQ(draft_.unsaved().kept().front().title, QStringLiteral("sweep"));
    draft_.take(draft_.unsaved().kept().front());
    EXPECT_EQ(draft_.document().text(), mine);
}

TEST_F(ExperimentDraftTest, WhatIsSavedIsNotKept) {
    takeText(kDraftText);
    draft_.setText(kDraftText + QStringLiteral("# mine\n"));
    QSignalSpy noted(&draft_, &ExperimentDraft::noted);
    draft_.save(folder_.filePath(QStringLiteral("mine.toml")));
    ASSERT_TRUE(eventually([&] { return noted.count() == 1; }));
    takeText(kDraftText);
    EXPECT_TRUE(draft_.unsaved().kept().empty());
}

TEST_F(ExperimentDraftTest, WithoutATextThereIsNothingToRun) {
    QSignalSpy failed(&draft_, &ExperimentDraft::failed);
    draft_.run();
    ASSERT_EQ(failed.count(), 1);
    EXPECT_TRUE(failed[0][0].toString().contains(QLatin1String("choose a preset")));
}

TEST_F(ExperimentDraftTest, ItKnowsWhatItBeganWithUntilItIsSomethingElse) {
    EXPECT_EQ(draft_.startText(), QString());
    const Start recorded{Start::Kind::Recent, {}, {}, {}, kDraftText + QStringLiteral("[train]\nsteps = 0\n"), {}};
    draft_.take(recorded);
    EXPECT_EQ(draft_.startText(), recorded.text) << "with its defaults, as the list has it";
    draft_.setText(draft_.document().text() + QStringLiteral("# mine\n"));
    EXPECT_EQ(draft_.startText(), recorded.text);
    draft_.duplicate({});
    EXPECT_EQ(draft_.startText(), QString()) << "the list has no copy";
}

TEST_F(ExperimentDraftTest, ADryRunThatWasAskedForSaysThatItWasMade) {
    QSignalSpy noted(&draft_, &ExperimentDraft::noted);
    takeText(kDraftText);
    ASSERT_TRUE(isAnswered());
    EXPECT_EQ(noted.count(), 0) << "nobody asked";
    for (int time = 1; time <= 2; ++time) {
        draft_.check().now();
        ASSERT_TRUE(eventually([&] { return noted.count() == time; }));
    }
    EXPECT_TRUE(noted.back()[0].toString().contains(QStringLiteral("nothing is wrong with these 2 runs")));
    draft_.setText(QString(kDraftText).append(QStringLiteral("[optimizer]\nmomentum = 1.9\n")));
    draft_.check().now();
    ASSERT_TRUE(eventually([&] { return draft_.check().problem().has_value(); }));
    EXPECT_EQ(noted.count(), 2) << "the error stands at its place";
}

TEST_F(ExperimentDraftTest, TheLastForecastStaysUntilANewOneHasArrived) {
    draft_.check().forecastAnew({});
    EXPECT_FALSE(draft_.check().isRunning()) << "there is nothing to forecast";
    takeText(kDraftText);
    ASSERT_TRUE(isAnswered());
    QSignalSpy answered(&draft_, &ExperimentDraft::checkChanged);
    draft_.check().forecastAnew(QStringLiteral("run-1"));
    EXPECT_TRUE(draft_.check().isRunning());
    ASSERT_TRUE(draft_.check().result());
    EXPECT_TRUE(answered.empty());
    ASSERT_TRUE(eventually([&] { return !answered.empty(); }));
    EXPECT_EQ(draft_.check().result()->runs.size(), 2U);
}

}  // namespace
}  // namespace dasgd::gui
