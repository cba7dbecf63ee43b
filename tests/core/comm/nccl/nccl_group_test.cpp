// One communicator of NCCL over the stand-in, without tensors; one of its ranks may be a process that is killed.
#include "core/comm/nccl/nccl_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/comm/pending.h"
#include "tests/support/nccl/standin_nccl.h"

namespace dasgd::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// Work of a stream, each piece on a thread that ends before this does.
class OwnThreads {
public:
    ~OwnThreads() {
        for (std::thread& thread : threads_) thread.join();
    }
    StandInNccl::Launch launch() {
        return [this](StreamHandle, std::function<void()> work) { threads_.emplace_back(std::move(work)); };
    }

private:
    std::vector<std::thread> threads_;
};

int sumOf(float& value, const NcclApi& api, NcclHandle handle) {
    return api.allReduce(&value, &value, 1, NcclApi::kFloat, NcclApi::kSum, handle, nullptr);
}

// Waits at most 20 s for the error.
std::optional<std::string> awaitError(NcclGroup& group) {
    for (int i = 0; i < 20'000; ++i) {
        if (auto error = group.asyncError()) return error;
        std::this_thread::sleep_for(milliseconds(1));
    }
    return std::nullopt;
}

TEST(NcclGroup, ARankWhoseProcessIsKilledIsAnErrorOfTheOthers) {
    OwnThreads streams;
    StandInNccl nccl(streams.launch());
    const NcclApi api = nccl.api();
    NcclId id{};
    ASSERT_EQ(api.makeId(&id), NcclApi::kSuccess);
    // The fork comes before any thread.
    const pid_t other = ::fork();
    ASSERT_GE(other, 0);
    if (other == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const auto group = NcclGroup::connect(api, id, {.rank = 1, .size = 2, .timeout = milliseconds(20'000)});
        if (!group) ::_exit(1);
        while (true) ::pause();
    }
    const auto group = NcclGroup::connect(api, id, {.rank = 0, .size = 2, .timeout = milliseconds(20'000)});
    ASSERT_TRUE(group) << group.error().message;
    EXPECT_EQ((*group)->asyncError(), std::nullopt);
    float value = 1;
    (*group)->give([&](const NcclApi& table, NcclHandle handle) { return sumOf(value, table, handle); });
    EXPECT_EQ((*group)->asyncError(), std::nullopt) << "the other is only late";
    ::kill(other, SIGKILL);
    int status = 0;
    ::waitpid(other, &status, 0);
    EXPECT_THAT(awaitError(**group).value_or("nothing"), HasSubstr("NCCL: remote process exited"));
    (*group)->abort();
    EXPECT_EQ(value, 1) << "nothing is written";
}

TEST(NcclGroup, AfterAnAbortNothingCanBeGiven) {
    OwnThreads streams;
    StandInNccl nccl(streams.launch());
    const NcclApi api = nccl.api();
    NcclId id{};
    ASSERT_EQ(api.makeId(&id), NcclApi::kSuccess);
    const auto group = NcclGroup::connect(api, id, {.rank = 0, .size = 1});
    ASSERT_TRUE(group);
    (*group)->abort();
    (*group)->abort();
    EXPECT_EQ((*group)->asyncError(), std::nullopt);
    float value = 1;
    EXPECT_THAT(
        [&] { (*group)->give([&](const NcclApi& table, NcclHandle handle) { return sumOf(value, table, handle); }); },
        testing::ThrowsMessage<CommError>("its NCCL communicator was aborted"));
}

TEST(NcclGroup, WhatIsRefusedIsThrownAndToldOnce) {
    OwnThreads streams;
    StandInNccl nccl(streams.launch());
    const NcclApi api = nccl.api();
    NcclId id{};
    ASSERT_EQ(api.makeId(&id), NcclApi::kSuccess);
    const auto group = NcclGroup::connect(api, id, {.rank = 0, .size = 1});
    ASSERT_TRUE(group);
    const auto refused = [](const NcclApi&, NcclHandle) { return NcclApi::kInvalidArgument; };
    EXPECT_THAT([&] { (*group)->give(refused); },
                testing::ThrowsMessage<CommError>(HasSubstr("NCCL: invalid argument")));
    EXPECT_THAT((*group)->asyncError().value(), HasSubstr("NCCL: invalid argument"));
    EXPECT_EQ((*group)->asyncError(), std::nullopt);
}

TEST(NcclGroup, AnIdOfNobodyIsAnError) {
    OwnThreads streams;
    StandInNccl nccl(streams.launch());
    const NcclApi api = nccl.api();
    const NcclId nobody{"/dasgd-standin-nccl-nobody"};
    const auto group = NcclGroup::connect(api, nobody, {.rank = 0, .size = 2});
    ASSERT_FALSE(group);
    EXPECT_THAT(group.error().message, HasSubstr("NCCL: "));
}

}  // namespace
}  // namespace dasgd::test
