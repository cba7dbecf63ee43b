#include "experiments/trace/trace_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/experiments/trace/trace_files.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class TraceImportTest : public ::testing::Test {
protected:
    ImportOutcome import(const std::vector<std::filesystem::path>& files) {
        auto outcome = folder_.import(files);
        EXPECT_TRUE(outcome) << outcome.error().message;
        return outcome ? *outcome : ImportOutcome{};
    }
    test::ImportFolder folder_;
};

TEST_F(TraceImportTest, TakesKernelsAndStepsOfPyTorchWithTheirNames) {
    const auto file = folder_.write(
        "rank0.json", test::pytorchTrace(0, 1,
                                         {test::slice("aten::mm", "cpu_op", "1", "1001", "90"),
                                          test::slice("gemm_kernel<float>", "kernel", "7", "1010.5", "40"),
                                          test::slice("ncclDevKernel_AllReduce_Sum_f32", "kernel", "20", "1030.5", "40",
                                                      R"("In msg nelems":1000,"dtype":"Float")"),
                                          test::slice("Memcpy HtoD", "gpu_memcpy", "7", "1100", "2"),
                                          test::slice("cudaLaunchKernel", "cuda_runtime", "1", "1002", "1")}));
    const ImportOutcome outcome = import({file});
    EXPECT_THAT(folder_.lines(outcome),
                ElementsAre("0 io window 11 0..100000", "0 compute compute 11 10500..50500 gemm_kernel<float>",
                            "0 comm transfer 11 30500..70500 ncclDevKernel_AllReduce_Sum_f32",
                            "0 io window 12 100000..200000", "0 io other 12 100000..102000 Memcpy HtoD"));
    EXPECT_THAT(outcome.leftOut, UnorderedElementsAre(Pair("operators of a host that has kernels", 1),
                                                      Pair("slices of the category cuda_runtime", 1)));
    const storage::RunRow row = folder_.row(outcome);
    EXPECT_TRUE(row.imported());
    EXPECT_EQ(row.status, "finished");
    EXPECT_EQ(row.algorithm, "imported");
    EXPECT_EQ(row.steps, 2);
    EXPECT_EQ(row.bytesSent, 0);
    EXPECT_NEAR(*row.hidden, 0.5, 1e-9);
    // The trace cannot tell these, and 0 would be a boast.
    EXPECT_FALSE(row.blockedS || row.skewS || row.inflation || row.stepMs || row.samplesPerS);
    EXPECT_THAT(row.config, HasSubstr("format = \"PyTorch profiler\""));
}

TEST_F(TraceImportTest, OneThatIsCancelledIsAFailedRun) {
    const auto file = folder_.write(
        "rank0.json", test::pytorchTrace(0, 1, {test::slice("gemm_kernel<float>", "kernel", "7", "1010.5", "40")}));
    int asked = 0;
    const auto outcome = importTraces(
        {.files = {file}, .workspace = folder_.workspace(), .cancelled = [&asked] { return asked++ > 0; }});
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().message, HasSubstr("cancelled"));
    const auto runs = test::orDie(test::orDie(storage::RunReader::open(folder_.workspace())).runs());
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].status, "failed");
    const auto none =
        importTraces({.files = {file}, .workspace = folder_.workspace(), .cancelled = [] { return true; }});
    EXPECT_FALSE(none);
    EXPECT_EQ(test::orDie(test::orDie(storage::RunReader::open(folder_.workspace())).runs()).size(), 1U)
        << "before it has begun there is no run";
}

TEST_F(TraceImportTest, TakesTheOutermostOperatorsWhereThereAreNoKernels) {
    const auto file = folder_.write(
        "rank0.json", test::pytorchTrace(0, 1,
                                         {test::slice("aten::conv2d", "cpu_op", "1", "1001", "30"),
                                          test::slice("aten::mm", "cpu_op", "1", "1002", "10"),
                                          test::slice("autograd::engine::evaluate_function: AddBackward0", "cpu_op",
                                                      "2", "1040", "20"),
                                          test::slice("Optimizer.step#SGD.step", "user_annotation", "1", "1070", "10"),
                                          test::slice("aten::add_", "cpu_op", "1", "1072", "3"),
                                          test::slice("mine", "user_annotation", "1", "1001", "80"),
                                          test::slice("c10d::allreduce_", "cpu_op", "1", "1036", "2"),
                                          test::slice("gloo:all_reduce", "user_annotation", "1", "1036", "14")}));
    const ImportOutcome outcome = import({file});
    EXPECT_THAT(
        folder_.lines(outcome),
        ElementsAre("0 io window 11 0..100000", "0 compute compute 11 1000..31000 aten::conv2d",
                    "0 io other 11 1000..81000 mine", "0 comm transfer 11 36000..50000 gloo:all_reduce",
                    "0 compute backward 11 40000..60000 autograd::engine::evaluate_function: AddBackward0",
                    "0 compute update 11 70000..80000 Optimizer.step#SGD.step", "0 io window 12 100000..200000"));
    EXPECT_EQ(outcome.leftOut.at("slices inside of others of their thread"), 2);
    EXPECT_EQ(outcome.leftOut.at("calls of collectives whose time is there apart"), 1);
}

TEST_F(TraceImportTest, DividesCollectivesWhereAllRanksAreThere) {
    const auto trace = [](int rank, const char* start, const char* length) {
        return test::pytorchTrace(rank, 2, {test::slice("ncclKernel", "kernel", "20", start, length)});
    };
    const ImportOutcome outcome =
        import({folder_.write("b.json", trace(1, "1020", "30")), folder_.write("a.json", trace(0, "1010", "41"))});
    EXPECT_EQ(outcome.ranks, 2);
    EXPECT_THAT(
        folder_.lines(outcome),
        ElementsAre("0 io window 11 0..100000", "1 io window 11 0..100000", "0 comm skew 11 10000..20000 ncclKernel",
                    "0 comm transfer 11 20000..51000 ncclKernel", "1 comm transfer 11 20000..50000 ncclKernel",
                    "0 io window 12 100000..200000", "1 io window 12 100000..200000"));
    EXPECT_NEAR(*folder_.row(outcome).skewS, 5e-6, 1e-12) << "mean over both";
}

TEST_F(TraceImportTest, DividesNothingByClocksThatContradictEachOther) {
    const auto trace = [](int rank, const char* start) {
        return test::pytorchTrace(rank, 2, {test::slice("ncclKernel", "kernel", "20", start, "5")});
    };
    const ImportOutcome outcome =
        import({folder_.write("a.json", trace(0, "1010")), folder_.write("b.json", trace(1, "1090"))});
    EXPECT_THAT(folder_.lines(outcome), ::testing::Contains("0 comm transfer 11 10000..15000 ncclKernel"));
    EXPECT_EQ(outcome.remarks.at("collectives that end before all ranks are there, by clocks that differ"), 1);
    EXPECT_FALSE(folder_.row(outcome).skewS);
}

TEST_F(TraceImportTest, TakesAnyOtherTraceAsOther) {
    const ImportOutcome outcome =
        import({folder_.write("any.json", R"([{"ph":"B","name":"outer","pid":"b","tid":1,"ts":5},
                       {"ph":"X","name":"inner","pid":"b","tid":1,"ts":6,"dur":1},
                       {"ph":"E","pid":"b","tid":1,"ts":9},
                       {"ph":"X","name":"beside","pid":3,"tid":1,"ts":5,"dur":1},
                       {"ph":"i","name":"mark","pid":3,"tid":1,"ts":5},
                       {"ph":"C","name":"count","pid":3,"ts":5,"args":{"value":3}}])")});
    EXPECT_THAT(folder_.lines(outcome),
                ElementsAre("0 compute other 0 0..1000 beside", "1 compute other 0 0..4000 outer"));
    EXPECT_EQ(outcome.steps, 0);
    EXPECT_THAT(outcome.leftOut, UnorderedElementsAre(Pair("marks", 1), Pair("values of counters", 1),
                                                      Pair("slices inside of others of their thread", 1)));
    EXPECT_FALSE(folder_.row(outcome).hidden);
}

// Their ranks are those that they say, of all files together, or their places.
TEST_F(TraceImportTest, ProcessesOfSeveralFilesAreRanksOfTheirOwn) {
    const auto named = [&](const char* file, const char* name) {
        return folder_.write(file, std::string(R"([{"ph":"M","name":"process_name","pid":7,"args":{"name":")") + name +
                                       R"("}},{"ph":"X","name":"work","pid":7,"tid":1,"ts":0,"dur":1}])");
    };
    EXPECT_THAT(
        folder_.lines(import({named("a.json", "rank 0"), named("b.json", "rank 1"), named("c.json", "rank 2")})),
        ElementsAre("0 compute other 0 0..1000 work", "1 compute other 0 0..1000 work",
                    "2 compute other 0 0..1000 work"));
    EXPECT_THAT(folder_.lines(import({named("a.json", "rank 1"), named("b.json", "rank 1")})),
                ElementsAre("0 compute other 0 0..1000 work", "1 compute other 0 0..1000 work"))
        << "two that say the same are two all the same";
}

TEST_F(TraceImportTest, KeepsInstantsThatADoubleCannotHold) {
    // 2^53 µs and one ns more.
    const ImportOutcome outcome =
        import({folder_.write("late.json", R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":9007199254740993.001,"dur":1},
                         {"ph":"X","name":"b","pid":1,"tid":1,"ts":9007199254740996,"dur":0.0005}])")});
    EXPECT_THAT(folder_.lines(outcome), ElementsAre("0 compute other 0 0..1000 a", "0 compute other 0 2999..3000 b"));
}

TEST_F(TraceImportTest, LoadsWhatItCanOfADamagedFileAndSaysTheRest) {
    std::string text = R"([{"ph":"X","name":"good","pid":1,"tid":1,"ts":1,"dur":4},
        {"ph":"X","name":"no end","pid":1,"tid":1,"ts":2},
        {"ph":"B","name":"never ends","pid":1,"tid":1,"ts":2},
        {"ph":"E","pid":1,"tid":9,"ts":2},
        {"ph":"X","name":"backwards","pid":1,"tid":1,"ts":2,"dur":-4},
        {"ph":"X","name":"when?","pid":1,"tid":1,"ts":"soon","dur":4},
        {"ph":"X","name":"overlaps","pid":1,"tid":1,"ts":3,"dur":4},
        {"ph":"X","name":"bad )";
    text += "\xff\xc3(\xe2\x82";
    text += R"( name","pid":1,"tid":2,"ts":4,"dur":1},
        {"ph":"X","name":"line)";
    text += "\n\x01";
    text += R"(feed","pid":1,"tid":3,"ts":5,"dur":1},
        {"ph":"X","name":"cut off he)";
    const ImportOutcome outcome = import({folder_.write("bad.json", text)});
    EXPECT_THAT(folder_.lines(outcome),
                ElementsAre("0 compute other 0 0..4000 good", "0 compute other 0 2000..6000 overlaps",
                            "0 compute other 0 3000..4000 bad ?"
                            "?(?"
                            "? name",
                            "0 compute other 0 4000..5000 line  feed"));
    EXPECT_THAT(outcome.dropped,
                UnorderedElementsAre(Pair("slices without an end", 2), Pair("ends without a beginning", 1),
                                     Pair("slices that end before they begin", 1),
                                     Pair("slices without an instant that can be read", 1)));
    EXPECT_EQ(outcome.remarks.at("slices that overlap another one of their thread"), 1);
    EXPECT_EQ(outcome.remarks.at("bytes that are not UTF-8"), 4);
    ASSERT_EQ(outcome.stopped.size(), 1U);
    EXPECT_THAT(outcome.stopped[0], HasSubstr("cut off at byte"));
    const std::string config = folder_.row(outcome).config;
    EXPECT_THAT(config, HasSubstr("dropped = 5"));
    EXPECT_THAT(config, HasSubstr("2 slices without an end"));
    EXPECT_THAT(config, HasSubstr("cut off at byte"));
}

TEST_F(TraceImportTest, RefusesWhatIsNoTraceAndLeavesNoRun) {
    for (const std::string text :
         {"", "hello", "{}", "[]", "{\"traceEvents\":[]}", "\x1f\x8b\x08 broken", "\n\x02\x08\x01"}) {
        const auto outcome = folder_.import({folder_.write("no.json", text)});
        ASSERT_FALSE(outcome) << text;
        EXPECT_THAT(outcome.error().message, HasSubstr("no.json"));
    }
    EXPECT_FALSE(folder_.import({folder_.path() / "absent.json"}));
    EXPECT_FALSE(folder_.import({folder_.path()}));
    EXPECT_TRUE(test::orDie(test::orDie(storage::RunReader::open(folder_.workspace())).runs()).empty());
}

TEST_F(TraceImportTest, RefusesTwoFilesOfOneRank) {
    const std::string trace = test::pytorchTrace(1, 2, {});
    const auto outcome = folder_.import({folder_.write("a.json", trace), folder_.write("b.json", trace)});
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().message, HasSubstr("are both of rank 1"));
}

TEST_F(TraceImportTest, SurvivesAnyCutAndAnyFlippedByte) {
    const std::string whole = test::pytorchTrace(
        0, 1, {test::slice("a", "kernel", "7", "1010.5", "40"), test::slice("nccl", "kernel", "8", "1030.5", "40")});
    std::size_t before = 0;
    for (std::size_t length = 0; length <= whole.size(); length += 23) {
        const auto outcome = folder_.import({folder_.write("cut.json", whole.substr(0, length))});
        if (!outcome) continue;
        EXPECT_GE(static_cast<std::size_t>(outcome->spans), before) << "at " << length;
        before = static_cast<std::size_t>(outcome->spans);
    }
    EXPECT_EQ(before, 4U);
    const std::string packed = test::gzipped(whole);
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
        std::string text = i % 2 == 0 ? whole : packed;
        text[random() % text.size()] = static_cast<char>(random());
        static_cast<void>(folder_.import({folder_.write("flipped.json", text)}));
        static_cast<void>(folder_.import({folder_.write("cut.gz", packed.substr(0, random() % packed.size()))}));
    }
}

}  // namespace
}  // namespace dasgd::experiments
