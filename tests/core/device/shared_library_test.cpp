#include "core/device/shared_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd::test {
namespace {

TEST(SharedLibrary, GivesTheFunctionsThatAreThereAndNamesTheOthers) {
    auto library = SharedLibrary::open("libm.so.6");
    ASSERT_TRUE(library) << library.error().message;
    std::function<double(double)> root, none = [](double) { return -1.0; };
    library->take(root, "sqrt");
    EXPECT_EQ(library->missing(), "");
    library->take(none, "squareRootOfNothing");
    library->take(none, "norThisOne");
    ASSERT_TRUE(root);
    EXPECT_EQ(root(9), 3);
    EXPECT_EQ(none(9), -1) << "left as it is";
    EXPECT_EQ(library->missing(), "squareRootOfNothing, norThisOne");
}

TEST(SharedLibrary, OneThatIsNotThereIsAnErrorThatNamesIt) {
    const auto library = SharedLibrary::open("libnobody.so.1");
    ASSERT_FALSE(library);
    EXPECT_THAT(library.error().message, testing::HasSubstr("libnobody.so.1"));
}

}  // namespace
}  // namespace dasgd::test
