// What a chart draws of the run that is looked at that is formed from its spans. UI thread.
#pragma once

#include <map>
#include <string>

#include "gui/models/curves/span_series_query.h"
#include "gui/models/live/session.h"

namespace dasgd::gui {

class ChartSpans : public QObject {
    Q_OBJECT

public:
    explicit ChartSpans(Session& session, QObject* parent = nullptr);
    ~ChartSpans() override;

    // One of kSpanCurves from now on; "": none. It is read as long as it is wanted.
    void want(const std::string& name);
    [[nodiscard]] const std::string& name() const { return name_; }
    // By rank, and of all of them. Epoch, samples and bytes are those of the records of the training loss at that
    // instant.
    [[nodiscard]] const std::map<int, Series>& ranks();
    [[nodiscard]] const Series& whole();

signals:
    void changed();

private:
    void take(const RankBatch& batch);
    void place();

    Session& session_;
    SpanSeriesQuery& query_;
    std::string name_;
    std::vector<storage::MetricSample> records_;
    std::map<int, Series> ranks_;
    Series whole_{Along::Time};
    std::size_t placedBy_ = 0;  // records of the training loss
    bool placed_ = false;
};

}  // namespace dasgd::gui
