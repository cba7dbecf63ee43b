// Exit status and error text of a run on several hosts.
#include "experiments/cluster/ssh/ssh_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RankEnd ended(int rank, int code, int signal = 0) {
    return {.rank = rank, .host = "node1", .exit = ProcessExit{code, signal}, .words = "", .log = ""};
}

TEST(SshRunEnd, HasTheStatusOfItsWorstRank) {
    EXPECT_EQ((SshRunEnd{.ranks = {ended(0, 0), ended(1, 0)}}.exitCode()), 0);
    EXPECT_EQ((SshRunEnd{.ranks = {ended(0, 130), ended(1, 130)}}.exitCode()), 130);
    EXPECT_EQ((SshRunEnd{.ranks = {ended(0, 2), ended(1, 2)}}.exitCode()), 2);
    EXPECT_EQ((SshRunEnd{.ranks = {ended(0, 1), ended(1, 0, 9)}}.exitCode()), 1);
    EXPECT_EQ((SshRunEnd{.ranks = {ended(0, 0, 9)}, .stopped = true, .endedHere = true}.exitCode()), 130)
        << "the user ended them";
    EXPECT_EQ((SshRunEnd{.ranks = {ended(0, 130), ended(1, 0, 9)}, .stopped = true}.exitCode()), 1)
        << "somebody else killed it while they stopped";
    EXPECT_EQ((SshRunEnd{.ranks = {ended(0, 130)}, .lost = {"node2: gone"}}.exitCode()), 1);
    EXPECT_EQ((SshRunEnd{.ranks = {{.rank = 0, .host = "node1"}}}.exitCode()), 1) << "nobody knows";
}

TEST(SshRunEnd, TellsRankHostAndItsLastWordsOnce) {
    SshRunEnd end;
    end.ranks = {ended(2, 0, 9), ended(0, 1), ended(1, 1), ended(3, 0)};
    end.ranks[1].words = end.ranks[2].words = "rank 2 is gone";
    end.ranks[1].log = "/w/logs/a.log";
    const std::string text = end.whatFailed();
    EXPECT_THAT(text, HasSubstr("rank 2 on node1: signal 9 (Killed)\n"));
    EXPECT_THAT(text, HasSubstr("rank 0 on node1: exit status 1\nrank 2 is gone\n(node1:/w/logs/a.log)\n"));
    EXPECT_THAT(text, HasSubstr("rank 1 on node1: exit status 1\n"));
    EXPECT_EQ(text.find("rank 2 is gone"), text.rfind("rank 2 is gone"));
    EXPECT_THAT(text, Not(HasSubstr("rank 3")));
}

}  // namespace
}  // namespace dasgd::experiments
