#include "experiments/run/queue/slots.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;

Machine machineOf(int cores, int gpus = 0) {
    Machine machine;
    for (int cpu = 0; cpu < cores; ++cpu) machine.cpus.push_back(cpu);
    for (int gpu = 0; gpu < gpus; ++gpu) machine.gpus.push_back(std::to_string(gpu));
    return machine;
}

Slots::Waiting run(const std::string& name, int cores, int gpus = 0) { return {name, {cores, gpus}}; }

TEST(Slots, OneAfterAnotherInTheirOrder) {
    Slots slots(machineOf(8), 1);
    EXPECT_EQ(slots.next({run("a", 2), run("b", 1)}, {}), 0U);
    static_cast<void>(slots.seat(run("a", 2)));
    EXPECT_EQ(slots.next({run("b", 1)}, {}), std::nullopt);
    slots.leave("a");
    EXPECT_EQ(slots.next({run("b", 1)}, {}), 0U);
    EXPECT_EQ(slots.next({}, {}), std::nullopt);
}

TEST(Slots, SeveralAtOnceShareNoCoreAndNoGpu) {
    Slots slots(machineOf(6, 2), 3);
    EXPECT_THAT(slots.seat(run("a", 2, 1)).cpus, ElementsAre(0, 1));
    const Slots::Seats b = slots.seat(run("b", 2, 1));
    EXPECT_THAT(b.cpus, ElementsAre(2, 3));
    EXPECT_THAT(b.gpus, ElementsAre("1"));
    EXPECT_EQ(slots.next({run("c", 1, 1)}, {}), std::nullopt) << "no GPU is left";
    EXPECT_EQ(slots.next({run("c", 3)}, {}), std::nullopt) << "two cores are";
    EXPECT_EQ(slots.next({run("c", 2)}, {}), 0U);
    slots.leave("a");
    EXPECT_THAT(slots.seat(run("c", 3, 1)).cpus, ElementsAre(0, 1, 4));
}

TEST(Slots, WhatTrainsElsewhereCounts) {
    Slots slots(machineOf(4), 2);
    EXPECT_EQ(slots.next({run("a", 2)}, {{.cores = 2}}), 0U);
    EXPECT_EQ(slots.next({run("a", 2)}, {{.cores = 3}}), std::nullopt);
    EXPECT_EQ(slots.next({run("a", 1)}, {{.cores = 1}, {.cores = 1}}), std::nullopt) << "two at once, and not three";
}

TEST(Slots, WhatNeedsMoreThanThereIsRunsAlone) {
    Slots slots(machineOf(2), 4);
    EXPECT_EQ(slots.next({run("big", 8)}, {{.cores = 1}}), std::nullopt);
    EXPECT_EQ(slots.next({run("big", 8)}, {}), 0U);
    const Slots::Seats seats = slots.seat(run("big", 8));
    EXPECT_TRUE(seats.all);
    EXPECT_THAT(seats.cpus, ElementsAre(0, 1));
    EXPECT_EQ(slots.next({run("a", 1)}, {}), std::nullopt) << "nothing beside it";
}

// A large run starts even if small ones keep coming before it.
TEST(Slots, SmallRunsDoNotStarveALargeOne) {
    Slots slots(machineOf(4), 4);
    static_cast<void>(slots.seat(run("s0", 1)));
    static_cast<void>(slots.seat(run("s1", 1)));
    int started = 0;
    std::vector<std::string> seated{"s0", "s1"};
    bool large = false;
    for (int round = 0; round < 40 && !large; ++round) {
        const std::vector<Slots::Waiting> waiting{run("large", 4), run("n" + std::to_string(round), 1)};
        const auto next = slots.next(waiting, {});
        if (next == 0U) large = true;
        if (next == 1U) {
            static_cast<void>(slots.seat(waiting[1]));
            seated.push_back(waiting[1].run);
            ++started;
        }
        if (!next) {
            ASSERT_FALSE(seated.empty());
            slots.leave(seated.front());
            seated.erase(seated.begin());
        }
    }
    EXPECT_TRUE(large);
    EXPECT_EQ(started, Slots::kOvertaken);
}

TEST(Slots, WhateverComesAndGoesNothingIsSharedAndNothingIsOverfull) {
    std::mt19937 random(7);
    Slots slots(machineOf(7, 3), 5);
    std::map<std::string, Slots::Seats> seated;
    for (int i = 0; i < 2000; ++i) {
        std::vector<Slots::Waiting> waiting;
        for (int j = 0; j < 4; ++j) {
            waiting.push_back(run(std::to_string(i) + "-" + std::to_string(j), 1 + static_cast<int>(random() % 4),
                                  static_cast<int>(random() % 3)));
        }
        if (const auto next = slots.next(waiting, {})) seated[waiting[*next].run] = slots.seat(waiting[*next]);
        if (!seated.empty() && random() % 2 == 0) {
            slots.leave(seated.begin()->first);
            seated.erase(seated.begin());
        }
        std::set<int> cpus;
        std::set<std::string> gpus;
        std::size_t cores = 0, devices = 0;
        for (const auto& [name, seats] : seated) {
            cpus.insert(seats.cpus.begin(), seats.cpus.end());
            gpus.insert(seats.gpus.begin(), seats.gpus.end());
            cores += seats.cpus.size();
            devices += seats.gpus.size();
        }
        ASSERT_EQ(cpus.size(), cores);
        ASSERT_EQ(gpus.size(), devices);
        ASSERT_LE(seated.size(), 5U);
    }
}

}  // namespace
}  // namespace dasgd::experiments
