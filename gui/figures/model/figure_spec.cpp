#include "gui/figures/model/figure_spec.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <set>

#include "core/base/event.h"
#include "gui/data/curves/metric_words.h"
#include "gui/figures/model/figure_json.h"
#include "gui/figures/model/rank_rows.h"

namespace dasgd::gui {

namespace {

constexpr double kLeastWidthIn = 2, kMostWidthIn = 12;
constexpr double kLeastHeightIn = 1, kMostHeightIn = 12;
constexpr double kMostSmoothing = 0.999;
constexpr int kMostRanks = 64;
constexpr int kMostAcross = 4;
constexpr int kMostRound = 999'999;
constexpr int kLeastPt = 5, kMostPt = 14;
constexpr int kMostLegendColumns = 6;

const QStringList kKindWords{QStringLiteral("curves"), QStringLiteral("timeline"), QStringLiteral("scaling"),
                             QStringLiteral("bars"),   QStringLiteral("map"),      QStringLiteral("scatter"),
                             QStringLiteral("over"),   QStringLiteral("graph"),    QStringLiteral("panels")};
const QStringList kAxisWords{QStringLiteral("step"),    QStringLiteral("epoch"), QStringLiteral("wall"),
                             QStringLiteral("samples"), QStringLiteral("bytes"), QStringLiteral("training")};
const QStringList kBandWords{QStringLiteral("none"), QStringLiteral("std"), QStringLiteral("interval-95")};
const QStringList kMemberWords{QStringLiteral("finished"), QStringLiteral("as-far-as-all")};
const QStringList kLineWords{QStringLiteral("mean"), QStringLiteral("mean-and-seeds"), QStringLiteral("seeds"),
                             QStringLiteral("ranks")};
const QStringList kSinceVersion2{QStringLiteral("members"), QStringLiteral("lines"), QStringLiteral("baseline")};
const QStringList kSinceVersion3{
    QStringLiteral("x_label"), QStringLiteral("y_label"),        QStringLiteral("x_ticks"), QStringLiteral("y_ticks"),
    QStringLiteral("legend"),  QStringLiteral("legend_columns"), QStringLiteral("order"),   QStringLiteral("label_pt"),
    QStringLiteral("tick_pt"), QStringLiteral("each_run"),       QStringLiteral("over")};
const QStringList kLegendWords{QStringLiteral("above"), QStringLiteral("inside"), QStringLiteral("none")};
const QStringList kPaletteWords{QStringLiteral("okabe-ito"), QStringLiteral("tol-bright")};
const QStringList kWidthWords{QStringLiteral("column"), QStringLiteral("full")};
const QStringList kScalingWords{QStringLiteral("weak"), QStringLiteral("strong")};
const QStringList kPlotWords{QStringLiteral("throughput"), QStringLiteral("efficiency"),
                             QStringLiteral("time-to-target")};
// The order is that of CompareNumber.
const QStringList kNumberWords{
    QStringLiteral("final-loss"),     QStringLiteral("best-accuracy"), QStringLiteral("step-ms"),
    QStringLiteral("time-to-target"), QStringLiteral("hidden"),        QStringLiteral("blocked"),
    QStringLiteral("sent-mb"),        QStringLiteral("samples-per-s"), QStringLiteral("speed-up"),
    QStringLiteral("skew-ms"),        QStringLiteral("inflation"),     QStringLiteral("samples")};

template <class Spec, class Visitor>
void visitCurveFields(Spec& spec, Visitor& f) {
    f.text("metric", spec.metric);
    f.word("x", spec.x, kAxisWords);
    f.number("smoothing", spec.smoothing, 0, kMostSmoothing);
    f.word("band", spec.band, kBandWords);
    f.word("members", spec.members, kMemberWords);
    f.word("lines", spec.lines, kLineWords);
    f.maybe("log_y", spec.logY);
}

template <class Spec, class Visitor>
void visitTimelineFields(Spec& spec, Visitor& f) {
    f.range("window_s", spec.windowS);
    f.whole("ranks", spec.ranks, 1, kMostRanks);
    f.text("rank_rows", spec.rankRows);
    f.texts("hidden_kinds", spec.hiddenKinds);
    f.flag("each_run", spec.eachRun);
    f.names("names", spec.names);
    f.texts("order", spec.order);
}

// Calls `f` for each field of the figure's kind; the one list for reading, writing and "allowed".
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
    if (spec.kind == FigureKind::Curves) visitCurveFields(spec, f);
    if (spec.kind == FigureKind::Timeline) visitTimelineFields(spec, f);
    if (spec.kind == FigureKind::Graph) f.whole("round", spec.round, 0, kMostRound);
    if (spec.kind == FigureKind::Scaling) {
        f.word("scaling", spec.scaling, kScalingWords);
        f.word("plot", spec.plot, kPlotWords);
        f.text("target", spec.target);
        f.maybe("log_y", spec.logY);
    }
    if (spec.isCompared()) {
        f.word("number", spec.number, kNumberWords);
        f.text("target", spec.target);
    }
    if (spec.isCompared() && spec.kind != FigureKind::Scatter) {
        f.word("band", spec.band, kBandWords);
        f.text("baseline", spec.baseline);
    }
    if (spec.kind == FigureKind::Map) {
        f.text("rows", spec.rows);
        f.text("columns", spec.columns);
    }
    if (spec.kind == FigureKind::Over) f.text("over", spec.over);
    if (spec.kind == FigureKind::Scatter) f.word("against", spec.against, kNumberWords);
    if (spec.hasAxes()) {
        f.range("x_range", spec.xRange);
        f.range("y_range", spec.yRange);
        f.text("x_label", spec.xLabel);
        f.text("y_label", spec.yLabel);
        f.numbers("x_ticks", spec.xTicks);
        f.numbers("y_ticks", spec.yTicks);
        f.word("legend", spec.legend, kLegendWords);
        f.maybeWhole("legend_columns", spec.legendColumns, 1, kMostLegendColumns);
        f.texts("order", spec.order);
    }
    if (spec.hasAxes() && spec.kind != FigureKind::Scatter) {
        f.flag("dashes", spec.dashes);
        f.flag("markers", spec.markers);
    }
    if (spec.hasAxes()) f.number("height_in", spec.heightIn, kLeastHeightIn, kMostHeightIn);
    const bool hasPalette = spec.kind != FigureKind::Timeline && spec.kind != FigureKind::Map;
    if (hasPalette && spec.kind != FigureKind::Panels) {
        f.word("palette", spec.palette, kPaletteWords);
        if (spec.kind != FigureKind::Graph) f.names("names", spec.names);
    }
    f.text("venue", spec.venue);
    f.word("width", spec.width, kWidthWords);
    f.maybeNumber("width_in", spec.widthIn, kLeastWidthIn, kMostWidthIn);
    f.maybeWhole("label_pt", spec.labelPt, kLeastPt, kMostPt);
    f.maybeWhole("tick_pt", spec.tickPt, kLeastPt, kMostPt);
}

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
    return kind == FigureKind::Curves || kind == FigureKind::Scaling || kind == FigureKind::Scatter ||
           kind == FigureKind::Over;
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
    if (spec.kind == FigureKind::Curves && spec.lines == FigureLines::Ranks &&
        !wordsOf(spec.metric.toStdString()).byRank) {
        return fail("\"lines\": found \"ranks\"; " + spec.metric.toStdString() +
                    " is recorded of the whole run: allowed mean, mean-and-seeds, seeds");
    }
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
    const std::string newest = std::to_string(FigureSpec::kVersion);
    if (version.isUndefined()) return fail("\"version\": absent; this program writes version " + newest);
    const int found = version.toInt();  // 0 if it is no whole number
    if (found < 1 || found > FigureSpec::kVersion) {
        return fail("\"version\": found " + quotedJson(version).toStdString() + "; this program reads versions 1 to " +
                    newest + ". A newer program may have made this figure.");
    }
    for (const auto& [since, keys] : {std::pair(2, &kSinceVersion2), std::pair(3, &kSinceVersion3)}) {
        for (const QString& key : *keys) {
            if (found >= since || !object.contains(key)) continue;
            return fail("\"" + key.toStdString() + "\": a figure of version " + std::to_string(found) +
                        " has no such field; version " + std::to_string(since) + " has it");
        }
    }
    FigureSpec spec;
    FigureReader reader(object);
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
    FigureWriter writer;
    visitFields(spec, writer);
    QJsonObject object = writer.take();
    object[QLatin1String("version")] = FigureSpec::kVersion;
    return object;
}

QJsonObject jsonOf(const std::vector<NamedFigure>& figures) {
    QJsonArray all;
    std::set<QString> taken;
    for (const NamedFigure& figure : figures) {
        QString name = figure.name;
        for (int number = 2; !taken.insert(name).second; ++number)
            name = figure.name + QStringLiteral("-%1").arg(number);
        all.append(QJsonObject{{QStringLiteral("name"), name}, {QStringLiteral("spec"), jsonOf(figure.spec)}});
    }
    return {{QStringLiteral("version"), kBundleVersion}, {QStringLiteral("figures"), all}};
}

QStringList kindWords() { return kKindWords; }
QStringList axisWords() { return kAxisWords; }
QStringList bandWords() { return kBandWords; }
QStringList memberWords() { return kMemberWords; }
QStringList lineWords() { return kLineWords; }
QStringList paletteWords() { return kPaletteWords; }
QStringList legendWords() { return kLegendWords; }
QStringList scalingPlotWords() { return kPlotWords; }
QStringList numberWords() { return kNumberWords; }

}  // namespace dasgd::gui
