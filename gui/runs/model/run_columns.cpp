#include "gui/runs/model/run_columns.h"

#include <algorithm>
#include <map>

namespace dasgd::gui {

namespace {

const QString kConfig = QStringLiteral("config:");

bool sameColumn(const RunColumn& a, const RunColumn& b) { return a.field == b.field && a.key == b.key; }

// Former names of columns in stored lists, before the names said "per step" and "best".
const std::map<QString, int> kFormerNames{{QStringLiteral("blocked ms"), RunTableModel::Blocked},
                                          {QStringLiteral("accuracy"), RunTableModel::BestAccuracy}};

RunColumn columnOf(const QString& name) {
    if (name.startsWith(kConfig)) return {.key = name.mid(kConfig.size())};
    if (const auto former = kFormerNames.find(name); former != kFormerNames.end()) return {.field = former->second};
    for (int field = 0; field < RunTableModel::kColumns; ++field) {
        if (RunTableModel::nameOf(field) == name) return {.field = field};
    }
    return {};
}

}  // namespace

RunColumns defaultColumns() {
    using Table = RunTableModel;
    RunColumns columns;
    for (const int field : {Table::Star, Table::Status, Table::Experiment, Table::Algorithm, Table::Settings,
                            Table::Seed, Table::Workers, Table::Started, Table::Wall, Table::FinalLoss,
                            Table::BestAccuracy, Table::Hidden, Table::Blocked, Table::SamplesPerS, Table::Tags}) {
        columns.push_back({.field = field});
    }
    return columns;
}

QStringList columnsToTexts(const RunColumns& columns) {
    QStringList texts;
    for (const RunColumn& column : columns) {
        texts << (column.field < 0 ? kConfig + column.key : RunTableModel::nameOf(column.field));
        if (column.width > 0) texts.back() += QLatin1Char('=') + QString::number(column.width);
    }
    return texts;
}

RunColumns columnsFromTexts(const QStringList& texts) {
    RunColumns columns;
    for (const QString& text : texts) {
        const qsizetype equals = text.lastIndexOf(QLatin1Char('='));
        const QString name = equals < 0 ? text : text.left(equals);
        RunColumn column = columnOf(name);
        // A width chosen for a shorter title does not fit this one.
        if (equals >= 0 && !kFormerNames.contains(name))
            column.width = std::clamp(text.mid(equals + 1).toInt(), 0, 2000);
        const bool known = column.field >= 0 || !column.key.isEmpty();
        if (known && !hasColumn(columns, column)) columns.push_back(std::move(column));
    }
    return columns.empty() ? defaultColumns() : columns;
}

bool hasColumn(const RunColumns& columns, const RunColumn& column) {
    return std::any_of(columns.begin(), columns.end(), [&](const RunColumn& one) { return sameColumn(one, column); });
}

void toggleColumn(RunColumns& columns, const RunColumn& column) {
    if (!hasColumn(columns, column)) {
        columns.push_back(column);
    } else if (columns.size() > 1) {
        std::erase_if(columns, [&](const RunColumn& one) { return sameColumn(one, column); });
    }
}

}  // namespace dasgd::gui
