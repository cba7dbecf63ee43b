// Fault 11: the disk of the workspace fills up while a run records. That is said once, training goes on while the
// journals have room and waits after that, and once there is room again everything is taken in.
#include <sys/statvfs.h>

#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"
#include "tests/support/journals.h"

namespace dasgd::test {
namespace {

constexpr int kNoMounts = 77;

std::size_t timesIn(const std::string& text, const std::string& word) {
    std::size_t times = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++times;
    return times;
}

// Takes up all the room there is.
void fillUp(const std::filesystem::path& file) {
    const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string block(4096, 'x');
    while (::write(opened, block.data(), block.size()) > 0) {
    }
    ::close(opened);
}

// Steps that rank 0 has published no longer grow.
bool standsStill(const BrokenRun& run) {
    return eventually([&] {
        const std::int64_t before = run.completed(0);
        std::this_thread::sleep_for(std::chrono::seconds(1));
        return run.completed(0) == before;
    });
}

// In a process whose mounts are its own. `untilItWaits`: the disk stays full until the journals are, too.
int trainOnFullDisk(bool untilItWaits, SharedCounter& injected) {
    std::optional<SmallDisk> disk;
    const std::vector<std::string> slowly{"--set", "cluster.link.bandwidth=1Gbps", "--set", "cluster.link.latency=1ms"};
    BrokenRun run("gloo", untilItWaits ? std::vector<std::string>() : slowly, {}, [&](const DasgdFolder& folder) {
        std::filesystem::create_directory(folder.workspace());
        disk.emplace(folder.workspace(), 96 << 20);
    });
    if (!disk->mounted()) return kNoMounts;
    const std::filesystem::path ballast = run.folder().workspace() / "ballast";
    fillUp(ballast);
    struct statvfs room {};
    EXPECT_EQ(::statvfs(run.folder().workspace().c_str(), &room), 0);
    const bool said = eventually([&] {
        fillUp(ballast);  // what a removed journal gave back
        return run.launcher().errors().find("lab.db: ") != std::string::npos;
    });
    EXPECT_TRUE(said) << run.launcher().errors();
    if (room.f_bavail == 0 && said) injected.add();
    const std::int64_t before = run.completed(0);
    EXPECT_TRUE(eventually([&] { return run.completed(0) > before + 20; })) << "training goes on";
    if (untilItWaits) {
        EXPECT_TRUE(standsStill(run)) << "without room for its records nothing is trained";
    }
    EXPECT_EQ(run.row().status, "running");
    EXPECT_EQ(timesIn(run.launcher().errors(), "lab.db: "), 1U) << run.launcher().errors();

    const std::int64_t whenFull = run.completed(0);
    std::filesystem::remove(ballast);
    EXPECT_TRUE(newestRunComesTo(run.folder().workspace(), [&](const storage::RunRow& row) {
        return row.steps > whenFull + 20;
    })) << "it goes on by itself";
    run.launcher().signal(SIGTERM);
    const Ended ended = run.launcher().wait();
    EXPECT_EQ(ended.exit, 130) << ended.err;
    EXPECT_TRUE(run.holdsEveryStep());
    EXPECT_EQ(run.row().status, "stopped");
    return ::testing::Test::HasFailure() ? 1 : 0;
}

TEST(Fault11, TheDiskOfTheDatabaseIsFull) {
    SharedCounter injected;
    int held = 0;
    for (int i = 0; i < faultCount(1, 40); ++i) {
        ChildProcess child([&] { return trainOnFullDisk(i % 2 == 1, injected); });
        const int exit = child.wait();
        if (exit == kNoMounts) GTEST_SKIP() << "mounts of one's own need root, or namespaces for users";
        EXPECT_EQ(exit, 0);
        held += exit == 0;
    }
    reportFault(11, "ENOSPC on the disk of lab.db and the journals",
                "said once, training goes on while the journals have room, all is taken in afterwards",
                static_cast<int>(injected.get()), held);
}

}  // namespace
}  // namespace dasgd::test
