#include "experiments/tools/traces/import/trace_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "storage/write/imported_run.h"
#include "tests/experiments/tools/traces/trace_files.h"

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
    // The trace does not tell these numbers, so they are not known; 0 would flatter.
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
    const auto runs = test::orDie(test::orDie(storage::RunReader::open(folder_.workspace())).list());
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].status, "failed");
    const auto none =
        importTraces({.files = {file}, .workspace = folder_.workspace(), .cancelled = [] { return true; }});
    EXPECT_FALSE(none);
    EXPECT_EQ(test::orDie(test::orDie(storage::RunReader::open(folder_.workspace())).list()).size(), 1U)
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

// Values by hand: a collective of 5 ms on gloo's thread, beside the spans of the other threads.
TEST_F(TraceImportTest, ACollectivesOwnCallHidesNothing) {
    const std::string work = test::slice("gloo:all_reduce", "user_annotation", "2", "3100", "5000");
    const auto op = [](const char* name, const char* start, const char* length, const char* thread = "1") {
        return test::slice(name, "cpu_op", thread, start, length);
    };
    const char* kAccumulate = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";
    struct Case {
        const char* name;
        std::vector<std::string> events;
        double hidden;
    };
    const std::vector<Case> cases{
        {"functional: the wait alone", {op("_c10d_functional::wait_tensor", "3110", "5000")}, 0},
        {"functional: the wait inside of a tensor subclass's division",
         {op("aten::div", "3050", "5400"), op("PythonSubclass", "3060", "5200"),
          op("_c10d_functional::wait_tensor", "3110", "5000"), op("aten::div", "8300", "100")},
         0},
        {"a hook that waits in the call", {op(kAccumulate, "3000", "5200"), op("c10d::allreduce_", "3100", "5000")}, 0},
        {"a hook that waits without a frame",
         {op(kAccumulate, "3000", "5200"), op("c10d::allreduce_", "3050", "40")},
         0},
        {"a hook, then a backward operator of 1 ms beside the collective",
         {op(kAccumulate, "3000", "200"), op("c10d::allreduce_", "3050", "100"),
          op("autograd::engine::evaluate_function: AddmmBackward0", "3600", "1000")},
         0.2},
        {"the library's own copies inside of its work", {op("aten::copy_", "4000", "3000", "2")}, 0},
        {"half of it beside an operator", {op("aten::mm", "3100", "2500")}, 0.5},
        {"nothing", {}, 0},
        {"compiled code beside the first 2 ms, then its wait",
         {op("Torch-Compiled Region: 0/0", "3000", "5100"), op("_c10d_functional::wait_tensor", "5100", "3000")},
         0.4}};
    for (const Case& one : cases) {
        std::vector<std::string> events = one.events;
        events.push_back(test::slice("aten::mm", "cpu_op", "1", "0", "3000"));
        events.push_back(work);
        const storage::RunRow row = folder_.row(import({folder_.write("t.json", test::cpuTrace(events))}));
        ASSERT_TRUE(row.hidden) << one.name;
        EXPECT_NEAR(*row.hidden, one.hidden, 1e-9) << one.name;
    }
}

// Four steps of which each has a collective of 5 ms on gloo's thread, with the library's own copy inside, and a main
// thread that waits. Before them stands what the profiler saw of a collective that was under way when it began.
TEST_F(TraceImportTest, WhatStoodFirstOnAThreadDoesNotSayWhatItIs) {
    const auto op = [](const char* name, int start, int length, const char* thread) {
        return test::slice(name, "cpu_op", thread, std::to_string(start), std::to_string(length));
    };
    const auto hidden = [&](std::vector<std::string> events) {
        return folder_.row(import({folder_.write("t.json", test::cpuTrace(events))})).hidden.value_or(-1);
    };
    std::vector<std::string> stray{op("aten::copy_", 0, 50, "2")}, early;
    for (int at = 100; at < 8100; at += 2000) {
        stray.push_back(test::slice("gloo:all_reduce", "user_annotation", "2", std::to_string(at), "1000"));
        stray.push_back(op("aten::copy_", at + 200, 600, "2"));
        stray.push_back(op("_c10d_functional::wait_tensor", at + 10, 990, "1"));
    }
    EXPECT_NEAR(hidden(stray), 0, 1e-9) << "0.6 was told";
    // On a thread that computes and tells the works that it began: 500 of 1,000 µs beside each.
    for (int at = 0; at < 8000; at += 2000) {
        early.push_back(test::slice("gloo:all_reduce", "user_annotation", "1", std::to_string(at), "1000"));
        early.push_back(op("aten::mm", at + 200, 500, "1"));
        early.push_back(op("aten::mm", at + 1100, 800, "1"));
    }
    EXPECT_NEAR(hidden(early), 0.5, 1e-9) << "0 was told";
}

// One thread of compiled code that begins a collective of 7,990 µs, computes for 6,900 µs and then waits for it.
TEST_F(TraceImportTest, CompiledCodeHidesAnAsynchronousCollective) {
    const auto op = [](const char* name, const char* start, const char* length) {
        return test::slice(name, "cpu_op", "1", start, length);
    };
    const storage::RunRow row = folder_.row(import(
        {folder_.write("t.json", test::cpuTrace({op("Torch-Compiled Region: 0/0", "0", "10000"),
                                                 op("_c10d_functional::all_reduce", "1000", "100"),
                                                 test::slice("gloo:all_reduce", "user_annotation", "1", "1010", "7990"),
                                                 op("_c10d_functional::wait_tensor", "8000", "1000")}))}));
    EXPECT_NEAR(row.hidden.value_or(-1), 6900.0 / 7990, 1e-9) << "0 was told";
}

// A hang of 30 minutes is what such a trace is made for.
TEST_F(TraceImportTest, ASliceThatOutlastsAllOthersIsKeptAndSaid) {
    const ImportOutcome outcome = import({folder_.write("t.json", R"([
        {"ph":"X","name":"work","pid":1,"tid":1,"ts":0,"dur":5},
        {"ph":"X","name":"hangs","pid":1,"tid":2,"ts":5,"dur":1800000000}])")});
    EXPECT_THAT(folder_.lines(outcome),
                ElementsAre("0 compute other 0 0..5000 work", "0 compute other 0 5000..1800000005000 hangs"));
    EXPECT_TRUE(outcome.dropped.empty());
    EXPECT_EQ(outcome.remarks.at("slices that go on for more than 10 minutes after the last one began"), 1);
}

// ROCm gives a kernel the time until somebody noticed its end.
TEST_F(TraceImportTest, AKernelEndsWhereTheNextOfItsStreamBegins) {
    const auto kernel = [](const char* name, const char* stream, const char* start, const char* length) {
        return test::slice(name, "kernel", stream, start, length);
    };
    const storage::RunRow row = folder_.row(import({folder_.write(
        "rocm.json",
        test::pytorchTrace(0, 1,
                           {kernel("gemm", "7", "1000", "20"), kernel("fmha_bwd", "7", "1020", "1600000000"),
                            kernel("next", "7", "1030", "0.5"), kernel("ncclDevKernel", "20", "1020", "20")}))}));
    EXPECT_NEAR(*row.hidden, 0.525, 1e-9) << "10 and 0.5 of 20 µs";
    EXPECT_NEAR(row.wallS, 200e-6, 1e-9);
}

TEST_F(TraceImportTest, OperatorsAreNoWorkOfOneRankWhereOthersHaveKernels) {
    const ImportOutcome outcome = import(
        {folder_.write("a.json", test::pytorchTrace(0, 2, {test::slice("gemm", "kernel", "7", "1000", "10")})),
         folder_.write("b.json", test::pytorchTrace(1, 2, {test::slice("aten::mm", "cpu_op", "1", "1000", "10")}))});
    EXPECT_EQ(outcome.remarks.at("files without kernels beside others that have them"), 1);
    EXPECT_EQ(outcome.leftOut.at("operators of a host that has kernels"), 1);
}

TEST_F(TraceImportTest, AnInstantOfZeroMakesNoRunOfWeeks) {
    std::vector<std::string> events{test::slice("gemm", "kernel", "7", "0", "1"),
                                    test::slice("far", "user_annotation", "9", "1700000001000", "1700000000000")};
    for (int i = 0; i < 9; ++i) {
        events.push_back(test::slice("gemm", "kernel", "7", std::to_string(1'700'000'001'000 + 20 * i), "10"));
    }
    std::string text;
    for (const std::string& event : events) text += (text.empty() ? "" : ",") + event;
    const ImportOutcome outcome =
        import({folder_.write("t.json", R"({"schemaVersion":1,"traceEvents":[)" + text + "]}")});
    EXPECT_EQ(outcome.dropped.at("slices more than a day away from all others"), 2);
    const auto lines = folder_.lines(outcome);
    ASSERT_EQ(lines.size(), 9U);
    EXPECT_EQ(lines.front(), "0 compute compute 0 0..10000 gemm");
    EXPECT_EQ(lines.back(), "0 compute compute 0 160000..170000 gemm");
}

TEST_F(TraceImportTest, FilesWithoutACommonClockBeginTogether) {
    const auto trace = [](int rank, const char* at) {
        return R"({"schemaVersion":1,"distributedInfo":{"rank":)" + std::to_string(rank) +
               R"(,"world_size":2},"traceEvents":[)" + test::slice("ncclKernel", "kernel", "20", at, "30") + "]}";
    };
    const ImportOutcome outcome =
        import({folder_.write("a.json", trace(0, "1000")), folder_.write("b.json", trace(1, "1700000000000"))});
    EXPECT_THAT(folder_.lines(outcome),
                ElementsAre("0 comm transfer 0 0..30000 ncclKernel", "1 comm transfer 0 0..30000 ncclKernel"));
    EXPECT_EQ(outcome.remarks.size(), 1U);
    EXPECT_FALSE(folder_.row(outcome).skewS);
}

TEST_F(TraceImportTest, RanksAreInTheNaturalOrderOfTheFiles) {
    std::vector<std::filesystem::path> files;
    for (const char* number : {"1", "10", "2"}) {
        files.push_back(folder_.write(std::string("rank") + number + ".json",
                                      R"({"schemaVersion":1,"traceEvents":[)" +
                                          test::slice(std::string("of rank") + number, "kernel", "7", "5", "1") +
                                          "]}"));
    }
    EXPECT_THAT(folder_.lines(import(files)),
                ElementsAre("0 compute compute 0 0..1000 of rank1", "1 compute compute 0 0..1000 of rank2",
                            "2 compute compute 0 0..1000 of rank10"));
    // Other programs give their processes any numbers.
    for (std::size_t i = 0; i < 3; ++i) {
        const char* number = std::array{"1", "10", "2"}[i];
        files[i] = folder_.write(std::string("p") + number + ".json",
                                 R"([{"ph":"X","name":"of p)" + std::string(number) + R"(","pid":)" +
                                     std::to_string(900 - 100 * i) + R"(,"tid":1,"ts":5,"dur":1}])");
    }
    EXPECT_THAT(folder_.lines(import(files)),
                ElementsAre("0 compute other 0 0..1000 of p1", "1 compute other 0 0..1000 of p2",
                            "2 compute other 0 0..1000 of p10"));
}

TEST_F(TraceImportTest, ARunOfWhichEventsAreMissingSaysSo) {
    const std::string bad = R"j({"ph":"X","cat":"kernel","name":"torch\cuda","pid":7,"tid":7,"ts":1001,"dur":1})j";
    const std::string text = test::pytorchTrace(0, 1, {bad, test::slice("gemm", "kernel", "7", "1010", "40"), bad});
    const ImportOutcome outcome = import({folder_.write("rank0.json", text)});
    EXPECT_EQ(outcome.spans, 3);
    EXPECT_EQ(outcome.dropped.at("events that are no JSON"), 2);
    const storage::RunRow row = folder_.row(outcome);
    EXPECT_EQ(row.status, "finished");
    EXPECT_EQ(row.error, "partly read: rank0.json: 2 events are no JSON");
    EXPECT_TRUE(isPartlyRead(row));
    const storage::RunRow cut = folder_.row(import({folder_.write("cut.json", text.substr(0, text.size() - 40))}));
    EXPECT_THAT(cut.error, HasSubstr("partly read: cut.json: 2 events are no JSON, and it is cut off at byte"));
}

// The last window of the run ends before an evaluation; the other ones are whole.
TEST_F(TraceImportTest, CountsEveryStepOfAnExportedRun) {
    const auto exported = [](const char* steps) {
        return std::string(R"({"otherData":{"run":"r","experiment":"e","algorithm":"a")") + steps +
               R"(},"traceEvents":[
            {"ph":"X","pid":0,"tid":1,"name":"forward","cat":"compute","ts":0,"dur":5,"args":{"step":600}},
            {"ph":"X","pid":0,"tid":2,"name":"window","cat":"io","ts":0,"dur":5,"args":{"step":599,"bytes":9}}]})";
    };
    EXPECT_EQ(import({folder_.write("old.json", exported(""))}).steps, 600) << "by the newest span";
    EXPECT_EQ(import({folder_.write("new.json", exported(R"(,"steps":620)"))}).steps, 620);
    EXPECT_EQ(import({folder_.write("bad.json", exported(R"(,"steps":9000000000000000000)"))}).steps, 600);
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

// Ranks of processes are those that they state, over all files together, or else their places.
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
    EXPECT_TRUE(test::orDie(test::orDie(storage::RunReader::open(folder_.workspace())).list()).empty());
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
