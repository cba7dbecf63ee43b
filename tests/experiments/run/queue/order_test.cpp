#include "experiments/run/queue/order.h"

#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

std::vector<storage::RunRow> rowsOf(const std::string& ids) {
    std::vector<storage::RunRow> rows;
    for (const char id : ids) {
        rows.emplace_back();
        rows.back().runId = id;
    }
    return rows;
}

std::string after(const std::string& action, const std::string& runs) {
    std::string ids;
    for (const storage::RunRow& row : moved(rowsOf("abcde"), rowsOf(runs), action)) ids += row.runId;
    return ids;
}

TEST(QueueOrder, RunsMoveAndKeepTheirOrder) {
    EXPECT_EQ(after("first", "db"), "bdace");
    EXPECT_EQ(after("last", "db"), "acebd");
    EXPECT_EQ(after("up", "bd"), "badce");
    EXPECT_EQ(after("up", "ab"), "abcde") << "the first go no further";
    EXPECT_EQ(after("down", "bd"), "acbed");
    EXPECT_EQ(after("down", "de"), "abcde");
    EXPECT_EQ(after("up", ""), "abcde");
}

}  // namespace
}  // namespace dasgd::experiments
