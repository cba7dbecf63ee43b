#include "gui/figures/bundle/figure_bundle.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonObject>

#include "core/base/metric_names.h"
#include "gui/figures/content/figure_panels.h"
#include "gui/figures/content/figure_setup.h"
#include "gui/figures/export/figure_files.h"
#include "gui/figures/tex/latex.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

QString bandColumn(FigureBand band) {
    return band == FigureBand::Interval95 ? QStringLiteral("half_width_of_95_percent_interval")
                                          : QStringLiteral("std_or_half_range_of_two");
}

QString bandInWords(FigureBand band) {
    switch (band) {
        case FigureBand::None: return QStringLiteral("none");
        case FigureBand::Std:
            return QStringLiteral("mean plus and minus standard deviation (n - 1), of two half their range");
        case FigureBand::Interval95:
            return QStringLiteral("95 % confidence interval of the mean: Student's t, n - 1 degrees of freedom");
    }
    return {};
}

QJsonObject queryOf(const FigureSpec& spec) {
    QJsonObject query;
    if (spec.kind == FigureKind::Curves) {
        query[QLatin1String("view")] = QStringLiteral("metric_points");
        query[QLatin1String("metric")] = spec.metric;
        const bool ranks = spec.lines == FigureLines::Ranks, apart = ranks || spec.lines == FigureLines::Seeds;
        query[QLatin1String("over_ranks")] = ranks ? QStringLiteral("each by itself") : QStringLiteral("mean");
        query[QLatin1String("over_seeds")] =
            (apart ? QStringLiteral("each by itself: ") : QStringLiteral("mean of ")) +
            (spec.members == FigureMembers::AsFarAsAll
                 ? QStringLiteral("the runs that began")
                 : QStringLiteral("the runs that finished, or all where none did")) +
            (apart
                 ? QString()
                 : QStringLiteral(", step by step or, of what they recorded at different times, in windows that hold a "
                                  "record of every one, as far as all of them go; then the mean of their ends"));
        if (!apart) query[QLatin1String("band")] = bandInWords(spec.band);
    }
    if (spec.kind == FigureKind::Graph) query[QLatin1String("setting")] = QStringLiteral("graph");
    if (spec.kind == FigureKind::Timeline) query[QLatin1String("view")] = QStringLiteral("spans");
    if (spec.kind == FigureKind::Scaling) {
        query[QLatin1String("metrics")] =
            QJsonArray{QStringLiteral("step_ms"), QString::fromLatin1(metrics::kEvalAccuracy),
                       QString::fromLatin1(metrics::kEvalLoss)};
        query[QLatin1String("efficiency")] = QStringLiteral("against the smallest number of workers of each curve");
        query[QLatin1String("over_seeds")] = QStringLiteral("mean and standard deviation (n - 1)");
    }
    if (spec.isCompared()) {
        query[QLatin1String("number")] = numberWords()[static_cast<int>(spec.number)];
        if (spec.kind != FigureKind::Scatter)
            query[QLatin1String("baseline")] =
                spec.baseline.isEmpty() ? QStringLiteral("sync_sgd, else the slowest") : spec.baseline;
        if (spec.kind == FigureKind::Scatter)
            query[QLatin1String("against")] = numberWords()[static_cast<int>(spec.against)];
        query[QLatin1String("over_seeds")] =
            spec.kind == FigureKind::Scatter
                ? QStringLiteral("one point a finished run")
                : QStringLiteral(
                      "mean of the finished runs, one of each seed, the newest; std with n - 1, interval "
                      "by Student's t");
    }
    return query;
}

// Replaces the filter of the spec, and of each panel, by the recorded runs.
void pinRuns(FigureSpec& spec, const QJsonObject& record) {
    const QJsonArray panels = record[QLatin1String("panels")].toArray();
    for (qsizetype i = 0; i < panels.size() && i < static_cast<qsizetype>(spec.panels.size()); ++i) {
        pinRuns(spec.panels[static_cast<std::size_t>(i)], panels[i].toObject());
    }
    if (spec.kind == FigureKind::Panels) return;
    QStringList runs;
    for (const QJsonValue& curve : record[QLatin1String("curves")].toArray()) {
        for (const QJsonValue& run : curve[QLatin1String("runs")].toArray()) {
            runs << run[QLatin1String("run_id")].toString();
        }
    }
    if (runs.isEmpty()) return;
    spec.runs = runs;
    spec.filter.clear();
}

Result<NamedFigure> pinned(const QJsonObject& record) {
    DASGD_ASSIGN(FigureSpec spec, figureSpecOf(record[QLatin1String("spec")].toObject()));
    pinRuns(spec, record);
    return NamedFigure{fileStem(record[QLatin1String("name")].toString()), spec};
}

// Entry of a figure or of a panel in figure.json.
QJsonObject contentRecord(const FigureContent& content, const FigureSpec& spec) {
    QJsonObject record;
    QJsonArray curves;
    for (const FigureSource& source : content.sources) {
        QJsonArray runs;
        for (std::size_t i = 0; i < source.runs.size(); ++i) {
            QJsonObject run = provenanceOf(*source.runs[i]);
            run[QLatin1String("in_mean")] = static_cast<bool>(source.drawn[i]);
            runs.append(run);
        }
        QJsonObject curve{{QStringLiteral("name"), source.name}, {QStringLiteral("key"), source.key}};
        const bool simulated = !source.runs.empty() && source.runs.front()->row.timeSimulated;
        curve[QLatin1String("time")] = simulated ? QStringLiteral("simulated") : QStringLiteral("measured");
        curve[QLatin1String("runs")] = runs;
        curves.append(curve);
    }
    QJsonArray panels;
    for (std::size_t i = 0; i < content.panels.size(); ++i) {
        QJsonObject panel = contentRecord(content.panels[i], spec.panels[i]);
        panel[QLatin1String("panel")] = panelLetter(i);
        panels.append(panel);
    }
    if (panels.isEmpty()) {
        record[QLatin1String("curves")] = curves;
        record[QLatin1String("query")] = queryOf(spec);
    } else {
        record[QLatin1String("panels")] = panels;
    }
    if (const QStringList notes = content.allNotes(); !notes.isEmpty())
        record[QLatin1String("notes")] = QJsonArray::fromStringList(notes);
    return record;
}

// Writes CSV files and table, everything but the pictures.
Status writeNumbers(const FigureContent& content, const FigureSpec& spec, const QString& stem, QStringList& written) {
    const auto add = [&](const char* suffix, const QString& text) {
        written << stem + QLatin1String(suffix);
        return writeText(text, written.back());
    };
    if (!content.csv.isEmpty()) {
        DASGD_TRY(add(".csv", content.csv));
    } else if (content.timeline) {
        DASGD_TRY(add(".csv", spansCsv(content.timeline->spans)));
    } else {
        DASGD_TRY(add(".csv", curvesCsv(content.curves, content.axes, bandColumn(spec.band))));
    }
    if (content.hasCurves()) DASGD_TRY(add("-plot.csv", plotNumbers(content.curves, content.axes)));
    if (!content.table.rows.empty()) DASGD_TRY(add("-table.tex", booktabsOf(content.table)));
    if (!content.pointsCsv.isEmpty()) DASGD_TRY(add("-points.csv", content.pointsCsv));
    return {};
}

}  // namespace

Status checkFree(const QString& name, const QString& folder) {
    const QString stem = folder + QLatin1Char('/') + name;
    QStringList suffixes;
    for (const char* one :
         {".pdf", ".svg", ".png", ".csv", "-plot.tex", "-plot.csv", "-table.tex", "-points.csv", "-caption.tex"}) {
        suffixes << QLatin1String(one);
    }
    for (std::size_t panel = 0; panel < FigureSpec::kMostPanels; ++panel) {
        for (const char* one : {".csv", "-plot.csv", "-table.tex", "-points.csv"}) {
            suffixes << QLatin1Char('-') + panelLetter(panel) + QLatin1String(one);
        }
    }
    for (const QString& suffix : suffixes) {
        const QString file = stem + suffix;
        if (QFileInfo::exists(file))
            return fail("--out: " + file.toStdString() +
                        " is already there. Name a new folder; figures are never written over.");
    }
    return {};
}

Result<QString> writeBundle(const FigureContent& content, const NamedFigure& figure, const QString& folder,
                            QStringList& written) {
    const QString stem = folder + QLatin1Char('/') + figure.name;
    DASGD_TRY(checkFree(figure.name, folder));
    const PaperPage page = layOut(content, figure.spec);
    written << stem + QStringLiteral("-caption.tex");
    DASGD_TRY(writeText(captionTex(captionOf(content, figure.spec)), written.back()));
    for (const char* suffix : {".pdf", ".svg", ".png"}) {
        written << stem + QLatin1String(suffix);
        DASGD_TRY(writePage(page, written.back()));
    }
    if (content.panels.empty()) {
        DASGD_TRY(writeNumbers(content, figure.spec, stem, written));
        written << stem + QStringLiteral("-plot.tex");
        DASGD_TRY(
            writeText(pgfplotsOf(content, figure.spec, figure.name + QStringLiteral("-plot.csv")), written.back()));
        return tooHighInWords(page);
    }
    for (std::size_t i = 0; i < content.panels.size(); ++i) {
        DASGD_TRY(
            writeNumbers(content.panels[i], figure.spec.panels[i], stem + QLatin1Char('-') + panelLetter(i), written));
    }
    written << stem + QStringLiteral("-plot.tex");
    DASGD_TRY(writeText(panelsTex(content, figure.spec, figure.name), written.back()));
    return tooHighInWords(page);
}

QJsonObject recordOf(const FigureContent& content, const NamedFigure& figure, const QStringList& files,
                     const QString& folder) {
    QJsonObject record = contentRecord(content, figure.spec);
    QJsonArray names;
    for (const QString& file : files) names.append(QDir(folder).relativeFilePath(file));
    record[QLatin1String("name")] = figure.name;
    record[QLatin1String("spec")] = jsonOf(figure.spec);
    record[QLatin1String("caption")] = captionOf(content, figure.spec);
    record[QLatin1String("width_in")] = figure.spec.inchesWide();
    record[QLatin1String("files")] = names;
    if (!content.missing.isEmpty()) record[QLatin1String("missing_runs")] = QJsonArray::fromStringList(content.missing);
    return record;
}

QJsonObject bundleRecord(const QJsonArray& figures, const QString& command) {
    return {{QStringLiteral("version"), kBundleVersion},
            {QStringLiteral("program"), QStringLiteral("dasgd-lab " DASGD_VERSION)},
            {QStringLiteral("command"), command},
            {QStringLiteral("figures"), figures}};
}

Result<std::vector<NamedFigure>> figuresOf(const QByteArray& text, const QString& file) {
    const std::string begin = file.toStdString() + ": ";
    DASGD_ASSIGN(const QJsonObject object, jsonObjectOf(text, file));
    std::vector<NamedFigure> figures;
    if (!object.contains(QLatin1String("figures"))) {
        const auto spec = figureSpecOf(object);
        if (!spec) return fail(begin + spec.error().message);
        figures.push_back({fileStem(QFileInfo(file).completeBaseName()), *spec});
        return figures;
    }
    if (object[QLatin1String("version")].toInt() != kBundleVersion)
        return fail(begin + "\"version\": this program reads version 1. A newer program may have made this bundle.");
    for (const QJsonValue& one : object[QLatin1String("figures")].toArray()) {
        auto figure = pinned(one.toObject());
        if (!figure) return fail(begin + "\"figures\": " + figure.error().message);
        figures.push_back(std::move(*figure));
    }
    if (figures.empty()) return fail(begin + "\"figures\": there is none");
    return figures;
}

}  // namespace dasgd::gui
