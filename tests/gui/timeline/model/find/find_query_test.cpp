#include "gui/timeline/model/find/find_query.h"

#include <gtest/gtest.h>

#include "storage/write/imported_run.h"
#include "tests/gui/support/live_bench.h"
#include "tests/support/runs.h"

namespace dasgd::gui {
namespace {

SpanFilter filterOf(const char* text) { return SpanFilter::parse(QString::fromUtf8(text)).value(); }

class FindQueryTest : public ::testing::Test {
protected:
    FindQueryTest() {
        QObject::connect(&query_, &FindQuery::arrived, &query_,
                         [this](const FoundSpans& found) { answers_.push_back(found); });
    }
    FoundSpans search(const QString& run, const char* text) {
        answers_.clear();
        query_.request(++number_, run, filterOf(text));
        EXPECT_TRUE(eventually([&] {
            bench_.refresh(query_);
            return !answers_.empty();
        }));
        return answers_.empty() ? FoundSpans{} : answers_.back();
    }
    // Finds the spans by looking at each one.
    std::vector<RankSpan> slowly(const QString& run, const char* text) {
        const SpanFilter filter = filterOf(text);
        std::vector<RankSpan> found;
        const Status done = bench_.store.reader().spans().each(run.toStdString(), [&](const RankSpan& span) {
            if (filter.accepts(span, {})) found.push_back(span);
            return true;
        });
        EXPECT_TRUE(done);
        std::ranges::sort(found, {}, [](const RankSpan& one) { return std::tuple(one.span.start, one.rank); });
        return found;
    }
    LiveBench bench_;
    FindQuery query_;
    qint64 number_ = 0;
    std::vector<FoundSpans> answers_;
};

TEST_F(FindQueryTest, FindsWhatALookAtEachSpanFindsWithAndWithoutLevels) {
    const QString small = bench_.workspace.record({.steps = 40});
    const QString large = bench_.workspace.record({.steps = 2400});
    for (const QString& run : {small, large}) {
        for (const char* text : {"wait", "wait > 20ms and rank >= 2", "backward > 17ms", "step = 37", "reduce > 1 h"}) {
            const FoundSpans found = search(run, text);
            const std::vector<RankSpan> expected = slowly(run, text);
            ASSERT_EQ(found.found, static_cast<qint64>(expected.size())) << text;
            for (std::size_t i = 0; i < found.spans.size(); ++i) {
                ASSERT_EQ(found.spans[i].span.start, expected[i].span.start) << text;
                ASSERT_EQ(found.spans[i].rank, expected[i].rank) << text;
            }
        }
    }
}

TEST_F(FindQueryTest, OfManyTheFirstAreKeptAndAllAreCounted) {
    const QString run = bench_.workspace.record({.steps = 1200});
    const FoundSpans found = search(run, "rank >= 0");
    const std::vector<RankSpan> expected = slowly(run, "rank >= 0");
    ASSERT_GT(expected.size(), FoundSpans::kMost);
    EXPECT_EQ(found.found, static_cast<qint64>(expected.size()));
    ASSERT_EQ(found.spans.size(), FoundSpans::kMost);
    EXPECT_TRUE(found.capped());
    EXPECT_EQ(found.spans.back().span.start, expected[FoundSpans::kMost - 1].span.start);
}

TEST_F(FindQueryTest, TheNewestRequestCountsAndOneThatIsCancelledIsNotAnswered) {
    const QString run = bench_.workspace.record({.steps = 40});
    bench_.open();
    query_.request(1, run, filterOf("wait"));
    query_.request(2, run, filterOf("merge"));
    bench_.refresh(query_);
    ASSERT_EQ(answers_.size(), 1U);
    EXPECT_EQ(answers_[0].number, 2);
    query_.request(3, run, filterOf("wait"));
    query_.cancel();
    bench_.refresh(query_);
    EXPECT_EQ(answers_.size(), 1U);
}

TEST_F(FindQueryTest, FindsTheNamesOfAnImportedRun) {
    {
        auto store = test::orDie(storage::Store::open(bench_.workspace.path()));
        auto run = test::orDie(storage::ImportedRun::begin(store, test::runInfo("theirs")));
        for (Ns i = 0; i < 20; ++i) {
            const Span span{.kind = SpanKind::Compute, .step = 1, .start = 100 * i, .end = 100 * i + 50};
            test::orDie(run->span(0, span, i % 5 == 3 ? "ncclAllReduce" : "aten::mm"));
        }
        test::orDie(run->finish(1, {}));
    }
    const FoundSpans found = search(QStringLiteral("theirs"), "name = \"ncclAllReduce\"");
    ASSERT_EQ(found.found, 4);
    EXPECT_EQ(found.spans[0].span.start, 300);
    EXPECT_EQ(found.spans[3].span.start, 1800);
    EXPECT_EQ(search(QStringLiteral("theirs"), "aten").found, 16);
}

}  // namespace
}  // namespace dasgd::gui
