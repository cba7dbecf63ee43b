#include "gui/models/live/feed.h"

#include "gui/models/live/feed_worker.h"
#include "gui/models/runs/run_config.h"
#include "storage/scaling.h"

namespace dasgd::gui {

RunItemPtr makeRunItem(storage::RunRow row) {
    auto item = std::make_shared<RunItem>();
    item->id = QString::fromStdString(row.runId);
    const Settings settings = storage::settingsOf(row);
    item->settings = settingsInWords(settings);
    item->group = configurationKey(settings);
    item->line = placeOf(settings);
    const auto trace = settings.find("record.trace");
    item->keepsSpans = trace == settings.end() || trace->second == "full";
    item->haystack =
        (QStringList{item->id, QString::fromStdString(row.experiment), QString::fromStdString(row.algorithm),
                     item->settings, QString::fromStdString(row.backend), QString::fromStdString(row.status),
                     QStringLiteral("seed ") + QString::number(row.seed), QString::fromStdString(row.gitCommit)}
             .join(QLatin1Char(' ')))
            .toLower();
    item->row = std::move(row);
    return item;
}

Feed::Feed(std::filesystem::path workspace, QObject* parent) : QObject(parent), workspace_(std::move(workspace)) {
    worker_ = new FeedWorker(workspace_);
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::started, worker_, &FeedWorker::start);
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    connect(worker_, &FeedWorker::runsChanged, this, &Feed::runsChanged);
    connect(worker_, &FeedWorker::metricsArrived, this, &Feed::metricsArrived);
    connect(worker_, &FeedWorker::detailArrived, this, &Feed::detailArrived);
    connect(worker_, &FeedWorker::timesArrived, this, &Feed::timesArrived);
    connect(worker_, &FeedWorker::timelineArrived, this, &Feed::timelineArrived);
    connect(worker_, &FeedWorker::measured, this, &Feed::measured);
    connect(worker_, &FeedWorker::pulse, this, &Feed::pulse);
    connect(worker_, &FeedWorker::trouble, this, &Feed::trouble);
    thread_.setObjectName(QStringLiteral("store reader"));
    thread_.start();
}

Feed::~Feed() {
    thread_.quit();
    thread_.wait();
}

const std::vector<std::string>& Feed::metricNames() {
    static const std::vector<std::string> names{"train/loss", "throughput/samples_per_s", "eval/accuracy", "eval/loss"};
    return names;
}

void Feed::watch(const QString& run, const QStringList& others) {
    worker_->setWatched(run, others);
    QMetaObject::invokeMethod(worker_, &FeedWorker::poll, Qt::QueuedConnection);
}

void Feed::wantTimes(const QStringList& runs) {
    worker_->setTimesWish(runs);
    QMetaObject::invokeMethod(worker_, &FeedWorker::serveTimes, Qt::QueuedConnection);
}

void Feed::wantTimeline(const TimelineRequest& wish) {
    worker_->setWish(wish);
    QMetaObject::invokeMethod(worker_, &FeedWorker::serveTimeline, Qt::QueuedConnection);
}

void Feed::wantMeasure(const QString& run, TimeRange range) {
    worker_->setMeasure(run, range);
    QMetaObject::invokeMethod(worker_, &FeedWorker::serveTimeline, Qt::QueuedConnection);
}

}  // namespace dasgd::gui
