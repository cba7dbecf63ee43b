// SimGrid's engine leaves the signals of the process alone.
#include "core/sim/network/simgrid.h"

#include <gtest/gtest.h>

#include <csignal>

namespace dasgd {
namespace {

// SimGrid sets a handler only where there is none, so each signal is tried with the default action; whatever the action
// was before, as a sanitizer's, is put back.
TEST(SimGridEngine, SetsNoSignalHandler) {
    constexpr int kSignals[] = {SIGINT, SIGSEGV, SIGBUS};
    struct sigaction before[3];
    for (int i = 0; i < 3; ++i) {
        struct sigaction none {};
        none.sa_handler = SIG_DFL;
        ASSERT_EQ(::sigaction(kSignals[i], &none, &before[i]), 0);
    }
    const SimGridEngine engine;
    for (int i = 0; i < 3; ++i) {
        struct sigaction now {};
        ::sigaction(kSignals[i], &before[i], &now);
        EXPECT_TRUE(now.sa_handler == SIG_DFL) << kSignals[i];
    }
}

void own(int) {}

TEST(SimGridEngine, KeepsTheHandlersOfTheProcess) {
    struct sigaction ours {};
    ours.sa_handler = own;
    struct sigaction before {};
    ASSERT_EQ(::sigaction(SIGINT, &ours, &before), 0);
    const SimGridEngine engine;
    struct sigaction now {};
    ::sigaction(SIGINT, &before, &now);
    EXPECT_TRUE(now.sa_handler == own);
}

}  // namespace
}  // namespace dasgd
