// A workspace with two short runs, for the commands that read one.
#pragma once

#include <gtest/gtest.h>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {

class FinishedRun : public ::testing::Test {
protected:
    void SetUp() override {
        folder_.write("e.toml", test::quickExperiment());
        const test::Ended ended = folder_.run({"run", "e.toml", "-w", "w", "-q", "--sweep", "train.seed=1,2"});
        ASSERT_EQ(ended.exit, 0) << ended.err;
    }
    test::DasgdFolder folder_;
};

}  // namespace dasgd::experiments
