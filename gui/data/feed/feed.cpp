#include "gui/data/feed/feed.h"

#include "gui/data/feed/feed_worker.h"

namespace dasgd::gui {

Feed::Feed(std::filesystem::path workspace, QObject* parent) : QObject(parent), workspace_(std::move(workspace)) {
    worker_ = new FeedWorker(workspace_);
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::started, worker_, &FeedWorker::start);
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    connect(worker_, &FeedWorker::errorOccurred, this, &Feed::errorOccurred);
    thread_.setObjectName(QStringLiteral("store reader"));
    thread_.start();
}

Feed::~Feed() {
    thread_.quit();
    thread_.wait();
}

void Feed::add(LiveQuery& query) {
    worker_->add(query);
    LiveQuery* asked = &query;
    FeedWorker* worker = worker_;
    connect(
        asked, &LiveQuery::asked, worker, [worker, asked] { worker->ask(asked); }, Qt::QueuedConnection);
}

void Feed::watch(const QString& run, const QStringList& others) {
    worker_->setWatch({run, others});
    QMetaObject::invokeMethod(worker_, &FeedWorker::poll, Qt::QueuedConnection);
}

}  // namespace dasgd::gui
