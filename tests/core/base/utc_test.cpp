#include "core/base/utc.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

TEST(Utc, IsOfTheSecondBeforeWhateverTheZone) {
    ::setenv("TZ", "Asia/Tokyo", 1);
    ::tzset();
    EXPECT_EQ(utcAs("%Y-%m-%dT%H:%M:%SZ", system_clock::time_point(milliseconds(951'868'799'999))),
              "2000-02-29T23:59:59Z");
    EXPECT_EQ(utcAs("%Y-%m-%dT%H:%M:%SZ", system_clock::time_point(milliseconds(-1))), "1969-12-31T23:59:59Z");
}

}  // namespace
}  // namespace dasgd
