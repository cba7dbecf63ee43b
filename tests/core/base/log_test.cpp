// Lines for people on stderr, and lines of ranks with time and level.
#include "core/base/log.h"

#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace dasgd {
namespace {

using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

TEST(Log, SaysWhoSpeaksOnATerminal) {
    CaptureStderr();
    logLine(LogLevel::Error, "e.toml:3:1: no such key {}");
    logToTerminal("dasgd-lab");
    logLine(LogLevel::Info, "ready");
    logLine(LogLevel::Warning, "slow", 3);
    EXPECT_EQ(GetCapturedStderr(), "dasgd: e.toml:3:1: no such key {}\ndasgd-lab: ready\ndasgd-lab: rank 3: slow\n");
}

TEST(Log, SaysNothingThatATerminalWouldObey) {
    logToTerminal("dasgd");
    CaptureStderr();
    logLine(LogLevel::Error, "a\x1b[2J.svm: '\xff'\n    more");
    EXPECT_EQ(GetCapturedStderr(), "dasgd: a\\x1b[2J.svm: '\\xff'\n    more\n");
}

TEST(Log, TellsTimeLevelAndRankInALogFile) {
    CaptureStdout();
    logAsRanks();
    logLine(LogLevel::Info, "finished at step 30", 2);
    logLine(LogLevel::Error, "disk full");
    const std::string lines = GetCapturedStdout();
    const std::string time = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}";
    EXPECT_THAT(lines,
                ::testing::MatchesRegex(time + " info rank 2: finished at step 30\n" + time + " error disk full\n"));
}

TEST(Log, KeepsLinesOfThreadsWhole) {
    CaptureStdout();
    logAsRanks();
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < 4; ++rank) {
        ranks.emplace_back([rank] {
            for (int i = 0; i < 100; ++i) logLine(LogLevel::Info, std::string(200, 'x'), rank);
        });
    }
    for (std::thread& rank : ranks) rank.join();
    std::istringstream lines(GetCapturedStdout());
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        EXPECT_THAT(line, ::testing::MatchesRegex(".{23} info rank [0-3]: x{200}"));
    }
    EXPECT_EQ(count, 400);
}

}  // namespace
}  // namespace dasgd
