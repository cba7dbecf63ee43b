// Support for the fault cases of this folder: how many faults a test injects, and the table that `./lab faults` prints.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace dasgd::test {

// Number of faults that a case injects: `quick` in `./lab test`, where a case has 20 s, `full` in `./lab faults`, which
// sets DASGD_FAULTS_TABLE.
inline int faultCount(int quick, int full) { return std::getenv("DASGD_FAULTS_TABLE") == nullptr ? quick : full; }

// Appends the row of a case to the file that DASGD_FAULTS_TABLE names, if it names one. `injected` is the number of
// faults that a control has seen happen, `held` the number of those after which everything was as expected. Fails the
// test where no fault happened or the two differ.
inline void reportFault(int number, const std::string& fault, const std::string& expected, int injected, int held) {
    EXPECT_GT(injected, 0) << "no fault was injected: the case shows nothing";
    EXPECT_EQ(held, injected);
    if (const char* table = std::getenv("DASGD_FAULTS_TABLE")) {
        std::ofstream(table, std::ios::app)
            << "| " << number << " | " << fault << " | " << expected << " | " << injected << " | " << held << " |\n";
    }
}

}  // namespace dasgd::test
