#include "experiments/run/host/host_room.h"

#include <gmock/gmock.h>

#include "storage/read/run_reader.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

CheckedExperiment experimentOf(int workers, std::int64_t parameters, bool processes) {
    CheckedExperiment experiment{.workers = workers, .evalEvery = 10, .parameters = parameters};
    std::vector<int> together;
    for (int rank = 0; rank < workers; ++rank) {
        if (processes) experiment.layout.processes.push_back({rank});
        together.push_back(rank);
    }
    if (!processes) experiment.layout.processes.push_back(together);
    return experiment;
}

std::string refusal(const CheckedExperiment& experiment, const HostRoom& room) {
    const Status fits = checkRoom(experiment, room);
    return fits ? "" : fits.error().message;
}

TEST(HostRoom, WhatFitsIsLeftAlone) {
    EXPECT_EQ(refusal(experimentOf(8, 1'000'000, true), {.memory = 1e9, .threads = 100}), "");
    EXPECT_EQ(refusal(experimentOf(4096, 1'000'000, true), {}), "") << "the system tells nothing";
    EXPECT_EQ(refusal(experimentOf(4096, 10, false), {.memory = 1e9, .threads = 100}), "") << "one process";
}

TEST(HostRoom, WhatDoesNotFitIsRefusedWithWhatWould) {
    // 60 MB a process and 8 MB of weights and gradients.
    EXPECT_THAT(refusal(experimentOf(4096, 1'000'000, true), {.memory = 6.8e9}),
                AllOf(HasSubstr("cluster.workers is 4096"), HasSubstr("room for about 100 ranks"),
                      HasSubstr("backend = \"threads\"")));
    EXPECT_THAT(refusal(experimentOf(500, 100'000'000, false), {.memory = 8.06e9}),
                HasSubstr("room for about 10 ranks"));
    EXPECT_THAT(refusal(experimentOf(100, 10, true), {.memory = 1e12, .threads = 120}),
                AllOf(HasSubstr("may start 120"), HasSubstr("room for 30 ranks")));
}

TEST(HostRoom, OfSeveralHostsEachNeedsRoomForItsOwnRanks) {
    const CheckedExperiment experiment = experimentOf(400, 1'000'000, true);
    const double each = bytesOfRank(experiment).value();
    EXPECT_EQ(each, 8e6);
    EXPECT_TRUE(checkRoomHere(100, 400, each, {.memory = 6.8e9}));
    const Status refused = checkRoomHere(101, 400, each, {.memory = 6.8e9});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr("101 of them on this host"),
                                               HasSubstr("room for about 100 ranks"), HasSubstr("ranks_per_host")));
}

TEST(HostRoom, RunsOfTimeOnlyHaveNoWeights) {
    CheckedExperiment experiment = experimentOf(4096, 1'000'000'000, false);
    experiment.evalEvery = 0;
    EXPECT_EQ(refusal(experiment, {.memory = 1e9}), "");
}

TEST(HostRoom, ThisHostHasSome) {
    const HostRoom room = hostRoom();
    ASSERT_TRUE(room.memory);
    EXPECT_GT(*room.memory, 1e6);
    ASSERT_TRUE(room.threads);
    EXPECT_GT(*room.threads, 8);
}

// A run that would take the machine down ends at once, with the reason.
TEST(HostRoom, ARunThatDoesNotFitIsRefusedBeforeItsRanksStart) {
    const test::DasgdFolder folder;
    // 186 MB a rank.
    folder.write("e.toml",
                 "[algorithm]\nname = \"dasgd\"\n[model]\nname = \"mlp\"\nhidden = [20000]\n"
                 "[data]\nname = \"synthetic\"\nshape = [784]\n[train]\nsteps = 2\nbatch_size = 1\n"
                 "[cluster]\nbackend = \"gloo\"\nworkers = 4096\n");
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w", "-q"});
    EXPECT_EQ(ended.exit, 2) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("cluster.workers"));
    auto reader = storage::RunReader::open(folder.workspace());
    ASSERT_TRUE(reader);
    EXPECT_TRUE(reader->list()->empty()) << "no run is recorded";
}

}  // namespace
}  // namespace dasgd::experiments
