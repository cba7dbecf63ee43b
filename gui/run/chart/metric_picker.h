// Title of a chart, with a menu of every metric that the drawn runs have recorded.
#pragma once

#include <QToolButton>
#include <string>

#include "gui/run/model/metric_names_query.h"

class QMenu;

namespace dasgd::gui {

class MetricPicker : public QToolButton {
    Q_OBJECT

public:
    MetricPicker(MetricNamesQuery& names, std::string metric, QWidget* parent = nullptr);
    [[nodiscard]] const std::string& metric() const { return metric_; }
    [[nodiscard]] bool byRank() const { return byRank_; }
    void choose(const std::string& metric, bool byRank);
    // Fills the menu with the metrics recorded so far; opening the menu does so too.
    void fill();

signals:
    void changed();

private:
    void add(QMenu& menu, const std::string& name);
    void showChoice();

    std::string metric_;
    bool byRank_ = false;
    RecordedMetrics recorded_;
    QMenu* menu_;
};

}  // namespace dasgd::gui
