#include "gui/timeline/model/find/span_name_query.h"

#include <gtest/gtest.h>

#include "storage/write/imported_run.h"
#include "tests/gui/support/live_bench.h"
#include "tests/support/runs.h"

namespace dasgd::gui {
namespace {

TEST(SpanNameQueryTest, TellsWhatTheOtherProgramCalledASpan) {
    LiveBench bench;
    const Span span{.kind = SpanKind::Compute, .step = 1, .start = 100, .end = 200};
    {
        auto store = test::orDie(storage::Store::open(bench.workspace.path()));
        auto run = test::orDie(storage::ImportedRun::begin(store, test::runInfo("theirs")));
        test::orDie(run->span(0, span, "aten::mm"));
        test::orDie(run->finish(1, {}));
    }
    bench.know();
    SpanNameQuery query;
    std::optional<SpanName> answer;
    QObject::connect(&query, &SpanNameQuery::arrived, [&](const SpanName& name) { answer = name; });
    query.request(QStringLiteral("theirs"), {0, span});
    bench.refresh(query);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->name, QStringLiteral("aten::mm"));
    EXPECT_EQ(answer->runId, QStringLiteral("theirs"));
}

}  // namespace
}  // namespace dasgd::gui
