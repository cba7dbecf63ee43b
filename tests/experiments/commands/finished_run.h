// A workspace with two short runs, for the commands that read one.
#pragma once

#include <gtest/gtest.h>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {

class FinishedRun : public ::testing::Test {
protected:
    void SetUp() override {
        folder_.write("e.toml", testing::quickExperiment());
        const testing::Ended ended = folder_.run({"run", "e.toml", "-w", "w", "-q", "--sweep", "train.seed=1,2"});
        ASSERT_EQ(ended.exit, 0) << ended.err;
    }
    testing::DasgdFolder folder_;
};

}  // namespace dasgd::experiments
