// Sorts and filters the runs. A filter is words, all of which must hit: a part of a word of the run ("dasgd mnist"),
// the same with a minus for none ("-failed"), or a comparison ("loss<0.1", "hidden>=99", "status=running").
#pragma once

#include <QSortFilterProxyModel>
#include <QString>
#include <variant>
#include <vector>

#include "gui/models/runs/run_table_model.h"

namespace dasgd::gui {

struct FilterWord {
    QString text;
    bool exclude = false;
};

struct FilterComparison {
    enum class Operator { Less, LessEqual, Equal, GreaterEqual, Greater };
    RunTableModel::Column column{};
    Operator op{};
    QString text;
    std::optional<double> number;
};

using FilterTerm = std::variant<FilterWord, FilterComparison>;

// Never fails: what is no comparison is a word.
[[nodiscard]] std::vector<FilterTerm> parseFilter(const QString& text);
[[nodiscard]] bool matches(const RunItem& item, const std::vector<FilterTerm>& terms);

class RunFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RunFilter(RunTableModel* runs, QObject* parent = nullptr);
    void setFilter(const QString& text);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    RunTableModel* runs_;
    std::vector<FilterTerm> terms_;
};

}  // namespace dasgd::gui
