// The order of spans, and windows in parts, which the rows of trace_import_test do not show.
#include "experiments/tools/traces/import/span_stream.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

TEST(SpanStreamTest, TellsALongStepInPartsThatTouch) {
    const test::TempDir folder;
    TraceNames names;
    TraceSlices slices(names, folder.path());
    const auto take = [&](const char* name, const char* category, Ns at, Ns length) {
        slices.take({.phase = TraceEvent::Phase::Complete,
                     .name = name,
                     .category = category,
                     .process = "1",
                     .thread = category,
                     .at = at,
                     .length = length});
    };
    take("ProfilerStep#4", "user_annotation", 0, 100'000);
    for (int i = 0; i < 10'000; ++i) take("kernel", "kernel", 10 * i, 5);
    take("ProfilerStep#5", "user_annotation", 99'999, 100'000);
    ASSERT_TRUE(slices.close());
    SpanStream stream(TraceFormat::PyTorch, {{.slices = &slices, .rankOfProcess = {0}}}, 1);
    std::vector<Span> windows;
    Ns newest = 0;
    const auto keep = [&](int, const Span& span, std::string_view) -> Status {
        if (span.kind == SpanKind::Window) {
            windows.push_back(span);
        } else {
            EXPECT_GE(span.start, newest);
            newest = span.start;
        }
        return {};
    };
    ASSERT_TRUE(stream.run(keep, [](std::int64_t) {}));
    ASSERT_EQ(windows.size(), 4U) << "two parts, the rest of the step, the next step";
    std::int64_t steps = 0;
    for (std::size_t i = 0; i + 1 < windows.size(); ++i) {
        EXPECT_EQ(windows[i].start, i == 0 ? 0 : windows[i - 1].end);
        steps += windows[i].bytes;
    }
    EXPECT_EQ(windows[2].end, 100'000);
    EXPECT_EQ(steps, 1);
    EXPECT_EQ(windows[3].start, 99'999) << "steps whose rounding overlaps lose nothing";
    EXPECT_EQ(stream.steps(), 2);
}

}  // namespace
}  // namespace dasgd::experiments
