#include "gui/experiment/model/start_list.h"

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
    EXPECT_EQ(list.at(1).words, QStringLiteral("newest run of 2 · 1 h old"));
    EXPECT_EQ(list.at(2).words, QStringLiteral("1 run · 1 day old"));
    EXPECT_EQ(list.at(1).kind, Start::Kind::Recent);
    QPersistentModelIndex old(list.index(2));
    list.setRuns(runs, "/w", kNoon.addDays(2));
    EXPECT_EQ(list.at(1).words, QStringLiteral("newest run of 2 · 2 days old"));
    EXPECT_TRUE(old.isValid()) << "who is on a row stays there";
}

TEST(StartListModel, ASweepIsOfferedAsTheSweepThatItWas) {
    std::vector<RunItemPtr> runs{runOf("sweep", "old", "2026-11-20T09:00:00Z", "name = \"sweep\"\n")};
    for (int delay = 1; delay <= 3; ++delay) {
        storage::RunRow row =
            runOf("sweep", "r" + std::to_string(delay), "2026-11-21T11:00:00Z",
                  "name = \"sweep\"\n\n[algorithm]\nname = \"dasgd\"\ndelay = " + std::to_string(delay) + "\n")
                ->row;
        row.series = "r1";
        row.seriesPlace = delay - 1;
        row.seriesSize = 3;
        runs.push_back(makeRunItem(std::move(row)));
    }
    StartList list({});
    list.setRuns(runs, "/w", kNoon);
    ASSERT_EQ(list.rowCount(), 2);
    EXPECT_EQ(list.at(1).words, QStringLiteral("sweep of 3 runs · 1 h old"));
    EXPECT_EQ(list.at(1).text, QStringLiteral("name = \"sweep\"\n\n[algorithm]\nname = \"dasgd\"\ndelay = 1\n\n"
                                              "[sweep]\n\"algorithm.delay\" = [1, 2, 3]\n"));
    const auto same = startFromSeries(std::span(runs).subspan(1), "/w");
    ASSERT_TRUE(same);
    EXPECT_EQ(same->text, list.at(1).text);
    EXPECT_FALSE(startFromSeries(std::span(runs).first(1), "/w"));
    EXPECT_EQ(startFromRuns(std::span(runs).subspan(1), "/w")->text, same->text) << "the row of a sweep, chosen";
    EXPECT_EQ(startFromRuns(std::span(runs).last(1), "/w")->text, QString::fromStdString(runs.back()->row.config));
    EXPECT_FALSE(startFromRuns(runs, "/w")) << "one of them is of no sweep";
    EXPECT_FALSE(startFromRuns({}, "/w"));
    runs.erase(runs.begin() + 2, runs.end());
    list.setRuns(runs, "/w", kNoon);
    EXPECT_EQ(list.at(1).words, QStringLiteral("newest run of 2 · 1 h old")) << "of its series there is one run left";
    EXPECT_EQ(list.at(1).text, QString::fromStdString(runs.back()->row.config));
}

TEST(StartListModel, AProbeIsNoExperiment) {
    storage::RunRow row = runOf("sweep", "p", "2026-11-21T11:00:00Z", "name = \"sweep\"\n")->row;
    row.algorithm = "probe";
    const std::vector<RunItemPtr> runs{runOf("sweep", "r1", "2026-11-20T10:00:00Z", "a = 1\n"), makeRunItem(row)};
    StartList list({});
    list.setRuns(runs, "/w", kNoon);
    ASSERT_EQ(list.rowCount(), 2);
    EXPECT_EQ(list.at(1).text, QStringLiteral("a = 1\n")) << "one that was recorded under the experiment's name";
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
