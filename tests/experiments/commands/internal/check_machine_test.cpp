// `dasgd check-machine`, as its parent process calls it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

// The last line.
nlohmann::json answerTo(const std::string& document, int exit) {
    const test::DasgdFolder folder;
    const test::Ended ended = folder.run({"check-machine", document});
    EXPECT_EQ(ended.exit, exit) << ended.err;
    const std::string& text = ended.out;
    return nlohmann::json::parse(text.substr(text.rfind('\n', text.size() - 2) + 1));
}

TEST(CheckMachineCommand, OfRanksWithoutGpusNothingIsAsked) {
    EXPECT_EQ(answerTo("[cluster]\nbackend = \"gloo\"\nworkers = 64\n", 0)["found"], "");
}

TEST(CheckMachineCommand, AMachineHasNoSixtyFourGpus) {
    EXPECT_NE(answerTo("[cluster]\nbackend = \"nccl\"\nworkers = 64\n", 2)["error"], "");
}

TEST(CheckMachineCommand, ADocumentThatIsNoneIsRefused) {
    EXPECT_THAT(answerTo("[cluster]\nbackend = \"no-such-backend\"\n", 2)["error"], HasSubstr("backend"));
    EXPECT_THAT(answerTo("cluster = 3\n", 2)["error"], HasSubstr("backend"));
    EXPECT_THAT(answerTo("[cluster\n", 2)["error"], HasSubstr("check-machine:1:"));
}

}  // namespace
}  // namespace dasgd::experiments
