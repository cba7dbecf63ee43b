// List of a chart's curves beside it, if they are too many for a legend in the plot: Space or a click on the box hides
// a curve, Enter brings it to the front. Both are kept by Curve::key, since names change with the drawn runs.
#pragma once

#include <QListView>
#include <QSet>
#include <QStandardItemModel>
#include <vector>

#include "gui/kit/curves/curve.h"
#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

class CurveLegend : public QListView {
    Q_OBJECT

public:
    explicit CurveLegend(const Look& look, QWidget* parent = nullptr);
    // Lists the curves and answers those that are not hidden; the one brought to the front is primary.
    [[nodiscard]] std::vector<Curve> apply(std::vector<Curve> curves);
    // True if the curve of this key is hidden.
    [[nodiscard]] bool hides(const QString& key) const { return hidden_.contains(key); }
    // Starts anew for another current run: its curve is shown, and no curve is in front.
    void begin(const QString& key);

signals:
    void changed();

private:
    void list(const std::vector<Curve>& curves);
    void takeCheck(const QStandardItem& item);

    const Look& look_;
    QStandardItemModel items_;
    QStringList names_, keys_;  // names and keys of the rows
    QSet<QString> hidden_;
    QString front_;
};

}  // namespace dasgd::gui
