// Reports of the built `dasgd`: each job as the window starts it, its progress, and its text as the page shows it.
#include <gtest/gtest.h>

#include <QFile>
#include <algorithm>

#include "gui/scaling/model/reports/report_library.h"
#include "storage/read/run_reader.h"
#include "tests/gui/support/bench.h"
#include "tests/support/paths.h"

namespace dasgd::gui {
namespace {

// A cluster whose numbers are known; 20 steps of DaSGD on it.
const QString kKnown = QStringLiteral(
    "name = \"known\"\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n[model]\nname = \"mlp\"\n"
    "[train]\nsteps = 20\nbatch_size = 8\neval_every = 20\n[cluster]\nbackend = \"virtual\"\nworkers = 2\n"
    "[network]\nbandwidth = \"1Gbps\"\nlatency = \"90us\"\nreduce_rate = \"3GB/s\"\n"
    "[compute]\nstep_time = \"5ms\"\nforward_share = 0.3\ncontention = 0.1\nmemory_bandwidth = \"7GB/s\"\n");

// Above every loss that the first evaluation can have.
const QString kTarget = QStringLiteral("loss=1000");

class ReportJobsTest : public ::testing::Test {
protected:
    // `dasgd`, whose end is held back until its progress was seen: it may take less time than the library waits
    // between two looks.
    ReportJobsTest() {
        QFile file(heldProgram());
        if (!file.open(QIODevice::WriteOnly)) throw std::runtime_error("no program");
        const QByteArray script =
            "#!/bin/sh\n\"" + QByteArray(test::kProgram) +
            "\" \"$@\"; status=$?\n"
            "[ \"$1\" = --version ] && exit $status\n"
            "while [ -d \"$(dirname \"$0\")\" ] && [ ! -e \"$(dirname \"$0\")/go\" ]; do sleep 0.02; done\n"
            "exit $status\n";
        file.write(script);
        file.setPermissions(file.permissions() | QFile::ExeOwner);
    }
    // Ends what a test left running.
    ~ReportJobsTest() override { letEnd(); }

    // Runs it to its end. A failure is in the report, and fails the test.
    Report finished(const JobRequest& request) {
        QFile::remove(go());
        const QString name = library_.start(request);
        const auto now = [&] { return library_.find(name); };
        EXPECT_TRUE(soon([&] { return now() && now()->progress.total > 0; })) << name.toStdString() << ": no progress";
        EXPECT_TRUE(now() && !now()->progress.title.isEmpty()) << name.toStdString();
        letEnd();
        EXPECT_TRUE(soon([&] { return now() && now()->state != ReportState::Running; })) << name.toStdString();
        if (!now()) return {};
        EXPECT_EQ(stateInWords(now()->state), stateInWords(ReportState::Finished)) << now()->error.toStdString();
        EXPECT_FALSE(now()->version.isEmpty());
        // The table of a scaling names no runs.
        EXPECT_EQ(now()->runs.isEmpty(), request.kind == JobKind::Scale) << now()->markdown.toStdString();
        for (const QString& run : now()->runs) {
            EXPECT_FALSE(configOf(run).empty()) << run.toStdString() << " is no run of the workspace";
        }
        return *now();
    }
    [[nodiscard]] std::string configOf(const QString& run) const {
        auto reader = storage::RunReader::open(workspace());
        if (!reader) return {};
        const auto row = reader->row(run.toStdString());
        return row ? row->config : std::string();
    }
    [[nodiscard]] static JobRequest request(JobKind kind) {
        return {.kind = kind, .title = QStringLiteral("known"), .text = kKnown};
    }
    // Programs that train, beside other tests.
    static bool soon(const std::function<bool()>& done) { return QTest::qWaitFor(done, 90'000); }
    [[nodiscard]] std::filesystem::path workspace() const { return folder_.path().toStdString(); }

    QTemporaryDir folder_;
    ReportLibrary library_{workspace(), heldProgram()};

private:
    [[nodiscard]] QString heldProgram() const { return folder_.filePath(QStringLiteral("dasgd")); }
    [[nodiscard]] QString go() const { return folder_.filePath(QStringLiteral("go")); }
    void letEnd() const {
        if (!QFile(go()).open(QIODevice::WriteOnly)) ADD_FAILURE() << "the job is not let go";
    }
};

// Rows of the tables, as their cells.
std::vector<QStringList> rowsOf(const Report& report) {
    std::vector<QStringList> rows;
    for (const QString& line : report.markdown.split(u'\n')) {
        if (!line.startsWith(u'|')) continue;
        QStringList cells;
        for (const QString& cell : line.mid(1, line.size() - 2).split(u'|')) cells << cell.trimmed();
        rows.push_back(cells);
    }
    return rows;
}

QStringList rowOf(const Report& report, const QString& first) {
    for (const QStringList& row : rowsOf(report)) {
        if (row[0].startsWith(first)) return row;
    }
    ADD_FAILURE() << first.toStdString() << " is in no row of " << report.markdown.toStdString();
    return {{}, {}, {}};
}

TEST_F(ReportJobsTest, ACalibrationHasTheNumbersOfTheCluster) {
    const Report report = finished(request(JobKind::Calibrate));
    EXPECT_TRUE(report.markdown.contains(QStringLiteral("time simulated")));
    EXPECT_NEAR(rowOf(report, QStringLiteral("T_c"))[1].section(u' ', 0, 0).toDouble(), 5, 0.001);
    EXPECT_NEAR(rowOf(report, QStringLiteral("κ"))[1].toDouble(), 0.1, 0.01);
    EXPECT_TRUE(rowOf(report, QStringLiteral("T_m"))[1].endsWith(QStringLiteral("ms")));
    EXPECT_TRUE(QFile::exists(library_.calibrationOf(report.name)));
}

TEST_F(ReportJobsTest, AdviceOnThatCalibrationIsCompleteAndNamesOneSetting) {
    const Report calibration = finished(request(JobKind::Calibrate));
    JobRequest asked = request(JobKind::Advise);
    asked.calibration = library_.calibrationOf(calibration.name);
    asked.target = kTarget;
    const Report advice = finished(asked);
    EXPECT_TRUE(advisedSetting(advice.markdown).startsWith(QStringLiteral("{ name = \"dasgd\", period = ")))
        << advice.markdown.toStdString();
    EXPECT_TRUE(advice.markdown.contains(QStringLiteral("loss ≤ 1000")));
    EXPECT_TRUE(advice.markdown.contains(QStringLiteral("time simulated")));
    EXPECT_EQ(advice.markdown.count(QStringLiteral("(advised)")), 1);
    EXPECT_FALSE(advice.markdown.contains(QStringLiteral("not reached")));
}

TEST_F(ReportJobsTest, AScalingIsCompleteAndOneOfItsRunsIsReplayed) {
    JobRequest asked = request(JobKind::Scale);
    asked.workers = QStringLiteral("2,4");
    asked.target = kTarget;
    const Report scaling = finished(asked);
    const std::vector<QStringList> rows = rowsOf(scaling);
    ASSERT_EQ(rows.size(), 4U) << "two numbers of workers below the head";
    EXPECT_TRUE(rows[0].back().startsWith(QStringLiteral("s to loss")));
    EXPECT_EQ(rows[3][0], QStringLiteral("4"));
    for (const QString& cell : rows[2]) EXPECT_FALSE(cell.isEmpty() || cell == QStringLiteral("–"));

    auto reader = storage::RunReader::open(workspace());
    ASSERT_TRUE(reader);
    const QString run = QString::fromStdString(reader->list()->front().runId);
    const Report replay = finished(
        {.kind = JobKind::Replay, .title = run, .run = run, .set = {QStringLiteral("network.bandwidth=10Mbps")}});
    EXPECT_EQ(replay.runs.size(), 2);
    EXPECT_TRUE(replay.runs.contains(run));
    EXPECT_GT(rowOf(replay, QStringLiteral("replayed"))[1].toDouble(),
              rowOf(replay, QStringLiteral("recorded"))[1].toDouble())
        << "a link a hundred times slower";
}

}  // namespace
}  // namespace dasgd::gui
