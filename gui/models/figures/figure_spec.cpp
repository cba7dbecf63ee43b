#include "gui/models/figures/figure_spec.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <cmath>

#include "core/base/event.h"
#include "gui/models/figures/rank_rows.h"

namespace dasgd::gui {

namespace {

constexpr double kLeastWidthIn = 2, kMostWidthIn = 12;
constexpr double kLeastHeightIn = 1, kMostHeightIn = 12;
constexpr double kMostSmoothing = 0.999;
constexpr int kMostRanks = 64;
constexpr int kMostAcross = 4;

const QStringList kKindWords{QStringLiteral("curves"), QStringLiteral("timeline"), QStringLiteral("scaling"),
                             QStringLiteral("bars"),   QStringLiteral("map"),      QStringLiteral("scatter"),
                             QStringLiteral("panels")};
const QStringList kAxisWords{QStringLiteral("step"), QStringLiteral("epoch"), QStringLiteral("wall"),
                             QStringLiteral("samples"), QStringLiteral("bytes")};
const QStringList kBandWords{QStringLiteral("none"), QStringLiteral("std"), QStringLiteral("interval-95")};
const QStringList kPaletteWords{QStringLiteral("okabe-ito"), QStringLiteral("tol-bright")};
const QStringList kWidthWords{QStringLiteral("column"), QStringLiteral("full")};
const QStringList kScalingWords{QStringLiteral("weak"), QStringLiteral("strong")};
const QStringList kPlotWords{QStringLiteral("throughput"), QStringLiteral("efficiency"),
                             QStringLiteral("time-to-target")};
// In the order of CompareNumber.
const QStringList kNumberWords{QStringLiteral("final-loss"), QStringLiteral("best-accuracy"),
                               QStringLiteral("step-ms"),    QStringLiteral("time-to-target"),
                               QStringLiteral("hidden"),     QStringLiteral("blocked"),
                               QStringLiteral("sent-mb"),    QStringLiteral("samples-per-s")};

// Calls `f` for each field of this kind of figure; one list for reading, writing and "allowed".
template <class Spec, class Visitor>
void visitFields(Spec& spec, Visitor& f) {
    f.word("kind", spec.kind, kKindWords);
    f.text("title", spec.title);
    f.text("caption", spec.caption);
    if (spec.kind == FigureKind::Panels) {
        f.figures("panels", spec.panels);
        f.whole("across", spec.across, 1, kMostAcross);
    } else {
        f.texts("runs", spec.runs);
        f.text("filter", spec.filter);
    }
    if (spec.kind == FigureKind::Curves) {
        f.text("metric", spec.metric);
        f.word("x", spec.x, kAxisWords);
        f.number("smoothing", spec.smoothing, 0, kMostSmoothing);
        f.word("band", spec.band, kBandWords);
        f.maybe("log_y", spec.logY);
    }
    if (spec.kind == FigureKind::Timeline) {
        f.range("window_s", spec.windowS);
        f.whole("ranks", spec.ranks, 1, kMostRanks);
        f.text("rank_rows", spec.rankRows);
        f.texts("hidden_kinds", spec.hiddenKinds);
    }
    if (spec.kind == FigureKind::Scaling) {
        f.word("scaling", spec.scaling, kScalingWords);
        f.word("plot", spec.plot, kPlotWords);
        f.text("target", spec.target);
    }
    if (spec.isCompared()) {
        f.word("number", spec.number, kNumberWords);
        f.text("target", spec.target);
    }
    if (spec.kind == FigureKind::Bars || spec.kind == FigureKind::Map) f.word("band", spec.band, kBandWords);
    if (spec.kind == FigureKind::Map) {
        f.text("rows", spec.rows);
        f.text("columns", spec.columns);
    }
    if (spec.kind == FigureKind::Scatter) f.word("against", spec.against, kNumberWords);
    if (spec.hasAxes()) {
        f.range("x_range", spec.xRange);
        f.range("y_range", spec.yRange);
        if (spec.kind != FigureKind::Scatter) {
            f.flag("dashes", spec.dashes);
            f.flag("markers", spec.markers);
        }
        f.number("height_in", spec.heightIn, kLeastHeightIn, kMostHeightIn);
    }
    const bool hasPalette = spec.kind != FigureKind::Timeline && spec.kind != FigureKind::Map;
    if (hasPalette && spec.kind != FigureKind::Panels) {
        f.word("palette", spec.palette, kPaletteWords);
        f.names("names", spec.names);
    }
    f.text("venue", spec.venue);
    f.word("width", spec.width, kWidthWords);
    f.maybeNumber("width_in", spec.widthIn, kLeastWidthIn, kMostWidthIn);
}

QString inWords(const QJsonValue& value) {
    switch (value.type()) {
        case QJsonValue::String: return QLatin1Char('"') + value.toString() + QLatin1Char('"');
        case QJsonValue::Double: return QString::number(value.toDouble(), 'g', 9);
        case QJsonValue::Bool: return value.toBool() ? QStringLiteral("true") : QStringLiteral("false");
        case QJsonValue::Array: return QStringLiteral("a list");
        case QJsonValue::Object: return QStringLiteral("an object");
        default: return QStringLiteral("null");
    }
}

// Keeps the first error, and which fields there are.
class Reader {
public:
    explicit Reader(const QJsonObject& object) : object_(object) {}

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

    // The first error, a field that nobody asked for included.
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
    // Null stands for a field that is not there.
    std::optional<QJsonValue> find(const char* key) {
        const QLatin1String name(key);
        if (!asked_.contains(name)) asked_ << name;
        const auto found = object_.find(name);
        if (found == object_.end() || found->isNull()) return std::nullopt;
        return *found;
    }
    void wrong(const char* key, const QJsonValue& found, const QString& allowed) {
        if (!error_.isEmpty()) return;
        error_ = QStringLiteral("\"%1\": found %2; allowed %3").arg(QLatin1String(key), inWords(found), allowed);
    }

    const QJsonObject& object_;
    QStringList asked_;
    QString error_;
};

class Writer {
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

bool needsTarget(const FigureSpec& spec) {
    const auto isTime = [](CompareNumber number) { return number == CompareNumber::SecondsToTarget; };
    return (spec.kind == FigureKind::Scaling && spec.plot == ScalingPlot::TimeToTarget) ||
           (spec.isCompared() && isTime(spec.number)) || (spec.kind == FigureKind::Scatter && isTime(spec.against));
}

Status checkRows(const FigureSpec& spec) {
    if (const auto plan = rowPlanOf(spec.rankRows); !plan) return fail("\"rank_rows\": " + plan.error().message);
    QStringList kinds;
    for (const std::string_view kind : kSpanKindNames) kinds << QString::fromLatin1(kind.data());
    for (const QString& kind : spec.hiddenKinds) {
        if (kinds.contains(kind)) continue;
        return fail(QStringLiteral("\"hidden_kinds\": found \"%1\"; allowed %2")
                        .arg(kind, kinds.join(QStringLiteral(", ")))
                        .toStdString());
    }
    return {};
}

Status checkPanels(const FigureSpec& spec) {
    if (spec.kind != FigureKind::Panels) return {};
    if (spec.panels.empty() || spec.panels.size() > FigureSpec::kMostPanels) {
        return fail("\"panels\": found " + std::to_string(spec.panels.size()) + "; allowed 1 to " +
                    std::to_string(FigureSpec::kMostPanels));
    }
    for (const FigureSpec& panel : spec.panels) {
        if (panel.kind == FigureKind::Panels) return fail("\"panels\": a panel has no panels of its own");
    }
    return {};
}

}  // namespace

const Venue& FigureSpec::venueOf() const {
    const Venue* found = findVenue(venue);
    return found ? *found : venues().front();
}

bool FigureSpec::hasAxes() const {
    return kind == FigureKind::Curves || kind == FigureKind::Scaling || kind == FigureKind::Scatter;
}

double FigureSpec::inchesWide() const {
    return widthIn.value_or(width == FigureWidth::Column ? venueOf().columnIn : venueOf().fullIn);
}

Status check(const FigureSpec& spec) {
    if (!findVenue(spec.venue)) {
        return fail(QStringLiteral("\"venue\": found \"%1\"; allowed %2")
                        .arg(spec.venue, venueIds().join(QStringLiteral(", ")))
                        .toStdString());
    }
    DASGD_TRY(checkRows(spec));
    DASGD_TRY(checkPanels(spec));
    if (!spec.runs.isEmpty() && !spec.filter.isEmpty())
        return fail("\"filter\": give either runs or a filter, not both");
    if (!spec.dashes && !spec.markers)
        return fail("\"markers\": dashes and markers are both false; colour alone does not tell curves apart in print");
    if (!spec.target.isEmpty()) {
        if (const auto target = parseTarget(spec.target.toStdString()); !target)
            return fail("\"target\": " + target.error().message);
    } else if (needsTarget(spec)) {
        return fail("\"target\": absent; a plot of time-to-target needs one, as accuracy=0.97");
    }
    if (spec.kind == FigureKind::Map && spec.rows.isEmpty() != spec.columns.isEmpty())
        return fail("\"rows\": give both settings of the map, rows and columns, or neither");
    if (spec.kind == FigureKind::Map && !spec.rows.isEmpty() && spec.rows == spec.columns)
        return fail("\"columns\": found that of the rows, " + spec.rows.toStdString() + "; a map needs two settings");
    return {};
}

Result<FigureSpec> figureSpecOf(const QJsonObject& object) {
    const QJsonValue version = object[QLatin1String("version")];
    if (version.isUndefined()) return fail("\"version\": absent; this program writes version 1");
    if (!version.isDouble() || version.toDouble() != FigureSpec::kVersion) {
        return fail("\"version\": found " + inWords(version).toStdString() +
                    "; this program reads version 1. A newer program may have made this figure.");
    }
    FigureSpec spec;
    Reader reader(object);
    reader.ask("version");
    visitFields(spec, reader);
    DASGD_TRY(reader.finish());
    DASGD_TRY(check(spec));
    return spec;
}

Result<QJsonObject> jsonObjectOf(const QByteArray& text, const QString& name) {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (error.error != QJsonParseError::NoError) {
        const QByteArray before = text.left(error.offset);
        return fail(QStringLiteral("%1:%2:%3: %4")
                        .arg(name)
                        .arg(before.count('\n') + 1)
                        .arg(before.size() - before.lastIndexOf('\n'))
                        .arg(error.errorString())
                        .toStdString());
    }
    if (!document.isObject()) return fail(name.toStdString() + ": a figure is a JSON object");
    return document.object();
}

QJsonObject jsonOf(const FigureSpec& spec) {
    Writer writer;
    visitFields(spec, writer);
    QJsonObject object = writer.take();
    object[QLatin1String("version")] = FigureSpec::kVersion;
    return object;
}

QStringList kindWords() { return kKindWords; }
QStringList axisWords() { return kAxisWords; }
QStringList bandWords() { return kBandWords; }
QStringList paletteWords() { return kPaletteWords; }
QStringList scalingPlotWords() { return kPlotWords; }
QStringList numberWords() { return kNumberWords; }

}  // namespace dasgd::gui
