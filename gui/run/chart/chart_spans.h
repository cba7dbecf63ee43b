// Series of the current run that are computed from its spans, for a chart. UI thread.
#pragma once

#include <map>
#include <string>

#include "gui/data/session/session.h"
#include "gui/run/model/span_series_query.h"

namespace dasgd::gui {

class ChartSpans : public QObject {
    Q_OBJECT

public:
    explicit ChartSpans(Session& session, QObject* parent = nullptr);
    ~ChartSpans() override;

    // Reads this one of kSpanCurves from now on, until another is wanted; "": none.
    void want(const std::string& name);
    [[nodiscard]] const std::string& name() const { return name_; }
    // Series by rank, and of the whole run. Epoch, samples and bytes of a point are those of the record of the training
    // loss at its instant.
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
    std::size_t placedBy_ = 0;  // number of samples of the training loss used for placing
    bool placed_ = false;
};

}  // namespace dasgd::gui
