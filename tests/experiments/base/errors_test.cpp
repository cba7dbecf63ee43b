// Errors of the user, and exceptions that no code expected, end a process with one line.
#include "experiments/base/errors.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <thread>

namespace dasgd::experiments {
namespace {

template <class E>
std::string said(const E& exception) {
    try {
        throw exception;
    } catch (...) {
        return presentException();
    }
}

TEST(Errors, AreOneCleanLineAndTheStatusOfAWrongInput) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(refuse({"bad \x1b[31m"}), kWrongInput);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "dasgd: bad \\x1b[31m\n");
}

TEST(Errors, SayAnExceptionInOneLine) {
    EXPECT_EQ(said(std::runtime_error("pair closed\nframe #0: f()\n")), "pair closed");
    EXPECT_EQ(said(std::bad_alloc()), "not enough memory");
    EXPECT_EQ(said(7), "an exception of unknown type");
}

// Gloo's device thread throws this way where two ranks send each other different sizes.
TEST(ErrorsDeathTest, AnExceptionOnALibrarysThreadEndsTheProcessOrderly) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            endOnUncaughtExceptions();
            std::thread([] { throw std::runtime_error("enforce fail\nframe #0"); }).join();
        },
        ::testing::ExitedWithCode(kRunFailed), "^dasgd: unexpected: enforce fail\n$");
}

}  // namespace
}  // namespace dasgd::experiments
