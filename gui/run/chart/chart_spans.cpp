#include "gui/run/chart/chart_spans.h"

#include <utility>

#include "core/base/metric_names.h"
#include "gui/data/curves/instants.h"

namespace dasgd::gui {

ChartSpans::ChartSpans(Session& session, QObject* parent)
    : QObject(parent), session_(session), query_(session.feed().query<SpanSeriesQuery>()) {
    connect(&query_, &SpanSeriesQuery::arrived, this, &ChartSpans::take);
    connect(&session_, &Session::currentChanged, this, [this] {
        records_.clear();
        placed_ = false;
    });
}

ChartSpans::~ChartSpans() { want({}); }

void ChartSpans::want(const std::string& name) {
    if (name == name_) return;
    if (!name_.empty()) query_.release(name_);
    name_ = name;
    records_.clear();
    placed_ = false;
    if (name_.empty()) return;
    session_.wantMetric(metrics::kTrainLoss);
    query_.want(name_);
}

void ChartSpans::take(const RankBatch& batch) {
    if (batch.name != name_ || batch.runId != session_.currentId()) return;
    records_ = batch.samples;
    placed_ = false;
    emit changed();
}

void ChartSpans::place() {
    const Series& loss = session_.series(session_.currentId(), metrics::kTrainLoss);
    if (std::exchange(placed_, true) && placedBy_ == loss.samples()) return;
    placedBy_ = loss.samples();
    std::vector<storage::MetricSample> all;
    std::map<int, std::vector<storage::MetricSample>> ranks;
    for (storage::MetricSample record : records_) {
        placeAmong(loss.points(), record);
        (record.rank < 0 ? all : ranks[record.rank]).push_back(record);
    }
    whole_ = Series(Along::Time);
    whole_.add(all);
    ranks_.clear();
    for (const auto& [rank, records] : ranks) ranks_.try_emplace(rank, Along::Time).first->second.add(records);
}

const std::map<int, Series>& ChartSpans::ranks() {
    place();
    return ranks_;
}

const Series& ChartSpans::whole() {
    place();
    return whole_;
}

}  // namespace dasgd::gui
