#include "experiments/run/host/control_groups.h"

#include <gmock/gmock.h>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;

class ControlGroups : public ::testing::Test {
protected:
    void write(const std::string& file, const std::string& text) const { test::writeText(folder_ / file, text); }
    [[nodiscard]] std::filesystem::path group(const std::string& path) const { return folder_ / ("cgroup" + path); }

    test::TempDir folder_;
    ControlGroupFiles files_{.own = folder_ / "own", .root = folder_ / "cgroup"};
};

TEST_F(ControlGroups, AreItsOwnAndThoseAbove) {
    write("own", "0::/a/b\n");
    EXPECT_THAT(controlGroups("memory", files_), ElementsAre(group("/a/b"), group("/a"), group("")));
    write("own", "5:cpu,cpuacct:/x\n3:memory:/y/z\n1:name=systemd:/s\n0::/\n");
    EXPECT_THAT(controlGroups("cpu", files_), ElementsAre(group("/cpu/x"), group("/cpu"), group("")));
    std::filesystem::create_directories(group("/cpu,cpuacct"));
    std::filesystem::create_directories(group("/unified"));
    EXPECT_THAT(controlGroups("cpu", files_),
                ElementsAre(group("/cpu,cpuacct/x"), group("/cpu,cpuacct"), group("/unified")));
    std::filesystem::remove(group("/unified"));
    EXPECT_THAT(controlGroups("memory", files_),
                ElementsAre(group("/memory/y/z"), group("/memory/y"), group("/memory"), group("")));
    EXPECT_TRUE(controlGroups("memory", {.own = folder_ / "none", .root = folder_ / "cgroup"}).empty());
}

TEST_F(ControlGroups, WithoutALimitTellNothing) {
    write("own", "0::/a\n");
    EXPECT_FALSE(cpuQuota(files_));
    write("cgroup/a/cpu.max", "max 100000\n");
    write("cgroup/a/memory.max", "max\n");
    write("cgroup/a/memory.current", "1000\n");
    write("cgroup/a/pids.max", "max\n");
    write("cgroup/a/pids.current", "7\n");
    EXPECT_FALSE(cpuQuota(files_));
    EXPECT_FALSE(memoryLeft(files_));
    EXPECT_FALSE(threadsLeft(files_));
}

// In a container the kernel may name a path that exists only outside: its group is then the root.
TEST_F(ControlGroups, TheLeastOfAllCounts) {
    write("own", "0::/pod/gone\n");
    write("cgroup/pod/cpu.max", "400000 100000\n");
    write("cgroup/cpu.max", "150000 100000\n");
    EXPECT_EQ(cpuQuota(files_), 1.5);
    write("cgroup/pod/pids.max", "100\n");
    write("cgroup/pod/pids.current", "40\n");
    write("cgroup/pids.max", "90\n");
    write("cgroup/pids.current", "20\n");
    EXPECT_EQ(threadsLeft(files_), 60);
}

// A data set that is read through a limit of memory fills the page cache, which the kernel gives back: it must not
// count against the next run.
TEST_F(ControlGroups, ThePageCacheCanBeHad) {
    write("own", "0::/a\n");
    write("cgroup/a/memory.max", "1000\n");
    write("cgroup/a/memory.current", "950\n");
    write("cgroup/a/memory.stat", "anon 100\nfile 850\nactive_file 300\ninactive_file 500\n");
    EXPECT_EQ(memoryLeft(files_), 850) << "850 are files, of which 50 stay: they are shared memory";
}

TEST_F(ControlGroups, OfVersion1SayTheSame) {
    write("own", "5:cpu,cpuacct:/x\n3:memory:/x\n0::/\n");
    write("cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "-1\n");
    write("cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
    EXPECT_FALSE(cpuQuota(files_));
    write("cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n");
    write("cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cpuQuota(files_), 2.5);
    write("cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n");
    write("cgroup/memory/x/memory.usage_in_bytes", "900\n");
    EXPECT_FALSE(memoryLeft(files_));
    write("cgroup/memory/x/memory.limit_in_bytes", "1000\n");
    write("cgroup/memory/x/memory.stat",
          "active_file 1\ninactive_file 2\ntotal_active_file 300\ntotal_inactive_file 400\n");
    EXPECT_EQ(memoryLeft(files_), 800) << "with those of the groups below it";
}

}  // namespace
}  // namespace dasgd::experiments
