#include "gui/runs/model/run_origin.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

TEST(RunOrigin, NamesWhatWasRecorded) {
    storage::RunDetail run;
    run.row.gitCommit = "0123456789abcdef";
    run.gitDirty = true;
    run.host = "node1";
    run.hardware = {{.kind = storage::kGpu, .name = "NVIDIA H200", .memoryBytes = 150.8e9},
                    {.kind = storage::kNic, .name = "eth0", .bitsPerS = 25e9}};
    run.link = "200Mbps, 1ms";
    run.linkEmulated = true;
    run.versions = R"({"gloo": "0.5", "torch": "2.11.0"})";
    const std::vector<std::pair<QString, QString>> expected{
        {QStringLiteral("commit"), QStringLiteral("0123456789ab, with uncommitted changes")},
        {QStringLiteral("host"), QStringLiteral("node1")},
        {QStringLiteral("host GPUs"), QStringLiteral("NVIDIA H200, 150.8 GB")},
        {QStringLiteral("host NICs"), QStringLiteral("eth0 25 Gbit/s")},
        {QStringLiteral("link"), QStringLiteral("200Mbps, 1ms (emulated)")},
        {QStringLiteral("libraries"), QStringLiteral("gloo 0.5, torch 2.11.0")}};
    EXPECT_EQ(originOf(run), expected);
    EXPECT_TRUE(originOf({}).empty());
}

// The record of a run that waits has the time at which it was queued.
TEST(RunOrigin, ARunThatWaitsHasNotStarted) {
    storage::RunDetail run;
    run.row.startedAt = "2026-11-26T19:05:31.000Z";
    run.row.status = "queued";
    ASSERT_EQ(originOf(run).size(), 1U);
    EXPECT_EQ(originOf(run).front().first, QStringLiteral("queued"));
    run.waitsFor = "4 cores, while run-a trains";
    ASSERT_EQ(originOf(run).size(), 2U);
    EXPECT_EQ(originOf(run).back(),
              std::pair(QStringLiteral("waits for"), QStringLiteral("4 cores, while run-a trains")));
    run.waitsFor.clear();
    run.row.status = "running";
    EXPECT_EQ(originOf(run).front().first, QStringLiteral("started"));
    run.row.status = "stopped";
    EXPECT_EQ(originOf(run).front().first, QStringLiteral("queued")) << "it was taken out before it started";
    run.row.endedAt = "2026-11-26T19:06:31.000Z";
    EXPECT_EQ(originOf(run).front().first, QStringLiteral("started"));
}

TEST(RunOrigin, NamesTheRunThatItGoesOnFrom) {
    storage::RunDetail run;
    run.row.resumedFrom = "run-a";
    run.row.resumedStep = 400;
    const std::vector<std::pair<QString, QString>> expected{
        {QStringLiteral("resumed from"), QStringLiteral("run-a, step 400")}};
    EXPECT_EQ(originOf(run), expected);
}

}  // namespace
}  // namespace dasgd::gui
