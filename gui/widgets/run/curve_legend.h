// The curves of a chart as a list beside it, where there are too many for a legend in it: Space or a click on the box
// hides a curve, Enter brings it to the front. Both are kept by Curve::key: names change with the runs that are drawn.
#pragma once

#include <QListView>
#include <QSet>
#include <QStandardItemModel>
#include <vector>

#include "gui/models/live/curve.h"
#include "gui/theme/theme.h"

namespace dasgd::gui {

class CurveLegend : public QListView {
    Q_OBJECT

public:
    explicit CurveLegend(const Look& look, QWidget* parent = nullptr);
    // Lists them in their order and takes out those that are hidden; the one that was brought to the front is primary.
    [[nodiscard]] std::vector<Curve> apply(std::vector<Curve> curves);
    // Whether the curve of this key was hidden here.
    [[nodiscard]] bool hides(const QString& key) const { return hidden_.contains(key); }
    // Another run is looked at: its curve is not hidden, and no other is before it.
    void begin(const QString& key);

signals:
    void changed();

private:
    void list(const std::vector<Curve>& curves);
    void takeCheck(const QStandardItem& item);

    const Look& look_;
    QStandardItemModel items_;
    QStringList names_, keys_;  // as listed
    QSet<QString> hidden_;
    QString front_;
};

}  // namespace dasgd::gui
