// The whole way: TOML → run → CSV.
#include "experiments/tools/report/csv_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CsvExport, HasEveryRecord) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const test::Ended ended = folder.run({"export", "2", "-w", "w", "--csv", "out"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    auto reader = storage::SpanReader::open(folder.workspace());
    const std::string loss = test::contentOf(folder.path() / "out" / "train_loss.csv");
    EXPECT_THAT(loss, StartsWith("run_id,rank,name,step,epoch,wall_s,samples,bytes_sent,value\r\n"));
    EXPECT_EQ(std::count(loss.begin(), loss.end(), '\n'), 1 + 2 * 30);
    EXPECT_THAT(loss, HasSubstr(folder.firstRun() + ",1,train/loss,30,"));
    const std::string spans = test::contentOf(folder.path() / "out" / "spans.csv");
    EXPECT_EQ(std::count(spans.begin(), spans.end(), '\n'), 1 + *reader->count(folder.firstRun()));
    EXPECT_THAT(spans, HasSubstr(",comm,transfer,"));
}

TEST(CsvExport, MakesFileNamesOfAnyMetric) {
    EXPECT_EQ(fileNameFor("train/loss"), "train_loss");
    EXPECT_EQ(fileNameFor("../../etc/passwd"), "______etc_passwd");
    EXPECT_EQ(fileNameFor(""), "_");
    EXPECT_EQ(fileNameFor(std::string(500, 'x')).size(), 200u);
}

}  // namespace
}  // namespace dasgd::experiments
