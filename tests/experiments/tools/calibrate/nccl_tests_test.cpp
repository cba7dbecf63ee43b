#include "experiments/tools/calibrate/nccl_tests.h"

#include <gmock/gmock.h>

#include <sstream>

#include "core/base/schema/toml_reader.h"
#include "experiments/config/calibrated_cluster.h"
#include "tests/support/nccl_tests_output.h"
#include "tests/support/runs.h"
#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using test::NcclOutput;
using ::testing::AllOf;
using ::testing::HasSubstr;

Result<NcclTests> readOutput(const std::string& text, const std::string& name = "output.txt") {
    const test::TempDir folder;
    return readNcclTests({folder.write(name, text).string()});
}

NcclTests readWhole(const std::string& text, const std::string& name = "output.txt") {
    return test::orDie(readOutput(text, name));
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST(NcclTestsOutput, GivesTheLinkOfEveryCollective) {
    const std::vector<std::pair<std::string, Collective>> programs{
        {"all_reduce_perf", Collective::AllReduce},
        {"reduce_scatter_perf_mpi", Collective::ReduceScatter},
        {"all_gather_perf", Collective::AllGather},
        {"sendrecv_perf", Collective::SendReceive},
        {"alltoall_perf", Collective::AllToAll}};
    for (const auto& [program, collective] : programs) {
        const NcclOutput output{.program = program, .collective = collective};
        const NcclTests tests = readWhole(output.text());
        EXPECT_EQ(tests.ranks, 8);
        ASSERT_EQ(tests.collectives.size(), 1U);
        EXPECT_EQ(tests.chosen().collective, collective);
        ASSERT_EQ(tests.chosen().rows.size(), 11U);
        EXPECT_EQ(tests.chosen().rows[3].bytes, 65536);
        // Hundredths of a microsecond are printed.
        EXPECT_NEAR(tests.link().alpha / output.alpha, 1, 2e-3);
        EXPECT_NEAR(tests.link().beta / output.beta, 1, 2e-3);
        EXPECT_LT(tests.chosen().fit.worst, 5e-3);
    }
}

TEST(NcclTestsOutput, TakesBothMeasurementsOfARow) {
    const NcclTests tests = readWhole(NcclOutput{.inPlace = 1.1}.text());
    const NcclRow& row = tests.chosen().rows.back();
    EXPECT_NEAR(row.inPlace / row.outOfPlace, 1.1, 1e-4);
    const CollectiveFit& fit = tests.chosen().fit;
    ASSERT_EQ(fit.residuals.size(), 2 * tests.chosen().rows.size());
    for (std::size_t i = 0; i < fit.residuals.size(); i += 2) {
        EXPECT_GT(fit.residuals[i], 0.04) << "the fit lies between them";
        EXPECT_LT(fit.residuals[i + 1], -0.04);
    }
}

// nccl-tests before 2.17 print no name of the test; those before 2.11 no root, and a relative error in place of #wrong.
TEST(NcclTestsOutput, ReadsOlderFormats) {
    const std::string rows =
        "     1048576        262144   float     sum    100.0   10.49   18.35  2e-07    101.0   10.38   18.17  0e+00\n"
        "     4194304       1048576   float     sum    400.0   10.49   18.35  2e-07    404.0   10.38   18.17  0e+00\n";
    const std::string header =
        "# nThread 1 nGpus 8 minBytes 1048576 maxBytes 4194304 step: 4(factor) warmup iters: 5 iters: 20 validation: "
        "1\n"
        "#\n# Using devices\n";
    std::string ranks;
    for (int rank = 0; rank < 8; ++rank)
        ranks += "#   Rank  " + std::to_string(rank) + " Pid 1320 on node device 0 [0x00] V100\n";
    const std::string names =
        "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n";
    const NcclTests tests =
        readWhole("$ mpirun -np 8 ./build/all_reduce_perf -b 1M -e 4M -f 4\n" + header + ranks + names + rows);
    EXPECT_EQ(tests.chosen().collective, Collective::AllReduce);
    EXPECT_DOUBLE_EQ(tests.chosen().rows[0].outOfPlace, 100e-6);
    EXPECT_DOUBLE_EQ(tests.chosen().rows[1].inPlace, 404e-6);
    EXPECT_EQ(readWhole(header + ranks + names + rows, "all_reduce_perf-8.log").chosen().collective,
              Collective::AllReduce)
        << "by the name of the file";
    EXPECT_THAT(readOutput(header + ranks + names + rows).error().message,
                AllOf(HasSubstr("output.txt:12: nothing says which test"), HasSubstr("Collective test starting")));
}

TEST(NcclTestsOutput, ReadsWhatOtherProgramsPutAround) {
    std::string text;
    std::istringstream lines("Warning: added 'node' to the list of known hosts.\n15 more processes have sent help\n" +
                             NcclOutput{}.text());
    for (std::string line; std::getline(lines, line);) text += "[1,0]<stdout>:" + line + "\r\n";
    text = replaced(text, "[1,0]<stdout>:       16384",
                    "[1,0]<stdout>:node:21:21 [0] NCCL INFO Channel 00\n[1,0]<stdout>:       16384");
    const NcclTests tests = readWhole(text);
    EXPECT_EQ(tests.chosen().rows.size(), 11U);
    EXPECT_EQ(tests.passedOver, 1U);
}

TEST(NcclTestsOutput, FindsColumnsByTheirNames) {
    std::string text = replaced(
        NcclOutput{}.header(), "busbw  #wrong     time   algbw   busbw  #wrong",
        "busbw  #wrong i_min i_max i_p99 i_cv%     time   algbw   busbw  #wrong i_min i_max i_p99 i_cv% timestamp");
    text +=
        " 1048576 262144 float sum -1 100.0 10.49 18.35 0 99 101 101 0.5 101.0 10.38 18.17 N/A 99 101 101 0.5 "
        "2026-11-01 10:00:00\n"
        " 4194304 1048576 float sum -1 400.0 10.49 18.35 0 99 101 101 0.5 404.0 10.38 18.17 N/A 99 101 101 0.5 "
        "2026-11-01 10:00:01\n";
    const NcclTests tests = readWhole(text);
    EXPECT_DOUBLE_EQ(tests.chosen().rows[1].inPlace, 404e-6);
}

TEST(NcclTestsOutput, JoinsTablesAndPrefersTheAllReduce) {
    const test::TempDir folder;
    const NcclOutput gather{.program = "all_gather_perf", .collective = Collective::AllGather, .alpha = 5e-6};
    const std::string small = NcclOutput{.mostBytes = 1 << 16}.text(), large = NcclOutput{.leastBytes = 1 << 18}.text();
    const auto first = folder.write("gather-and-small.txt", gather.text() + small),
               second = folder.write("large.txt", large);
    const NcclTests tests = test::orDie(readNcclTests({first.string(), second.string()}));
    ASSERT_EQ(tests.collectives.size(), 2U);
    EXPECT_EQ(tests.chosen().collective, Collective::AllReduce);
    EXPECT_EQ(tests.chosen().rows.size(), 11U);
    EXPECT_NEAR(tests.link().alpha / 2e-6, 1, 2e-3);
    EXPECT_NEAR(tests.collectives[1].fit.alpha / 5e-6, 1, 2e-3);
    const std::string document = calibrationDocument(tests, {"a/gather.txt", "large.txt"});
    EXPECT_THAT(document, AllOf(HasSubstr("8 GPUs by nccl-tests: gather.txt, large.txt"),
                                HasSubstr("those of the all-reduce"), HasSubstr("workers = 8")));
    Value experiment = test::orDie(parseToml("[compute]\nstep_time = \"5ms\"\n", "e.toml"));
    ASSERT_TRUE(applyCalibration(experiment, test::orDie(parseToml(document, "c.toml"))));
    EXPECT_EQ(*experiment.find("compute")->find("step_time")->as<std::string>(), "5ms");
    EXPECT_EQ(*experiment.find("network")->find("name")->as<std::string>(), "star");
}

// reduce_scatter_perf rounds small sizes down to nothing.
TEST(NcclTestsOutput, CountsRowsOfNoBytes) {
    const std::string row =
        "           0             0     float     sum      -1     5.70    0.00    0.00      0     5.54    0.00    0.00 "
        "     0\n";
    const NcclTests tests = readWhole(replaced(NcclOutput{}.text(), NcclOutput{}.row(1024), row));
    EXPECT_EQ(tests.emptyRows, 1U);
    EXPECT_EQ(tests.chosen().rows.size(), 10U);
}

TEST(NcclTestsOutput, RefusesBadLinesWithTheirNumbers) {
    const std::string whole = NcclOutput{}.text(), row = NcclOutput{}.row(16384);
    const auto refusal = [](const std::string& text) {
        const auto read = readOutput(text);
        return read ? "" : read.error().message;
    };
    ASSERT_EQ(refusal(whole), "");
    EXPECT_THAT(refusal(replaced(whole, row, "       16384          4096     float     sum\n")),
                AllOf(HasSubstr("output.txt:20: this row has 4 columns and the line of names above it 13"),
                      HasSubstr("copy it whole")));
    const auto withWord = [&](std::size_t column, const std::string& word) {
        std::istringstream words(row);
        std::string made, one;
        for (std::size_t i = 0; words >> one; ++i) made += " " + (i == column ? word : one);
        return replaced(whole, row, made + "\n");
    };
    EXPECT_THAT(refusal(withWord(5, "nan")),
                HasSubstr("output.txt:20: time is nan, no number of microseconds above 0"));
    EXPECT_THAT(refusal(withWord(9, "0.00")), HasSubstr("time is 0.00, no number"));
    EXPECT_THAT(refusal(withWord(5, "2x.0")), HasSubstr("time is 2x.0, no number"));
    EXPECT_THAT(refusal(withWord(6, "9.99")), HasSubstr("output.txt:20: algbw is 9.99 GB/s, and size ÷ time 0.5"));
    EXPECT_THAT(refusal(withWord(7, "0.50")),
                AllOf(HasSubstr("busbw ÷ algbw is"), HasSubstr("1.75 for all_reduce_perf among 8 ranks")));
    EXPECT_THAT(refusal(withWord(7, "fast")), HasSubstr("algbw or busbw is no number"));
    EXPECT_THAT(refusal(withWord(12, "3")), HasSubstr("#wrong is 3; times of a fabric or driver that computes wrong"));
    EXPECT_THAT(refusal(replaced(whole, ": 0 OK", ": 7 FAILED")), HasSubstr("found wrong values"));
    EXPECT_THAT(refusal(replaced(whole, "Rank 3 Group  0", "Rank 3 Group  1")), HasSubstr("without NCCL_TESTS_SPLIT"));
    EXPECT_THAT(refusal(replaced(whole, "Rank 1 ", "Rank 0 ")), HasSubstr("must be built with MPI=1"));
    EXPECT_THAT(refusal(replaced(whole, "   time   algbw   busbw  #wrong     time",
                                 "cputime   algbw   busbw  #wrong  cputime")),
                HasSubstr("lack time, algbw or busbw"));
    EXPECT_THAT(refusal(replaced(whole, "all_reduce_perf", "hypercube_perf")),
                HasSubstr("output.txt:2: the test hypercube_perf has no model"));
    EXPECT_THAT(refusal(replaced(whole, "all_reduce_perf", "reduce_scatter_perf")),
                HasSubstr("0.875 for reduce_scatter_perf among 8 ranks; is the table of another test"));
    EXPECT_THAT(refusal(NcclOutput{.ranks = 1}.text()), HasSubstr("one rank sends nothing"));
    EXPECT_THAT(refusal(whole + NcclOutput{.ranks = 4}.text()), HasSubstr("of 4 ranks and one before it of 8"));
    EXPECT_THAT(refusal(NcclOutput{}.header()), HasSubstr("no row of a table"));
    EXPECT_THAT(refusal(NcclOutput{}.header() + row),
                AllOf(HasSubstr("all_reduce_perf: "), HasSubstr("two sizes"), HasSubstr("-f 2")));
    EXPECT_THAT(readNcclTests({"nowhere.txt"}).error().message, HasSubstr("nowhere.txt: cannot be read"));
}

}  // namespace
}  // namespace dasgd::experiments
