#include "gui/data/feed/feed.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <QFile>
#include <QSignalSpy>
#include <QThread>
#include <atomic>

#include "gui/data/feed/runs_query.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(Feed, AMissingWorkspaceIsEmptyAndReadOnceItIsThere) {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString() + "/later";
    Feed feed(path);
    QSignalSpy errors(&feed, &Feed::errorOccurred), runs(&feed.query<RunsQuery>(), &RunsQuery::changed);
    ASSERT_TRUE(eventually([&] { return runs.count() > 0; }));
    EXPECT_EQ(errors.count(), 0);
    runs.clear();
    auto store = storage::Store::open(path);
    ASSERT_TRUE(store.has_value()) << store.error().message;
    test::recordRun(*store, {.steps = 8});
    ASSERT_TRUE(eventually([&] { return runs.count() > 0; }));
    EXPECT_TRUE(errors.isEmpty() || errors.last()[0].toString().isEmpty());
}

TEST(Feed, AnUnusedFolderIsAnEmptyWorkspace) {
    const QTemporaryDir folder;
    Feed feed(folder.path().toStdString());
    QSignalSpy errors(&feed, &Feed::errorOccurred), runs(&feed.query<RunsQuery>(), &RunsQuery::changed);
    ASSERT_TRUE(eventually([&] { return runs.count() > 0; }));
    EXPECT_TRUE(runs[0][0].value<std::vector<RunItemPtr>>().empty());
    auto store = storage::Store::open(folder.path().toStdString());
    ASSERT_TRUE(store.has_value()) << store.error().message;
    test::recordRun(*store, {.steps = 8});
    ASSERT_TRUE(eventually([&] { return !runs.last()[0].value<std::vector<RunItemPtr>>().empty(); }));
    EXPECT_EQ(errors.count(), 0);
}

TEST(Feed, AnotherProgramsFileIsReported) {
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("lab.db")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(8192, 'x'));
    file.close();
    Feed feed(folder.path().toStdString());
    QSignalSpy errors(&feed, &Feed::errorOccurred);
    ASSERT_TRUE(eventually([&] { return errors.count() > 0; }));
    EXPECT_TRUE(errors[0][0].toString().contains(QLatin1String("lab.db"))) << errors[0][0].toString().toStdString();
}

// A query such as a new page would add: a class of its own, known to nobody else.
class NewestStepQuery final : public LiveQuery {
public:
    NewestStepQuery() : LiveQuery(Priority::Records) {}
    Status refresh(LiveStore& store) override {
        refreshedOn = QThread::currentThread();
        niceness = ::getpriority(PRIO_PROCESS, 0);
        DASGD_ASSIGN(const auto runs, store.reader().runs().list());
        deliver([this, steps = runs.empty() ? 0 : runs.front().steps] {
            deliveredOn = QThread::currentThread();
            newest = steps;
        });
        return {};
    }
    std::atomic<QThread*> refreshedOn = nullptr;
    std::atomic<int> niceness = 0;  // of the thread
    QThread* deliveredOn = nullptr;
    std::int64_t newest = -1;
};

TEST(Feed, AQueryOfAnyClassIsAskedInTheReadersThreadAndDeliversInThisOne) {
    Workspace workspace;
    workspace.record({.steps = 12});
    Feed feed(workspace.path());
    auto& query = feed.query<NewestStepQuery>();
    EXPECT_EQ(&feed.query<NewestStepQuery>(), &query) << "one of each class";
    ASSERT_TRUE(eventually([&] { return query.newest == 12; }));
    EXPECT_EQ(query.deliveredOn, QThread::currentThread());
    EXPECT_NE(query.refreshedOn, QThread::currentThread()) << "the window's thread reads no file";
    const int own = ::getpriority(PRIO_PROCESS, 0);
    EXPECT_TRUE(query.niceness > own || own == 19) << "it gives way to the window and to ranks: " << query.niceness;
}

}  // namespace
}  // namespace dasgd::gui
