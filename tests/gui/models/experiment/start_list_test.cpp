#include "gui/models/experiment/start_list.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

const QDateTime kNoon = QDateTime::fromString(QStringLiteral("2026-11-21T12:00:00Z"), Qt::ISODate);

RunItemPtr runOf(const std::string& experiment, const std::string& id, const std::string& startedAt,
                 const std::string& config) {
    storage::RunRow row;
    row.runId = id;
    row.experiment = experiment;
    row.algorithm = "dasgd";
    row.startedAt = startedAt;
    row.config = config;
    return makeRunItem(std::move(row));
}

std::vector<Preset> twoPresets() {
    return {{":/suites/a.toml", "first-light", "What a delay does, on digits.", "name = \"first-light\"\n"},
            {":/suites/b.toml", "scaling", "How it scales.", "name = \"scaling\"\n"}};
}

QStringList titles(const StartList& list) {
    QStringList all;
    for (int i = 0; i < list.rowCount(); ++i) all << list.index(i).data().toString();
    return all;
}

TEST(StartListModel, PresetsStandUnderTheirHeadWithWhatTheyShow) {
    StartList list(twoPresets());
    QAbstractItemModelTester tester(&list);
    EXPECT_EQ(titles(list), (QStringList{"Presets", "first-light", "scaling"}));
    EXPECT_EQ(list.index(1).data(StartList::WordsRole).toString(), QStringLiteral("What a delay does"));
    EXPECT_FALSE(list.index(0).flags().testFlag(Qt::ItemIsSelectable));
    EXPECT_TRUE(list.index(1).flags().testFlag(Qt::ItemIsSelectable));
    EXPECT_EQ(list.at(2).text, QStringLiteral("name = \"scaling\"\n"));
    EXPECT_EQ(list.at(2).folder, QStringLiteral(":/suites"));
}

TEST(StartListModel, EachExperimentOffersItsNewestRunTheNewestFirst) {
    StartList list(twoPresets());
    QAbstractItemModelTester tester(&list);
    const std::vector<RunItemPtr> runs{
        runOf("old", "r1", "2026-11-20T10:00:00Z", "a = 1\n"), runOf("new", "r2", "2026-11-21T10:00:00Z", "a = 2\n"),
        runOf("new", "r3", "2026-11-21T11:00:00Z", "a = 3\n"), runOf("empty", "r4", "2026-11-21T12:00:00Z", "")};
    list.setRuns(runs, "/w", kNoon);
    EXPECT_EQ(titles(list), (QStringList{"Same again", "new", "old", "Presets", "first-light", "scaling"}));
    EXPECT_EQ(list.at(1).text, QStringLiteral("a = 3\n"));
    EXPECT_EQ(list.at(1).words, QStringLiteral("2 runs · 1 h old"));
    EXPECT_EQ(list.at(1).kind, Start::Kind::Recent);
    QPersistentModelIndex old(list.index(2));
    list.setRuns(runs, "/w", kNoon.addDays(2));
    EXPECT_EQ(list.at(1).words, QStringLiteral("2 runs · 2 days old"));
    EXPECT_TRUE(old.isValid()) << "who is on a row stays there";
}

TEST(StartListModel, AnImportedTraceIsNoExperiment) {
    storage::RunRow row = runOf("trace", "r1", "2026-11-20T10:00:00Z", "name = \"trace\"\n")->row;
    row.backend = "trace";
    ASSERT_TRUE(row.imported());
    StartList list({});
    list.setRuns({makeRunItem(row)}, "/w", kNoon);
    EXPECT_EQ(list.rowCount(), 0);
}

TEST(StartListModel, ARunsFilesAreFoundInItsFolder) {
    const auto plain = runOf("a", "r1", "2026-11-20T10:00:00Z", "name = \"a\"\n");
    EXPECT_EQ(startFrom(*plain, "/w").folder, QString()) << "its text stands alone";
    const auto racks = runOf("a", "r2", "2026-11-20T10:00:00Z", "[network]\nfile = \"artefacts/two-racks.xml\"\n");
    EXPECT_EQ(startFrom(*racks, "/w").folder, QStringLiteral("/w/runs/r2"));
    EXPECT_TRUE(startFrom(*racks, "w").folder.startsWith(u'/')) << "a workspace may be named from here";
}

TEST(StartListModel, TheFilterLooksAtTitleAndRemark) {
    StartList list(twoPresets());
    list.setFilter(QStringLiteral(" DIGITS "));
    EXPECT_EQ(titles(list), (QStringList{"Presets", "first-light"}));
    list.setFilter(QStringLiteral("nothing"));
    EXPECT_EQ(list.rowCount(), 0) << "a head without entries says nothing";
    list.setFilter({});
    EXPECT_EQ(list.rowCount(), 3);
}

}  // namespace
}  // namespace dasgd::gui
