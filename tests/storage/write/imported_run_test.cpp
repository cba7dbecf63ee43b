#include "storage/write/imported_run.h"

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

Span spanAt(Ns start, SpanKind kind = SpanKind::Compute, Lane lane = Lane::Compute) {
    return {.lane = lane, .kind = kind, .step = 1, .start = start, .end = start + 10};
}

class ImportedRunTest : public ::testing::Test {
protected:
    std::unique_ptr<ImportedRun> begin(const char* id) {
        return test::orDie(ImportedRun::begin(store_, test::runInfo(id)));
    }
    WorkspaceReader reader() { return test::orDie(WorkspaceReader::open(store_.paths().root)); }

    test::TempDir folder_;
    Store store_ = test::orDie(Store::open(folder_ / "w"));
};

TEST_F(ImportedRunTest, KeepsNamesAndGetsLevelsLikeAnyRun) {
    auto run = begin("a");
    for (int i = 0; i < 70'000; ++i) {
        test::orDie(run->span(0, spanAt(20 * i), i % 2 == 0 ? "aten::mm" : ""));
    }
    test::orDie(run->finish(3, {}));
    auto reader = this->reader();
    const RunRow row = test::orDie(reader.runs().row("a"));
    EXPECT_EQ(row.status, "finished");
    EXPECT_TRUE(row.imported());
    EXPECT_EQ(row.steps, 3);
    EXPECT_EQ(test::orDie(reader.spans().count("a")), 70'000);
    EXPECT_EQ(test::orDie(reader.spans().name("a", {0, spanAt(40)})), "aten::mm");
    EXPECT_EQ(test::orDie(reader.spans().name("a", {0, spanAt(20)})), "");
    EXPECT_EQ(test::orDie(reader.spans().name("a", {0, spanAt(40, SpanKind::Other)})), "");
    EXPECT_EQ(test::orDie(reader.spans().name("a", {0, spanAt(41)})), "");
    const auto named = test::orDie(reader.spans().named("a", {0, 55}));
    ASSERT_EQ(named.size(), 3U);
    EXPECT_EQ(named[0].name, "aten::mm");
    const auto roots = test::orDie(reader.spans().roots("a"));
    ASSERT_GT(roots.front().level, 0);
    SpanPart part = roots.front();
    while (part.level > 0) part = test::orDie(reader.spans().parts("a", part)).back();
    const auto rows = test::orDie(reader.spans().rows(part));
    const auto labels = test::orDie(reader.spans().labels(part));
    EXPECT_NEAR(static_cast<double>(labels.size()), static_cast<double>(rows.size()) / 2, 1);
    for (const auto& [place, name] : labels) {
        EXPECT_EQ(rows.at(static_cast<std::size_t>(place)).span.start % 40, 0) << "only every other one has a name";
        EXPECT_EQ(name, "aten::mm");
    }
}

TEST_F(ImportedRunTest, LeavesOutWhatTheFileCannotTell) {
    for (const bool unknown : {false, true}) {
        auto run = begin(unknown ? "b" : "a");
        test::orDie(run->span(0, spanAt(0), ""));
        test::orDie(run->span(0, spanAt(5, SpanKind::Transfer, Lane::Comm), ""));
        Span window = spanAt(0, SpanKind::Window, Lane::Io);
        window.end = 100;
        window.bytes = 1;
        test::orDie(run->span(0, window, ""));
        test::orDie(run->finish(1, {.waits = unknown, .passes = unknown, .skews = unknown}));
        const RunRow row = test::orDie(reader().runs().row(unknown ? "b" : "a"));
        EXPECT_NEAR(*row.hidden, 0.5, 1e-9);
        EXPECT_EQ(row.blockedS.has_value(), !unknown);
        EXPECT_EQ(row.skewS.has_value(), !unknown);
        EXPECT_FALSE(row.stepMs || row.samplesPerS) << "rates are of runs of this laboratory";
        EXPECT_EQ(test::orDie(reader().runs().ranks(row.runId)).at(0).blockedS.has_value(), !unknown);
    }
}

TEST_F(ImportedRunTest, IsFailedWhereItIsGivenUp) {
    begin("a").reset();
    begin("b")->abandon("disk gone");
    EXPECT_EQ(test::orDie(reader().runs().row("a")).status, "failed");
    EXPECT_EQ(test::orDie(reader().runs().row("b")).error, "disk gone");
}

}  // namespace
}  // namespace dasgd::storage
