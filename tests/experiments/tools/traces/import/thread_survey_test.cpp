#include "experiments/tools/traces/import/thread_survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using Open = ThreadFrames::Frame;
constexpr Ns kNsPerUs = 1000;

class ThreadSurveyTest : public ::testing::Test {
protected:
    void add(Open frame, Ns from, Ns to, std::uint32_t track = 0) {
        survey_.add({.start = from * kNsPerUs, .end = to * kNsPerUs, .track = track}, frame);
    }
    // Tracks 0 and 1 are threads of one process, track 2 is of another.
    ThreadSurvey survey_{{7, 7, 8}};
};

TEST_F(ThreadSurveyTest, AThreadThatCallsCollectivesComputes) {
    add(Open::Call, 0, 5);
    add(Open::Work, 5, 100);
    add(Open::Operator, 10, 90);
    add(Open::Work, 0, 100, 1);
    add(Open::Call, 10, 15, 1);
    EXPECT_THAT(survey_.computing(), ElementsAre(true, false, false))
        << "a hook called one inside of the library's work";
}

// The profiler began in the middle of a collective: its work is missing around the library's first copy.
TEST_F(ThreadSurveyTest, ALibrarysCopyWithoutItsWorkIsNoCompute) {
    add(Open::Call, 0, 5);
    add(Open::Operator, 0, 50, 1);
    for (Ns at = 100; at < 500; at += 100) {
        add(Open::Work, at, at + 90, 1);
        add(Open::Operator, at + 10, at + 60, 1);
    }
    EXPECT_THAT(survey_.computing(), ElementsAre(true, false, false));
}

TEST_F(ThreadSurveyTest, AThreadThatBeginsWithAWorkMayCompute) {
    add(Open::Work, 0, 100);
    add(Open::Operator, 20, 70);
    add(Open::Operator, 110, 200);
    add(Open::Operator, 120, 130);
    EXPECT_THAT(survey_.computing(), ElementsAre(true, false, false));
}

// Hardly any operator is outside of works where an algorithm hides all of its averages.
TEST_F(ThreadSurveyTest, WorksThatCrossOperatorsAreOnAThreadThatComputes) {
    for (const auto& [begin, end] : {std::pair<Ns, Ns>{5, 95}, std::pair<Ns, Ns>{105, 195}}) {
        add(Open::Operator, begin - 5, begin + 2);  // begins the work, which outlasts it
        add(Open::Work, begin, end);
        add(Open::Operator, begin + 10, end - 20);
    }
    EXPECT_THAT(survey_.computing(), ElementsAre(true, false, false));
}

TEST_F(ThreadSurveyTest, AnOperatorThatOutlastsTheWorkWasNotPartOfIt) {
    add(Open::Work, 0, 100);
    add(Open::Operator, 10, 80);
    add(Open::Operator, 90, 110);
    add(Open::Work, 0, 100, 1);
    add(Open::Operator, 10, 80, 1);
    add(Open::Operator, 90, 101, 1);  // whole microseconds
    EXPECT_THAT(survey_.computing(), ElementsAre(true, false, false));
}

TEST_F(ThreadSurveyTest, OneWrongEndMakesNoThreadCompute) {
    add(Open::Call, 0, 5);
    for (Ns at = 100; at < 900; at += 100) {
        add(Open::Work, at, at + 90, 1);
        add(Open::Operator, at + 10, at == 500 ? 5'000 : at + 60, 1);
    }
    EXPECT_FALSE(survey_.computing()[1]);
}

// The thread that has any operator of its own computes, as every process has one that does.
TEST_F(ThreadSurveyTest, InEachProcessSomeThreadComputes) {
    add(Open::Operator, 0, 5);
    add(Open::Work, 10, 60);
    add(Open::Operator, 20, 40);
    add(Open::Work, 0, 50, 1);
    add(Open::Operator, 10, 20, 1);
    add(Open::Operator, 0, 5, 2);
    EXPECT_THAT(survey_.computing(), ElementsAre(true, false, true));
}

}  // namespace
}  // namespace dasgd::experiments
