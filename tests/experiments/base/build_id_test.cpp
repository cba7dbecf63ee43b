// The build id, against the bytes of the executable's own file.
#include "experiments/base/build_id.h"

#include <gtest/gtest.h>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

TEST(BuildId, StandsInTheNoteOfTheExecutable) {
    const std::string id = buildId();
    ASSERT_GE(id.size(), 16U);
    std::string bytes;
    for (std::size_t i = 0; i < id.size(); i += 2) bytes += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
    const std::string file = test::contentOf("/proc/self/exe");
    const std::string note{"GNU\0", 4};
    EXPECT_NE(file.find(note + bytes), std::string::npos);
}

}  // namespace
}  // namespace dasgd::experiments
