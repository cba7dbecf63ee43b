#include "gui/data/feed/live_query.h"

#include <gtest/gtest.h>

#include <QThread>
#include <memory>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

class CountingQuery final : public LiveQuery {
public:
    CountingQuery() : LiveQuery(Priority::Drawing) {}
    Status refresh(LiveStore&) override {
        deliver([this] {
            ++delivered;
            deliveredOn = QThread::currentThread();
        });
        ask();
        return {};
    }
    int delivered = 0;
    QThread* deliveredOn = nullptr;
};

TEST(LiveQuery, DeliversLaterInTheThreadOfTheQueryWhoeverRefreshesIt) {
    CountingQuery query;
    LiveStore store("nowhere");
    int asked = 0;
    QObject::connect(&query, &LiveQuery::asked, &query, [&] { ++asked; });
    const std::unique_ptr<QThread> reader(QThread::create([&] { static_cast<void>(query.refresh(store)); }));
    reader->start();
    reader->wait();
    EXPECT_EQ(query.delivered, 0) << "not before the event loop runs";
    ASSERT_TRUE(eventually([&] { return query.delivered == 1 && asked == 1; }));
    EXPECT_EQ(query.deliveredOn, QThread::currentThread());
}

}  // namespace
}  // namespace dasgd::gui
