#include "storage/read/labelled_runs.h"

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;

TEST(LabelledRuns, AQuerySeesThemWithTheirLabels) {
    OneRun run;
    run.finish();
    WorkspaceReader reader = run.reader();
    const auto count = [&](const std::vector<LabelledRun>& runs, const std::string& where) {
        return orDie(reader.firstRow(overRuns(runs, "SELECT count(*) FROM suite_runs " + where))).at(0);
    };
    EXPECT_EQ(count({{run.runId, "it's one"}}, "WHERE label = 'it''s one'"), 1);
    EXPECT_EQ(count({{run.runId, "it's one"}, {"none", "two"}}, ""), 1) << "of runs that the workspace has";
    EXPECT_EQ(count({}, ""), 0);
}

}  // namespace
}  // namespace dasgd::storage
