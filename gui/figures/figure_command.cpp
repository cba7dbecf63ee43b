#include "gui/figures/figure_command.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>
#include <algorithm>
#include <array>

#include "core/base/metric_names.h"
#include "gui/figures/figure_data.h"
#include "gui/figures/scaling_figure.h"
#include "gui/figures/timeline_figure.h"

namespace dasgd::gui {

namespace {

constexpr int kMostRanks = 4;
constexpr std::array<const char*, 5> kAxisWords{"step", "epoch", "wall", "samples", "bytes"};
constexpr std::array<const char*, 5> kAxisTitles{"local steps", "epochs", "wall time [s]", "samples",
                                                 "bytes sent per rank"};

Result<TimeRange> parseWindow(const QString& text) {
    const QStringList parts = text.split(QLatin1Char(','));
    bool first = false, second = false;
    const double start = parts.value(0).toDouble(&first);
    const double end = parts.value(1).toDouble(&second);
    if (!first || !second || parts.size() != 2 || end <= start) {
        return fail("--window: found \"" + text.toStdString() + "\"; give two seconds of the run, as 12.0,12.6");
    }
    return TimeRange{static_cast<Ns>(start * 1e9), static_cast<Ns>(end * 1e9)};
}

Status takeNumber(const QString& option, const QString& text, double low, double high, double& into) {
    bool isNumber = false;
    const double value = text.toDouble(&isNumber);
    if (!isNumber || value < low || value > high) {
        return fail(
            QStringLiteral("%1: found \"%2\"; allowed %3 to %4").arg(option, text).arg(low).arg(high).toStdString());
    }
    into = value;
    return {};
}

Status takeOption(FigureOptions& options, const QString& option, const QString& value) {
    if (option == QLatin1String("--workspace"))
        options.workspace = value.toStdString();
    else if (option == QLatin1String("--runs"))
        options.runs = value.split(QLatin1Char(','), Qt::SkipEmptyParts);
    else if (option == QLatin1String("--out"))
        options.out = value;
    else if (option == QLatin1String("--smooth"))
        return takeNumber(option, value, 0, 0.999, options.smoothing);
    else if (option == QLatin1String("--width"))
        return takeNumber(option, value, 2, 12, options.widthIn);
    else if (option == QLatin1String("--experiment"))
        options.experiment = value;
    else if (option == QLatin1String("--scaling")) {
        if (value != QLatin1String("weak") && value != QLatin1String("strong")) {
            return fail("--scaling: found \"" + value.toStdString() + "\"; allowed weak, strong");
        }
        options.scaling = value == QLatin1String("weak") ? Scaling::Weak : Scaling::Strong;
    } else if (option == QLatin1String("--target")) {
        DASGD_ASSIGN(options.target, parseTarget(value.toStdString()));
    } else if (option == QLatin1String("--window")) {
        DASGD_ASSIGN(options.window, parseWindow(value));
    } else if (option == QLatin1String("--x")) {
        for (std::size_t i = 0; i < kAxisWords.size(); ++i) {
            if (value != QLatin1String(kAxisWords[i])) continue;
            options.axis = static_cast<XAxis>(i);
            return {};
        }
        return fail("--x: found \"" + value.toStdString() + "\"; allowed step, epoch, wall, samples, bytes");
    } else {
        return fail(option.toStdString() + ": no such option. See dasgd-lab figure --help");
    }
    return {};
}

Status writeJson(const FigureOptions& options, const std::vector<FigureGroup>& groups, const QStringList& written) {
    QJsonArray curves, files;
    for (const FigureGroup& group : groups) {
        QJsonArray runs;
        for (const RunItemPtr& run : group.runs) {
            QJsonObject one = provenanceOf(*run);
            one[QStringLiteral("in_mean")] = group.inMean(*run);
            runs.append(one);
        }
        curves.append(QJsonObject{{QStringLiteral("name"), group.name}, {QStringLiteral("runs"), runs}});
    }
    for (const QString& file : written) files.append(QDir(options.out).relativeFilePath(file));
    const QJsonObject query{
        {QStringLiteral("view"), QStringLiteral("metric_points")},
        {QStringLiteral("metrics"),
         QJsonArray{QLatin1String(metrics::kTrainLoss), QLatin1String(metrics::kSamplesPerS)}},
        {QStringLiteral("x"), QLatin1String(kAxisWords[static_cast<std::size_t>(options.axis)])},
        {QStringLiteral("smoothing"), options.smoothing},
        {QStringLiteral("over_ranks"), QStringLiteral("mean")},
        {QStringLiteral("over_seeds"),
         QStringLiteral("mean and standard deviation (n - 1) of the runs that finished, step by step or, of what they "
                        "recorded at different times, in equal windows")}};
    return writeJsonFile({{QStringLiteral("command"), options.command},
                          {QStringLiteral("curves"), curves},
                          {QStringLiteral("query"), query},
                          {QStringLiteral("width_in"), options.widthIn},
                          {QStringLiteral("files"), files}},
                         options.out + QStringLiteral("/figure.json"));
}

// Nothing that was written before is written over: a paper may already hold it.
Status checkFree(const QString& out) {
    for (const char* name : {"/figure.json", "/loss.pdf", "/throughput.pdf", "/timeline.pdf", "/points.csv"}) {
        const QString file = out + QLatin1String(name);
        if (QFileInfo::exists(file))
            return fail("--out: " + file.toStdString() +
                        " is already there. Name a new folder; figures are never written over.");
    }
    return {};
}

}  // namespace

QString figureHelp() {
    return QStringLiteral(
        "dasgd-lab figure --workspace W --runs ID[,ID...] --out DIR [--x step|epoch|wall|samples|bytes]\n"
        "                 [--smooth 0.9] [--width 5.5] [--window FROM,TO]\n"
        "Writes loss, throughput (pdf svg png csv), the timeline of the first run that reduces (pdf svg png) and "
        "figure.json.\n"
        "An id may be a unique beginning. Runs that differ only in the seed become one curve: mean and deviation\n"
        "of those that finished; what was left out is named. Figures that are already there are never written over.\n\n"
        "dasgd-lab figure --workspace W --scaling weak|strong --runs ID[,ID...] | --experiment NAME --out DIR\n"
        "                 [--target accuracy=0.97|loss=0.1] [--width 5.5]\n"
        "Writes throughput, efficiency and, with a target, time-to-target over the number of workers (pdf svg png "
        "csv),\n"
        "points.csv and figure.json. Markers are filled where time was measured, hollow where it was simulated.\n");
}

Result<FigureOptions> parseFigureOptions(const QStringList& words) {
    FigureOptions options;
    options.workspace = qEnvironmentVariable("DASGD_WORKSPACE", QStringLiteral("dasgd-workspace")).toStdString();
    for (qsizetype i = 0; i < words.size(); i += 2) {
        if (i + 1 == words.size())
            return fail(words[i].toStdString() + ": a value is missing. See dasgd-lab figure --help");
        DASGD_TRY(takeOption(options, words[i], words[i + 1]));
    }
    const bool named = options.scaling && !options.experiment.isEmpty();
    if (options.runs.isEmpty() && !named) return fail("--runs: which runs? `dasgd list` names them");
    if (options.out.isEmpty()) return fail("--out: into which folder?");
    options.command = QStringLiteral("dasgd-lab figure ") + words.join(QLatin1Char(' '));
    return options;
}

Result<QStringList> writeFigures(const FigureOptions& options) {
    DASGD_TRY(checkFree(options.out));
    if (options.scaling) return writeScalingFigures(options);
    DASGD_ASSIGN(storage::RunReader reader, storage::RunReader::open(options.workspace));
    DASGD_ASSIGN(const std::vector<FigureGroup> groups, figureGroups(reader, options.runs));
    if (!QDir().mkpath(options.out))
        return fail(options.out.toStdString() + ": cannot be made. Choose another --out folder.");
    // What time means depends on link and clock: emulated and simulated ones are named wherever time is drawn.
    const bool emulated =
        std::any_of(groups.begin(), groups.end(), [](const FigureGroup& group) { return group.linkEmulated; });
    const bool simulated = std::any_of(groups.begin(), groups.end(),
                                       [](const FigureGroup& group) { return group.runs.front()->row.timeSimulated; });
    QString link = emulated ? QStringLiteral(", link emulated") : QString();
    if (simulated) link += QStringLiteral(", time simulated");
    QString x = QLatin1String(kAxisTitles[static_cast<std::size_t>(options.axis)]);
    if (options.axis == XAxis::Wall) x += link;
    const QString note =
        options.smoothing > 0 ? QStringLiteral(" (average, weight %1)").arg(options.smoothing) : QString();
    QStringList written;
    PaperFigure loss{.axes = {.x = x, .y = QStringLiteral("training loss") + note, .logY = options.logLoss},
                     .widthIn = options.widthIn};
    DASGD_ASSIGN(loss.curves, figureCurves(reader, groups, metrics::kTrainLoss, options.axis, options.smoothing));
    DASGD_TRY(writeFigureFiles(options.out + QStringLiteral("/loss"), loss, written));
    PaperFigure speed{.axes = {.x = x, .y = QStringLiteral("samples/s") + link, .fromZero = true},
                      .widthIn = options.widthIn};
    DASGD_ASSIGN(speed.curves, figureCurves(reader, groups, metrics::kSamplesPerS, options.axis, 0));
    DASGD_TRY(writeFigureFiles(options.out + QStringLiteral("/throughput"), speed, written));

    // The first run that has a reduction to show; any run where none has.
    const auto reduces = std::find_if(groups.begin(), groups.end(), [](const FigureGroup& group) {
        return group.runs.front()->row.hidden.has_value();
    });
    const FigureGroup& shown = reduces == groups.end() ? groups.front() : *reduces;
    DASGD_ASSIGN(const storage::RunDetail first, reader.run(shown.runs.front()->row.runId));
    DASGD_ASSIGN(std::optional<TimeRange> window, steadyWindow(reader, first));
    if (window) {
        const QString stem = options.out + QStringLiteral("/timeline");
        DASGD_TRY(
            writeTimelineFigure(reader, first, options.window.value_or(*window), options.widthIn, kMostRanks, stem));
        for (const char* suffix : {".pdf", ".svg", ".png"}) written << stem + QLatin1String(suffix);
    }
    DASGD_TRY(writeJson(options, groups, written));
    return written << options.out + QStringLiteral("/figure.json");
}

}  // namespace dasgd::gui
