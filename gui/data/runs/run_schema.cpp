#include "gui/data/runs/run_schema.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace dasgd::gui {

RunSchema schemaOf(const storage::RunRow& row) {
    RunSchema schema;
    if (!row.schema) return schema;
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(*row.schema));
    for (const QJsonValue& value : document.array()) {
        const QJsonObject field = value.toObject();
        schema.push_back({.key = field[QLatin1String("key")].toString().toStdString(),
                          .symbol = field[QLatin1String("symbol")].toString(),
                          .unit = field[QLatin1String("unit")].toString(),
                          .defaultText = field[QLatin1String("default")].toString()});
    }
    return schema;
}

const Setting* findSetting(const RunSchema& schema, const std::string& key) {
    const auto found = std::find_if(schema.begin(), schema.end(), [&](const Setting& one) { return one.key == key; });
    return found == schema.end() ? nullptr : &*found;
}

}  // namespace dasgd::gui
