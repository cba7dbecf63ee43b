#include "gui/experiment/model/document/forecast_json.h"

#include <QJsonArray>
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/base/schema/fields.h"

namespace dasgd::gui {

namespace {

template <Visitable T>
void readJson(const QJsonValue& json, T& value);
template <class T>
void readJson(const QJsonValue& json, std::vector<T>& list);
template <class T>
void readJson(const QJsonValue& json, std::optional<T>& value);

void readJson(const QJsonValue& json, std::string& text) { text = json.toString().toStdString(); }
void readJson(const QJsonValue& json, double& number) { number = json.toDouble(number); }
void readJson(const QJsonValue& json, std::int64_t& number) { number = json.toInteger(number); }
void readJson(const QJsonValue& json, int& number) { number = json.toInt(number); }

template <class T, std::size_t N>
void readName(const QJsonValue& json, const std::array<std::string_view, N>& names, T& value) {
    const auto found = std::ranges::find(names, json.toString().toStdString());
    if (found != names.end()) value = static_cast<T>(found - names.begin());
}
void readJson(const QJsonValue& json, SpanKind& kind) { readName(json, kSpanKindNames, kind); }
void readJson(const QJsonValue& json, Lane& lane) { readName(json, kLaneNames, lane); }

struct JsonReader {
    QJsonObject json;
    void operator()(auto& field, std::string_view name, const FieldSpec&) {
        const QJsonValue value = json.value(QLatin1String(name.data(), static_cast<qsizetype>(name.size())));
        if (!value.isUndefined()) readJson(value, field);
    }
};

template <Visitable T>
void readJson(const QJsonValue& json, T& value) {
    JsonReader reader{json.toObject()};
    value.visit(reader);
}

template <class T>
void readJson(const QJsonValue& json, std::vector<T>& list) {
    for (const QJsonValue& one : json.toArray()) readJson(one, list.emplace_back());
}

template <class T>
void readJson(const QJsonValue& json, std::optional<T>& value) {
    if (!json.isNull()) readJson(json, value.emplace());
}

}  // namespace

PlanForecast planForecastOf(const QJsonObject& json) {
    PlanForecast forecast;
    readJson(json, forecast);
    return forecast;
}

}  // namespace dasgd::gui
