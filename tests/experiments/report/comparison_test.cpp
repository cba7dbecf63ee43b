// What sets configurations apart.
#include "experiments/report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;

std::string config(const std::string& algorithm, const std::string& more = "", int seed = 1) {
    return "name = \"x\"\n[algorithm]\n" + algorithm + "[train]\nseed = " + std::to_string(seed) + "\n" + more;
}

TEST(Comparison, NamesTheAlgorithmWhereThatIsAll) {
    EXPECT_THAT(
        labelConfigurations({config("name = \"sync_sgd\"\n"), config("name = \"dasgd\"\nperiod = 4\ndelay = 3\n"),
                             config("name = \"local_sgd\"\nperiod = 4\n", "", 2)}),
        ElementsAre("sync_sgd", "dasgd", "local_sgd"));
}

TEST(Comparison, NamesTheKeysThatDiffer) {
    EXPECT_THAT(labelConfigurations({config("name = \"dasgd\"\ndelay = 1\n", "batch_size = 32\n"),
                                     config("name = \"dasgd\"\ndelay = 2\n", "batch_size = 64\n")}),
                ElementsAre("dasgd delay=1 train.batch_size=32", "dasgd delay=2 train.batch_size=64"));
}

TEST(Comparison, NumbersValuesThatAreTooLongToRead) {
    const auto matrix = [](const std::string& last) {
        return config("name = \"a\"\nx = [[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, " + last + "]]\n");
    };
    EXPECT_THAT(labelConfigurations({matrix("8"), config("name = \"a\"\nx = [[1]]\n"), matrix("9"), matrix("8")}),
                ElementsAre("a x=#1", "a x=[[1]]", "a x=#2", "a x=#1 #2"));
}

TEST(Comparison, TellsApartWhatOnlyOneOfThemHas) {
    EXPECT_THAT(labelConfigurations({config("name = \"a\"\n"), config("name = \"a\"\nx = 1\n")}),
                ElementsAre("a", "a #2"));
}

}  // namespace
}  // namespace dasgd::experiments
