#include "experiments/run/queue/needs.h"

#include <gmock/gmock.h>
#include <sched.h>

#include <thread>

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string cluster(const std::string& fields) { return "[cluster]\n" + fields; }

TEST(QueueNeeds, ACoreForEachThreadOfARank) {
    EXPECT_EQ(needsOf(cluster("backend = \"gloo\"\nworkers = 4\nthreads_per_worker = 3\n")), (Needs{12, 0}));
    EXPECT_EQ(needsOf(cluster("backend = \"threads\"\nworkers = 2\n")), (Needs{2, 0}));
    EXPECT_EQ(needsOf(cluster("backend = \"virtual\"\nworkers = 1024\nthreads_per_worker = 1\n")), (Needs{1, 0}))
        << "simulated ranks take turns";
    EXPECT_EQ(needsOf(std::string("no toml [")), (Needs{1, 0}));
}

TEST(QueueNeeds, GpusWhereRanksAreOnThem) {
    EXPECT_EQ(needsOf(cluster("backend = \"nccl\"\nworkers = 4\nthreads_per_worker = 1\nranks_per_gpu = 1\n")),
              (Needs{4, 4}));
    EXPECT_EQ(needsOf(cluster("backend = \"nccl\"\nworkers = 5\nthreads_per_worker = 1\nranks_per_gpu = 2\n")),
              (Needs{5, 3}));
}

TEST(QueueNeeds, AreSaidInWords) {
    EXPECT_EQ(inWords({1, 0}), "1 core");
    EXPECT_EQ(inWords({8, 2}), "8 cores and 2 GPUs");
}

TEST(QueueNeeds, ListsAreReadAsTheyAreWritten) {
    for (const std::vector<int>& list : {std::vector<int>{}, {5}, {0, 1, 2, 3, 6}, {1, 3, 5}, {8, 9}}) {
        EXPECT_EQ(listOf(listText(list)), list) << listText(list);
    }
    EXPECT_EQ(listText({0, 1, 2, 3, 6}), "0-3,6");
    for (const char* wrong : {"a", "1-", "-1", "3-1", "1,,2", "99999999999"}) EXPECT_FALSE(listOf(wrong)) << wrong;
}

TEST(QueueNeeds, TheMachineIsWhatThisProcessMayUse) {
    const auto all = ownMachine({}, {});
    ASSERT_TRUE(all);
    ASSERT_FALSE(all->cpus.empty());
    const auto one = ownMachine(1, 0);
    ASSERT_TRUE(one);
    EXPECT_THAT(one->cpus, ElementsAre(all->cpus.front()));
    EXPECT_TRUE(one->gpus.empty());
    const auto more = ownMachine(static_cast<int>(all->cpus.size()) + 1, {});
    ASSERT_FALSE(more);
    EXPECT_THAT(more.error().message, HasSubstr("--cores"));
    ::setenv("CUDA_VISIBLE_DEVICES", "3,GPU-77", 1);
    EXPECT_THAT(ownMachine({}, {})->gpus, ElementsAre("3", "GPU-77"));
    ::unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST(QueueNeeds, AThreadRunsOnItsCores) {
    const auto machine = ownMachine({}, {});
    ASSERT_TRUE(machine);
    std::thread([&] {
        ASSERT_TRUE(runOn({machine->cpus.back()}));
        EXPECT_EQ(::sched_getcpu(), machine->cpus.back());
        EXPECT_THAT(ownMachine({}, {})->cpus, ElementsAre(machine->cpus.back()));
        EXPECT_TRUE(runOn({})) << "nothing is asked";
    }).join();
    EXPECT_FALSE(runOn({999'999}));
}

}  // namespace
}  // namespace dasgd::experiments
