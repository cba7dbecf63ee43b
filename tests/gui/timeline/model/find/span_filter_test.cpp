#include "gui/timeline/model/find/span_filter.h"

#include <gtest/gtest.h>

#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;

RankSpan spanOf(int rank, SpanKind kind, Ns length, std::int64_t step = 1) {
    return {rank, {.kind = kind, .step = step, .start = 5 * kMs, .end = 5 * kMs + length, .bytes = 2000}};
}

bool finds(const char* text, const RankSpan& span, const char* name = "") {
    const auto filter = SpanFilter::parse(QString::fromUtf8(text));
    EXPECT_TRUE(filter) << text << ": " << filter.error().message.toStdString();
    return filter && filter->accepts(span, QString::fromUtf8(name));
}

TEST(SpanFilterTest, TheNameOfAKindIsItsLength) {
    const RankSpan wait = spanOf(130, SpanKind::Wait, 25 * kMs);
    EXPECT_TRUE(finds("wait > 20ms and rank >= 128", wait));
    EXPECT_TRUE(finds("wait > 20 ms rank >= 128", wait));
    EXPECT_FALSE(finds("wait > 30ms", wait));
    EXPECT_FALSE(finds("wait > 20ms and rank < 128", wait));
    EXPECT_FALSE(finds("wait > 20ms", spanOf(130, SpanKind::Merge, 25 * kMs)));
    EXPECT_TRUE(finds("wait > 20", wait)) << "a bare number is milliseconds";
    EXPECT_TRUE(finds("wait", wait)) << "a kind alone";
    EXPECT_TRUE(finds("step = 1 wait", wait)) << "also at the end of what is typed";
    EXPECT_FALSE(finds("-wait", wait));
}

TEST(SpanFilterTest, OtherFieldsWordsAndNames) {
    const RankSpan one = spanOf(2, SpanKind::Compute, 300'000, 40);
    EXPECT_TRUE(finds("duration < 1 ms and step = 40 and bytes > 1kB", one));
    EXPECT_TRUE(finds("reduce > 5ms or name = \"ncclAllReduce\"", one, "ncclAllReduce"));
    EXPECT_FALSE(finds("name = ncclAllReduce", one, "aten::mm"));
    EXPECT_TRUE(finds("nccl", one, "ncclAllReduce")) << "a word is a part of the name";
    EXPECT_TRUE(finds("lane = compute and kind ~ comp", one));
}

TEST(SpanFilterTest, AReduceIsFoundWhereTheCollectorHasDividedIt) {
    const RankSpan transfer = spanOf(0, SpanKind::Transfer, 8 * kMs);
    EXPECT_TRUE(finds("reduce > 5ms", transfer));
    EXPECT_TRUE(finds("kind = reduce", transfer));
    EXPECT_FALSE(finds("kind != reduce", transfer));
    EXPECT_FALSE(finds("reduce > 5ms", spanOf(0, SpanKind::Skew, 8 * kMs)));
}

TEST(SpanFilterTest, WindowsAreNotDrawnAndNotFound) {
    EXPECT_FALSE(finds("rank = 0", spanOf(0, SpanKind::Window, kMs)));
    EXPECT_FALSE(finds("not wait", spanOf(0, SpanKind::Window, kMs)));
}

TEST(SpanFilterTest, SaysWhereAndWhyATextFindsNothing) {
    const auto at = [](const char* text) {
        const auto filter = SpanFilter::parse(QString::fromUtf8(text));
        EXPECT_FALSE(filter) << text;
        return filter ? FilterError{} : filter.error();
    };
    EXPECT_EQ(at("rank = 1 and wiat > 3ms").at, 13);
    EXPECT_TRUE(at("wiat > 3ms").message.startsWith(QStringLiteral("spans have no field “wiat”; near it: ")));
    EXPECT_EQ(at("wait > 20 kB").at, 7);
    EXPECT_EQ(at("rank = 1 and kind = idle").at, 20);
    EXPECT_FALSE(at("lane = gpu").message.isEmpty());
    EXPECT_EQ(at("(wait").at, 0);
    EXPECT_FALSE(at("  ").message.isEmpty());
}

TEST(SpanFilterTest, AWordThatBeginsLikeAFieldIsNotLeftOut) {
    const auto cut = SpanFilter::parse(QStringLiteral("wait > 20 ms n"));
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().at, 13);
    EXPECT_TRUE(SpanFilter::parse(QStringLiteral("wait > 20 ms \"n\"")));
}

TEST(SpanFilterTest, TellsWhatCannotPassWithoutTheSpan) {
    const auto filter = SpanFilter::parse(QStringLiteral("wait > 20ms and rank >= 4"));
    ASSERT_TRUE(filter);
    EXPECT_FALSE(filter->mayAccept(4, Lane::Compute, SpanKind::Wait, 20 * kMs));
    EXPECT_TRUE(filter->mayAccept(4, Lane::Compute, SpanKind::Wait, 21 * kMs));
    EXPECT_FALSE(filter->mayAccept(3, Lane::Compute, SpanKind::Wait, 21 * kMs));
    EXPECT_FALSE(filter->mayAccept(4, Lane::Compute, SpanKind::Merge, 21 * kMs));
    const auto negated = SpanFilter::parse(QStringLiteral("not wait > 20ms"));
    ASSERT_TRUE(negated);
    EXPECT_TRUE(negated->mayAccept(0, Lane::Compute, SpanKind::Wait, kMs));
    const auto named = SpanFilter::parse(QStringLiteral("name ~ gemm or step = 3"));
    ASSERT_TRUE(named);
    EXPECT_TRUE(named->mayAccept(0, Lane::Compute, SpanKind::Wait, kMs));
    EXPECT_TRUE(named->asksForNames());
    EXPECT_FALSE(filter->asksForNames());
}

}  // namespace
}  // namespace dasgd::gui
