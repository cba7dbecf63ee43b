// Signals that ask for the end, as something to wait for.
#include "experiments/base/stop_signals.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <string>

namespace dasgd::experiments {
namespace {

TEST(StopSignals, CountsInsteadOfDying) {
    StopSignals signals;
    EXPECT_EQ(signals.count(), 0);
    ::kill(::getpid(), SIGINT);
    pollfd wait{signals.fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&wait, 1, 5000), 1);
    EXPECT_EQ(signals.count(), 1);
    ::kill(::getpid(), SIGTERM);
    EXPECT_EQ(::poll(&wait, 1, 5000), 1);
    EXPECT_EQ(signals.count(), 2);
    EXPECT_EQ(signals.count(), 2);
}

TEST(StopSignals, TellsWhatAPersonAskedForFromWhatASchedulerDid) {
    StopSignals signals(StopSignals::Repeats::Ignore);
    pollfd wait{signals.fd(), POLLIN, 0};
    for (const int number : {SIGINT, SIGTERM, SIGTERM, SIGUSR1, SIGUSR2}) {
        ::kill(::getpid(), number);
        EXPECT_EQ(::poll(&wait, 1, 5000), 1);
        EXPECT_EQ(signals.count(), 1) << "however often";
        EXPECT_EQ(signals.isTerminated(), number != SIGINT);
        const std::string name = std::string("SIG") + ::sigabbrev_np(number);
        EXPECT_EQ(stopInWords(signals, "a checkpoint was lost"),
                  number == SIGINT ? "a checkpoint was lost"
                                   : "ended by " + name + ", as what is preempted; a checkpoint was lost");
    }
    EXPECT_FALSE(signals.mustEndNow());
    for (int i = 0; i < 2; ++i) {
        ::kill(::getpid(), SIGINT);
        EXPECT_EQ(::poll(&wait, 1, 5000), 1);
        EXPECT_FALSE(signals.mustEndNow()) << "the process that stops this one may signal twice";
    }
}

// Batch systems send SIGUSR1 some time before SIGTERM, while a state is being saved.
TEST(StopSignals, OnlyASecondCtrlCEndsAtOnce) {
    StopSignals signals;
    pollfd wait{signals.fd(), POLLIN, 0};
    for (const int number : {SIGUSR1, SIGTERM, SIGUSR2, SIGTERM, SIGINT, SIGTERM}) {
        ::kill(::getpid(), number);
        EXPECT_EQ(::poll(&wait, 1, 5000), 1);
        EXPECT_FALSE(signals.mustEndNow());
    }
    ::kill(::getpid(), SIGINT);
    EXPECT_EQ(::poll(&wait, 1, 5000), 1);
    EXPECT_TRUE(signals.mustEndNow());
    EXPECT_EQ(signals.count(), 7);
}

TEST(StopSignals, OutlivesItsTerminal) {
    const StopSignals signals;
    ::kill(::getpid(), SIGHUP);
    struct sigaction hangup {};
    ::sigaction(SIGHUP, nullptr, &hangup);
    EXPECT_EQ(hangup.sa_handler, SIG_IGN);
}

}  // namespace
}  // namespace dasgd::experiments
