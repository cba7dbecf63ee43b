#include "gui/scaling/model/reports/job_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <QFile>
#include <csignal>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(JobFiles, AStrangersProcessIsNeitherTakenForTheJobNorStopped) {
    const QTemporaryDir folder;
    const JobPlace place{folder.filePath(QStringLiteral("job"))};
    const JobState state = lookAtJob(place, ::getpid());
    EXPECT_FALSE(state.alive);
    EXPECT_FALSE(state.status);
    stopJob(place, ::getpid());
    SUCCEED() << "this process goes on";
}

TEST(JobFiles, LeavesStreamsAndExitStatus) {
    const QTemporaryDir folder;
    const JobPlace place{folder.filePath(QStringLiteral("running/job"))};
    const qint64 process = startJob(place, QStringLiteral("/bin/sh"), {"-c", "echo out; echo err >&2; exit 7"});
    ASSERT_GT(process, 0);
    ASSERT_TRUE(eventually([&] { return lookAtJob(place, process).status.has_value(); }));
    const JobState state = lookAtJob(place, process);
    EXPECT_EQ(state.status, 7);
    EXPECT_EQ(state.output, "out\n");
    EXPECT_EQ(state.errors, "err\n");
    removeJobFiles(place);
    EXPECT_FALSE(QFile::exists(place.stem + QStringLiteral(".out")));
}

// With many at once the shells are held up, and the programs end before they are waited for.
TEST(JobFiles, AProgramThatEndsAtOnceLeavesItsOwnStatus) {
    const QTemporaryDir folder;
    constexpr int kJobs = 80;
    std::vector<std::pair<JobPlace, qint64>> jobs;
    for (int i = 0; i < kJobs; ++i) {
        const JobPlace place{folder.filePath(QStringLiteral("job-%1").arg(i))};
        jobs.emplace_back(place, startJob(place, QStringLiteral("/bin/sh"), {"-c", "exit 7"}));
    }
    for (const auto& [place, process] : jobs) {
        ASSERT_TRUE(eventually([&] { return lookAtJob(place, process).status.has_value(); }));
        EXPECT_EQ(lookAtJob(place, process).status, 7);
    }
}

TEST(JobFiles, AProgramThatIsStoppedLeavesItsOwnStatusToo) {
    const QTemporaryDir folder;
    const JobPlace place{folder.filePath(QStringLiteral("job"))};
    const qint64 process =
        startJob(place, QStringLiteral("/bin/sh"),
                 {"-c", "trap 'exit 5' TERM; echo ready; while [ -d \"$0\" ]; do sleep 0.02; done", folder.path()});
    ASSERT_TRUE(eventually([&] { return QFile(place.stem + QStringLiteral(".out")).size() > 0; }));
    stopJob(place, process);
    ASSERT_TRUE(eventually([&] { return lookAtJob(place, process).status.has_value(); }));
    EXPECT_EQ(lookAtJob(place, process).status, 5) << "not that of the signal";
}

TEST(JobFiles, AStopBeforeTheProgramHasBegunStopsItAllTheSame) {
    const QTemporaryDir folder;
    const JobPlace place{folder.filePath(QStringLiteral("job"))};
    QFile program(folder.filePath(QStringLiteral("slow")));
    ASSERT_TRUE(program.open(QIODevice::WriteOnly));
    program.write("#!/bin/sh\n[ \"$1\" = --version ] && { sleep 0.2; exit; }\nexec sleep 60\n");
    program.setPermissions(program.permissions() | QFile::ExeOwner);
    program.close();
    const qint64 process = startJob(place, program.fileName(), {QStringLiteral("calibrate")});
    ASSERT_TRUE(eventually([&] { return QFile::exists(place.stem + QStringLiteral(".version")); }));
    stopJob(place, process);
    ASSERT_TRUE(eventually([&] { return !lookAtJob(place, process).alive; }));
    EXPECT_EQ(lookAtJob(place, process).status, 128 + SIGTERM);
}

}  // namespace
}  // namespace dasgd::gui
