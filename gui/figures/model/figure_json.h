// Strict reader and writer for the fields of a figure's JSON. Private to figure_spec.cpp, which lists the fields: both
// classes have one function for each kind of value, so that one list of fields serves both.
#pragma once

#include <QJsonArray>
#include <algorithm>
#include <cmath>

#include "gui/figures/model/figure_spec.h"

namespace dasgd::gui {

// A JSON value as error messages quote it.
[[nodiscard]] inline QString quotedJson(const QJsonValue& value) {
    switch (value.type()) {
        case QJsonValue::String: return QLatin1Char('"') + value.toString() + QLatin1Char('"');
        case QJsonValue::Double: return QString::number(value.toDouble(), 'g', 9);
        case QJsonValue::Bool: return value.toBool() ? QStringLiteral("true") : QStringLiteral("false");
        case QJsonValue::Array: return QStringLiteral("a list");
        case QJsonValue::Object: return QStringLiteral("an object");
        default: return QStringLiteral("null");
    }
}

// Reads fields; keeps the first error, and the names of all fields that were asked for.
class FigureReader {
public:
    explicit FigureReader(const QJsonObject& object) : object_(object) {}

    template <class Word>
    void word(const char* key, Word& into, const QStringList& words) {
        const auto value = find(key);
        if (!value) return;
        const auto at = value->isString() ? words.indexOf(value->toString()) : -1;
        if (at < 0) return wrong(key, *value, words.join(QStringLiteral(", ")));
        into = static_cast<Word>(at);
    }
    void text(const char* key, QString& into) {
        const auto value = find(key);
        if (!value) return;
        if (!value->isString()) return wrong(key, *value, QStringLiteral("a text"));
        into = value->toString();
    }
    void texts(const char* key, QStringList& into) {
        const auto value = find(key);
        if (!value) return;
        const QString allowed = QStringLiteral("a list of texts");
        if (!value->isArray()) return wrong(key, *value, allowed);
        QStringList list;
        for (const QJsonValue& one : value->toArray()) {
            if (!one.isString()) return wrong(key, one, allowed);
            list << one.toString();
        }
        into = list;
    }
    void number(const char* key, double& into, double low, double high) {
        const auto value = find(key);
        if (!value) return;
        const double found = value->toDouble();
        if (!value->isDouble() || found < low || found > high)
            return wrong(key, *value, QStringLiteral("%1 to %2").arg(low).arg(high));
        into = found;
    }
    void maybeNumber(const char* key, std::optional<double>& into, double low, double high) {
        if (!find(key)) return;
        double found = 0;
        number(key, found, low, high);
        into = found;
    }
    void whole(const char* key, int& into, int low, int high) {
        const auto value = find(key);
        if (!value) return;
        const double found = value->toDouble();
        if (!value->isDouble() || found != std::floor(found) || found < low || found > high)
            return wrong(key, *value, QStringLiteral("whole numbers from %1 to %2").arg(low).arg(high));
        into = static_cast<int>(found);
    }
    void maybeWhole(const char* key, std::optional<int>& into, int low, int high) {
        if (!find(key)) return;
        int found = 0;
        whole(key, found, low, high);
        into = found;
    }
    void numbers(const char* key, std::vector<double>& into) {
        const auto value = find(key);
        if (!value) return;
        const QJsonArray list = value->toArray();
        const bool good = value->isArray() &&
                          std::all_of(list.begin(), list.end(), [](const QJsonValue& one) { return one.isDouble(); });
        if (!good) return wrong(key, *value, QStringLiteral("a list of numbers, as [0, 50, 100]"));
        into.clear();
        for (const QJsonValue& one : list) into.push_back(one.toDouble());
    }
    void flag(const char* key, bool& into) {
        const auto value = find(key);
        if (!value) return;
        if (!value->isBool()) return wrong(key, *value, QStringLiteral("true, false"));
        into = value->toBool();
    }
    void maybe(const char* key, std::optional<bool>& into) {
        if (!find(key)) return;
        bool found = false;
        flag(key, found);
        into = found;
    }
    void range(const char* key, std::optional<FigureRange>& into) {
        const auto value = find(key);
        if (!value) return;
        const QJsonArray ends = value->toArray();
        const bool numbers = ends.size() == 2 && ends[0].isDouble() && ends[1].isDouble();
        if (!numbers || ends[0].toDouble() >= ends[1].toDouble())
            return wrong(key, *value, QStringLiteral("two rising numbers, as [0, 100]"));
        into = FigureRange{ends[0].toDouble(), ends[1].toDouble()};
    }
    void names(const char* key, std::map<QString, QString>& into) {
        const auto value = find(key);
        if (!value) return;
        if (!value->isObject()) return wrong(key, *value, QStringLiteral("an object of texts"));
        const QJsonObject object = value->toObject();
        for (auto one = object.begin(); one != object.end(); ++one) {
            if (!one->isString()) return wrong(key, *one, QStringLiteral("an object of texts"));
            into[one.key()] = one->toString();
        }
    }
    void figures(const char* key, std::vector<FigureSpec>& into) {
        const auto value = find(key);
        if (!value) return;
        if (!value->isArray()) return wrong(key, *value, QStringLiteral("a list of figures"));
        for (const QJsonValue& one : value->toArray()) {
            auto panel = figureSpecOf(one.toObject());
            if (!panel) {
                if (error_.isEmpty())
                    error_ = QStringLiteral("\"%1\", figure %2: %3")
                                 .arg(QLatin1String(key))
                                 .arg(into.size() + 1)
                                 .arg(QString::fromStdString(panel.error().message));
                return;
            }
            into.push_back(std::move(*panel));
        }
    }

    // The first error; a field that was never asked for is one too.
    [[nodiscard]] Status finish() const {
        if (!error_.isEmpty()) return fail(error_.toStdString());
        for (const QString& key : object_.keys()) {
            if (asked_.contains(key)) continue;
            return fail(QStringLiteral("\"%1\": a figure of this kind has no such field; allowed %2")
                            .arg(key, asked_.join(QStringLiteral(", ")))
                            .toStdString());
        }
        return {};
    }
    void ask(const char* key) { asked_ << QLatin1String(key); }

private:
    // Value of the field; a null counts as absent.
    std::optional<QJsonValue> find(const char* key) {
        const QLatin1String name(key);
        if (!asked_.contains(name)) asked_ << name;
        const auto found = object_.find(name);
        if (found == object_.end() || found->isNull()) return std::nullopt;
        return *found;
    }
    void wrong(const char* key, const QJsonValue& found, const QString& allowed) {
        if (!error_.isEmpty()) return;
        error_ = QStringLiteral("\"%1\": found %2; allowed %3").arg(QLatin1String(key), quotedJson(found), allowed);
    }

    const QJsonObject& object_;
    QStringList asked_;
    QString error_;
};

class FigureWriter {
public:
    template <class Word>
    void word(const char* key, Word value, const QStringList& words) {
        put(key, words[static_cast<int>(value)]);
    }
    void text(const char* key, const QString& value) { put(key, value); }
    void texts(const char* key, const QStringList& value) { put(key, QJsonArray::fromStringList(value)); }
    void number(const char* key, double value, double, double) { put(key, value); }
    void maybeNumber(const char* key, const std::optional<double>& value, double, double) {
        if (value) put(key, *value);
    }
    void whole(const char* key, int value, int, int) { put(key, value); }
    void maybeWhole(const char* key, const std::optional<int>& value, int, int) {
        if (value) put(key, *value);
    }
    void numbers(const char* key, const std::vector<double>& value) {
        QJsonArray list;
        for (const double one : value) list.append(one);
        put(key, list);
    }
    void flag(const char* key, bool value) { put(key, value); }
    void maybe(const char* key, const std::optional<bool>& value) {
        if (value) put(key, *value);
    }
    void range(const char* key, const std::optional<FigureRange>& value) {
        if (value) put(key, QJsonArray{value->low, value->high});
    }
    void names(const char* key, const std::map<QString, QString>& value) {
        QJsonObject object;
        for (const auto& [of, name] : value) object[of] = name;
        put(key, object);
    }
    void figures(const char* key, const std::vector<FigureSpec>& value) {
        QJsonArray list;
        for (const FigureSpec& one : value) list.append(jsonOf(one));
        put(key, list);
    }
    [[nodiscard]] QJsonObject take() { return std::move(object_); }

private:
    void put(const char* key, const QJsonValue& value) { object_[QLatin1String(key)] = value; }
    QJsonObject object_;
};

}  // namespace dasgd::gui
