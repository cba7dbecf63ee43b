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

class WishedQuery final : public LiveQuery {
public:
    WishedQuery() : LiveQuery(Priority::Drawing) {}
    Status refresh(LiveStore&) override { return {}; }
    Wishes<QStringList> wishes{this};
};

TEST(LiveQuery, WishesAskForARefreshAndAreNewOnce) {
    WishedQuery query;
    int asked = 0;
    QObject::connect(&query, &LiveQuery::asked, &query, [&] { ++asked; });
    EXPECT_FALSE(query.wishes.look().second);
    query.wishes.set({QStringLiteral("a")});
    query.wishes.change([](QStringList& all) { all << QStringLiteral("b"); });
    EXPECT_EQ(asked, 2);
    const auto [wishes, areNew] = query.wishes.look();
    EXPECT_EQ(wishes, (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
    EXPECT_TRUE(areNew);
    EXPECT_FALSE(query.wishes.look().second) << "until they change";
    EXPECT_EQ(query.wishes.take().size(), 2);
    EXPECT_TRUE(query.wishes.take().isEmpty());
}

TEST(Freshness, AReadComesAfterACommitAndAPauseAndAtOnceWhereAnotherRunIsWatched) {
    LiveStore store("nowhere");
    Freshness fresh(60'000, 1);
    EXPECT_TRUE(fresh.follow(store));
    EXPECT_TRUE(fresh.due(store)) << "nothing was read yet";
    fresh.begin(store);
    fresh.end();
    store.touch();
    EXPECT_TRUE(fresh.isBehind(store));
    EXPECT_FALSE(fresh.due(store)) << "the pause is not over";
    store.setWatch({QStringLiteral("run"), {}});
    EXPECT_TRUE(fresh.follow(store));
    EXPECT_FALSE(fresh.follow(store));
    EXPECT_TRUE(fresh.due(store));
    fresh.pass(store);
    EXPECT_FALSE(fresh.isBehind(store));
    fresh.forget();
    EXPECT_TRUE(fresh.due(store)) << "it was not paused since";
}

}  // namespace
}  // namespace dasgd::gui
