// Reports of the built `dasgd`: each job as the window starts it, its progress, and its JSON as the page reads it.
#include <gtest/gtest.h>

#include <QFile>
#include <algorithm>

#include "gui/kit/words/words.h"
#include "gui/scaling/model/reports/report_content.h"
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
        EXPECT_FALSE(now()->runs().isEmpty());
        for (const QString& run : now()->runs()) {
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
    [[nodiscard]] ReportContent content(const Report& report) const {
        return contentOf(report, [this](const QString& run) { return configOf(run); });
    }
    [[nodiscard]] static JobRequest request(JobKind kind) {
        return {.kind = kind, .title = QStringLiteral("known"), .text = kKnown};
    }
    // Programs that train, beside other tests.
    static bool soon(const std::function<bool()>& done) { return QTest::qWaitFor(done, 40'000); }
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

const ReportFigure* figureOf(const ReportContent& content, const char* label) {
    const auto found = std::ranges::find_if(
        content.figures, [&](const ReportFigure& one) { return one.label.startsWith(QString::fromUtf8(label)); });
    return found == content.figures.end() ? nullptr : &*found;
}

void expectFiguresPresent(const ReportContent& content) {
    EXPECT_FALSE(content.figures.empty());
    for (const ReportFigure& one : content.figures) {
        EXPECT_FALSE(one.number.isEmpty() || one.number == kAbsent) << one.label.toStdString();
    }
}

// "row 2, hidden": the cells that have no value.
QStringList absentIn(const ReportTable& table) {
    QStringList absent;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const QStringList& cells = table.rows[i].cells;
        EXPECT_EQ(cells.size(), table.headers.size());
        for (qsizetype j = 0; j < cells.size(); ++j) {
            const bool empty = cells[j].isEmpty() || cells[j] == kAbsent;
            if (empty) absent << QStringLiteral("row %1, %2").arg(i).arg(table.headers.value(j));
        }
    }
    return absent;
}

TEST_F(ReportJobsTest, ACalibrationHasTheNumbersOfTheCluster) {
    const ReportContent shown = content(finished(request(JobKind::Calibrate)));
    EXPECT_EQ(shown.basis, QStringLiteral("time simulated"));
    expectFiguresPresent(shown);
    const ReportFigure* step = figureOf(shown, "T_c");
    ASSERT_NE(step, nullptr);
    EXPECT_NEAR(step->number.toDouble(), 5, 0.001) << step->unit.toStdString();
    const ReportFigure* contention = figureOf(shown, "κ");
    ASSERT_NE(contention, nullptr);
    EXPECT_NEAR(contention->number.toDouble(), 0.1, 0.01);
    EXPECT_NE(figureOf(shown, "T_m"), nullptr);
    EXPECT_GE(shown.fit.size(), 4U) << "what the link was fitted to";
    EXPECT_FALSE(shown.notes.join(u' ').contains(kAbsent)) << shown.notes.join(u' ').toStdString();
}

TEST_F(ReportJobsTest, AdviceOnThatCalibrationIsCompleteAndNamesOneSetting) {
    const Report calibration = finished(request(JobKind::Calibrate));
    JobRequest asked = request(JobKind::Advise);
    asked.calibration = library_.calibrationOf(calibration.name);
    asked.target = kTarget;
    const ReportContent shown = content(finished(asked));
    EXPECT_TRUE(shown.basis.startsWith(QStringLiteral("time simulated"))) << shown.basis.toStdString();
    expectFiguresPresent(shown);
    EXPECT_FALSE(shown.basis.endsWith(QStringLiteral("run "))) << "the run of T_c and T_m is named";
    EXPECT_TRUE(shown.notes.join(u' ').contains(QStringLiteral("loss ≤ 1000"))) << shown.notes.join(u' ').toStdString();
    EXPECT_EQ(std::ranges::count_if(shown.table.rows, &ReportRow::marked), 1);
    // independent exchanges nothing and trains towards nothing; hybrid_sgd is only timed.
    QStringList allowed;
    for (std::size_t i = 0; i < shown.table.rows.size(); ++i) {
        const ReportRow& row = shown.table.rows[i];
        EXPECT_TRUE(!row.marked || row.settings.contains(QStringLiteral("\"dasgd\""))) << row.settings.toStdString();
        const bool alone = row.settings.contains(QStringLiteral("\"independent\""));
        if (alone) allowed << QStringLiteral("row %1, hidden").arg(i);
        if (alone || row.settings.contains(QStringLiteral("\"hybrid_sgd\""))) {
            allowed << QStringLiteral("row %1, to target").arg(i);
        }
        EXPECT_FALSE(row.cells.contains(QStringLiteral("not reached"))) << row.settings.toStdString();
    }
    EXPECT_EQ(absentIn(shown.table), allowed);
}

TEST_F(ReportJobsTest, AScalingIsCompleteAndOneOfItsRunsIsReplayed) {
    JobRequest asked = request(JobKind::Scale);
    asked.workers = QStringLiteral("2,4");
    asked.target = kTarget;
    const ReportContent scaling = content(finished(asked));
    ASSERT_EQ(scaling.table.rows.size(), 2U);
    EXPECT_EQ(absentIn(scaling.table), QStringList());
    EXPECT_TRUE(scaling.table.headers.back().startsWith(QStringLiteral("s to loss")));
    EXPECT_EQ(scaling.basis, QStringLiteral("simulated"));
    ASSERT_EQ(scaling.table.rows[0].runs.size(), 1);

    const QString run = scaling.table.rows[0].runs[0];
    const ReportContent replay = content(finished(
        {.kind = JobKind::Replay, .title = run, .run = run, .set = {QStringLiteral("network.bandwidth=10Mbps")}}));
    ASSERT_EQ(replay.table.rows.size(), 2U);
    EXPECT_EQ(absentIn(replay.table), QStringList());
    EXPECT_EQ(replay.table.rows[0].runs, QStringList{run});
    EXPECT_NE(replay.table.rows[1].runs, QStringList{run});
    EXPECT_GT(replay.table.rows[1].cells[2].toDouble(), 1) << "a link a hundred times slower";
}

}  // namespace
}  // namespace dasgd::gui
