#include "gui/figures/bundle/figure_command.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <algorithm>
#include <cstdio>

#include "core/base/metric_names.h"
#include "core/base/schema/input_file.h"
#include "gui/data/filter/filter_expression.h"
#include "gui/figures/content/figure_curves.h"
#include "gui/figures/export/figure_files.h"
#include "gui/figures/model/figure_templates.h"

namespace dasgd::gui {

namespace {

// Values of the options, before figures are made of them.
struct Words {
    FigureSpec spec;
    bool scaling = false;
    bool log = true;
    QString experiment, fromTemplate;
    std::optional<FigureRange> window;
    QStringList drawing;  // names of the given options that choose the figure's content
};

Result<FigureRange> parseWindow(const QString& text) {
    const QStringList parts = text.split(QLatin1Char(','));
    bool first = false, second = false;
    const double start = parts.value(0).toDouble(&first);
    const double end = parts.value(1).toDouble(&second);
    if (!first || !second || parts.size() != 2 || end <= start) {
        return fail("--window: found \"" + text.toStdString() + "\"; give two seconds of the run, as 12.0,12.6");
    }
    return FigureRange{start, end};
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

template <class Word>
Status takeWord(const QString& option, const QString& text, const QStringList& words, Word& into) {
    const auto at = words.indexOf(text);
    if (at < 0) {
        return fail(QStringLiteral("%1: found \"%2\"; allowed %3")
                        .arg(option, text, words.join(QStringLiteral(", ")))
                        .toStdString());
    }
    into = static_cast<Word>(at);
    return {};
}

Status takeDrawing(Words& words, const QString& option, const QString& value) {
    words.drawing << option;
    if (option == QLatin1String("--runs")) {
        words.spec.runs = value.split(QLatin1Char(','), Qt::SkipEmptyParts);
    } else if (option == QLatin1String("--smooth")) {
        return takeNumber(option, value, 0, 0.999, words.spec.smoothing);
    } else if (option == QLatin1String("--width")) {
        words.spec.widthIn = 5.5;
        return takeNumber(option, value, 2, 12, *words.spec.widthIn);
    } else if (option == QLatin1String("--venue")) {
        if (!findVenue(value)) return takeWord(option, value, venueIds(), words.spec.kind);
        words.spec.venue = value;
    } else if (option == QLatin1String("--experiment")) {
        words.experiment = value;
    } else if (option == QLatin1String("--template")) {
        if (!templateWords().contains(value)) return takeWord(option, value, templateWords(), words.spec.kind);
        words.fromTemplate = value;
    } else if (option == QLatin1String("--scaling")) {
        words.scaling = true;
        return takeWord(option, value, {QStringLiteral("weak"), QStringLiteral("strong")}, words.spec.scaling);
    } else if (option == QLatin1String("--target")) {
        DASGD_TRY(parseTarget(value.toStdString()));
        words.spec.target = value;
    } else if (option == QLatin1String("--window")) {
        DASGD_ASSIGN(words.window, parseWindow(value));
    } else if (option == QLatin1String("--x")) {
        return takeWord(option, value, axisWords(), words.spec.x);
    } else {
        return fail(option.toStdString() + ": no such option. See dasgd-lab figure --help");
    }
    return {};
}

Status takeOption(FigureOptions& options, Words& words, const QString& option, const QString& value) {
    if (option == QLatin1String("--workspace")) {
        options.workspace = value.toStdString();
    } else if (option == QLatin1String("--out")) {
        options.out = value;
    } else {
        return takeDrawing(words, option, value);
    }
    return {};
}

std::vector<WantedFigure> curvesAndTimeline(const Words& words) {
    FigureSpec loss = words.spec;
    loss.metric = QLatin1String(metrics::kTrainLoss);
    FigureSpec speed = words.spec;
    speed.metric = QLatin1String(metrics::kSamplesPerS);
    speed.smoothing = 0;
    FigureSpec timeline = words.spec;
    timeline.kind = FigureKind::Timeline;
    timeline.windowS = words.window;
    return {{{QStringLiteral("loss"), loss}, true},
            {{QStringLiteral("throughput"), speed}, true},
            {{QStringLiteral("timeline"), timeline}, true}};
}

std::vector<WantedFigure> scalingPlots(const Words& words) {
    std::vector<WantedFigure> figures;
    for (const ScalingPlot plot : {ScalingPlot::Throughput, ScalingPlot::Efficiency, ScalingPlot::TimeToTarget}) {
        if (plot == ScalingPlot::TimeToTarget && words.spec.target.isEmpty()) continue;
        FigureSpec spec = words.spec;
        spec.kind = FigureKind::Scaling;
        spec.plot = plot;
        figures.push_back({{scalingPlotWords()[static_cast<int>(plot)], spec}});
    }
    return figures;
}

// The figure of a template with the runs, target and page of the options.
std::vector<WantedFigure> figureFromTemplate(const Words& words) {
    FigureSpec spec = figureOfTemplate(words.fromTemplate);
    spec.venue = words.spec.venue;
    spec.widthIn = words.spec.widthIn;
    const auto take = [&](FigureSpec& one) {
        one.runs = words.spec.runs;
        one.filter = words.spec.filter;
        if (!words.spec.target.isEmpty() && !one.target.isEmpty()) one.target = words.spec.target;
    };
    for (FigureSpec& panel : spec.panels) take(panel);
    if (spec.panels.empty()) take(spec);
    return {{{words.fromTemplate, spec}}};
}

const QString kStandardInput = QStringLiteral("-");

// Workspace whose folder `figures` holds the file, saved or exported; else DASGD_WORKSPACE or the default.
std::filesystem::path workspaceOf(const QString& file) {
    const QString figures = QStringLiteral("figures");
    if (!file.isEmpty() && file != kStandardInput) {
        QDir folder = QFileInfo(file).absoluteDir();
        if (folder.dirName() != figures) folder.cdUp();
        const QFileInfo workspace(folder.absolutePath());
        if (workspace.fileName() == figures && QFileInfo::exists(workspace.absolutePath() + QStringLiteral("/lab.db")))
            return workspace.absolutePath().toStdString();
    }
    return qEnvironmentVariable("DASGD_WORKSPACE", QStringLiteral("dasgd-workspace")).toStdString();
}

Result<std::vector<NamedFigure>> readFigures(const QString& name) {
    QFile file(name);
    if (name == kStandardInput && file.open(fileno(stdin), QIODevice::ReadOnly))
        return figuresOf(file.readAll(), QStringLiteral("standard input"));
    if (QFileInfo::exists(name) && !isInputFile(name.toStdString()))
        return fail(name.toStdString() + ": is no regular file; name a file of figures");
    if (!file.open(QIODevice::ReadOnly))
        return fail(name.toStdString() + ": cannot be read (" + file.errorString().toStdString() + ")");
    return figuresOf(file.readAll(), name);
}

// A figure that a file asks for must have all of its runs and something to show.
Status checkWhole(const FigureContent& content, const WantedFigure& wanted) {
    const std::string begin = wanted.figure.name.toStdString() + ": ";
    if (!content.missing.isEmpty())
        return fail(begin + "there is no run " + content.missing.join(QStringLiteral(", ")).toStdString() +
                    " in this workspace");
    if (!content.nothing.isEmpty() && !wanted.mayBeEmpty) return fail(begin + content.nothing.toStdString());
    return {};
}

Status checkAny(const std::vector<FigureContent>& contents, const std::vector<WantedFigure>& wanted) {
    const bool any = std::ranges::any_of(contents, [](const FigureContent& one) { return one.nothing.isEmpty(); });
    if (any) return {};
    return fail(wanted.front().figure.name.toStdString() + ": " + contents.front().nothing.toStdString());
}

// Writes all bundles. `written` lists the files made so far, also after an error.
Status writeAll(const FigureOptions& options, const std::vector<WantedFigure>& wanted,
                const std::vector<FigureContent>& contents, QStringList& written, QStringList& warnings) {
    QJsonArray records;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!contents[i].nothing.isEmpty()) {
            warnings << wanted[i].figure.name + QStringLiteral(": not made. ") + contents[i].nothing;
            continue;
        }
        if (!QDir().mkpath(options.out))
            return fail(options.out.toStdString() + ": cannot be made. Choose another --out folder.");
        QStringList files;
        const Result<QString> whole = writeBundle(contents[i], wanted[i].figure, options.out, files);
        written << files;
        DASGD_TRY(whole);
        const QString unused = contents[i].unusedNamesInWords();
        if (!unused.isEmpty()) warnings << wanted[i].figure.name + QStringLiteral(": ") + unused;
        if (!whole->isEmpty()) warnings << wanted[i].figure.name + QStringLiteral(": ") + *whole;
        records.append(recordOf(contents[i], wanted[i].figure, files, options.out));
    }
    const QString record = options.out + QStringLiteral("/figure.json");
    DASGD_TRY(writeJsonFile(bundleRecord(records, options.command), record));
    written << record;
    return {};
}

}  // namespace

QString figureHelp() {
    return QStringLiteral(
               "dasgd-lab figure FILE.json --out DIR [--workspace W]\n"
               "Writes the bundle of a figure that was made on the Figures page, or again that of a figure.json: PDF, "
               "SVG,\n"
               "PNG, CSV, a pgfplots document, a booktabs table, figure.json. Of several on the standard input, with - "
               "for\n"
               "the file, those with nothing to draw are named and left out. A file in the folder figures of a "
               "workspace is\n"
               "of that workspace.\n\n"
               "dasgd-lab figure --runs ID[,ID...] --out DIR [--workspace W] [--x "
               "step|epoch|wall|samples|bytes|training]\n"
               "                 [--smooth 0.9] [--width 5.5] [--venue neurips|icml|iclr|acl|ieee|acm] [--window "
               "FROM,TO]\n"
               "The same of loss, throughput and the timeline of the first run that reduces. A figure of which the "
               "runs have\n"
               "recorded nothing, as a run of time alone has no loss, is named and left out.\n"
               "An id may be a unique beginning. Runs that differ only in the seed become one curve: mean and "
               "deviation\n"
               "of those that finished; what was left out is named. Figures that are already there are never written "
               "over.\n\n"
               "dasgd-lab figure --scaling weak|strong --runs ID[,ID...] | --experiment NAME --out DIR [--workspace "
               "W]\n"
               "                 [--target accuracy=0.97|loss=0.1] [--width 5.5]\n"
               "The same of throughput, efficiency and, with a target, time-to-target over the number of workers, with "
               "every\n"
               "number of every point. Markers are filled where time was measured, hollow where it was simulated.\n\n"
               "dasgd-lab figure --template NAME --runs ID[,ID...] | --experiment NAME --out DIR [--workspace W]\n"
               "                 [--target accuracy=0.97|loss=0.1] [--width 5.5] [--venue …]\n"
               "The same of a figure that papers have: %1.\n")
        .arg(templateWords().join(QStringLiteral(", ")));
}

Result<FigureOptions> parseFigureOptions(const QStringList& words) {
    FigureOptions options;
    options.command = QStringLiteral("dasgd-lab figure ") + words.join(QLatin1Char(' '));
    Words said;
    said.spec.smoothing = 0.9;
    said.spec.heightIn = 2.6;
    qsizetype first = 0;
    if (!words.isEmpty() && (words[0] == kStandardInput || !words[0].startsWith(QLatin1Char('-'))))
        options.file = words[first++];
    options.workspace = workspaceOf(options.file);
    for (qsizetype i = first; i < words.size(); i += 2) {
        if (i + 1 == words.size())
            return fail(words[i].toStdString() + ": a value is missing. See dasgd-lab figure --help");
        DASGD_TRY(takeOption(options, said, words[i], words[i + 1]));
    }
    if (!options.file.isEmpty() && !said.drawing.isEmpty())
        return fail(said.drawing.front().toStdString() + ": " + options.file.toStdString() +
                    " says what is drawn; only --out and --workspace go with it");
    const bool named = (said.scaling || !said.fromTemplate.isEmpty()) && !said.experiment.isEmpty();
    if (options.file.isEmpty() && said.spec.runs.isEmpty() && !named)
        return fail("--runs: which runs? `dasgd list` names them");
    if (options.out.isEmpty()) return fail("--out: into which folder?");
    if (options.file.isEmpty()) {
        if (said.spec.runs.isEmpty()) said.spec.filter = experimentFilter(said.experiment);
        options.figures = !said.fromTemplate.isEmpty() ? figureFromTemplate(said)
                          : said.scaling               ? scalingPlots(said)
                                                       : curvesAndTimeline(said);
    }
    return options;
}

Result<QStringList> writeFigures(const FigureOptions& options, QStringList* warnings) {
    const QString record = options.out + QStringLiteral("/figure.json");
    if (QFileInfo::exists(record))
        return fail("--out: " + record.toStdString() +
                    " is already there. Name a new folder; figures are never written over.");
    std::vector<WantedFigure> wanted = options.figures;
    if (!options.file.isEmpty()) {
        DASGD_ASSIGN(std::vector<NamedFigure> figures, readFigures(options.file));
        const bool mayBeEmpty = options.file == kStandardInput && figures.size() > 1;
        for (NamedFigure& figure : figures) wanted.push_back({std::move(figure), mayBeEmpty});
    }
    DASGD_ASSIGN(storage::WorkspaceReader reader, storage::WorkspaceReader::open(options.workspace));
    DASGD_ASSIGN(const std::vector<RunItemPtr> all, allRuns(reader.runs()));
    // All figures are read and checked before the first file is written: a folder with half of them would block the
    // next try, which overwrites no file.
    std::vector<FigureContent> contents;
    for (const WantedFigure& one : wanted) {
        DASGD_ASSIGN(FigureContent content, readFigure(reader, one.figure.spec, all));
        DASGD_TRY(checkWhole(content, one));
        if (content.nothing.isEmpty()) DASGD_TRY(checkFree(one.figure.name, options.out));
        contents.push_back(std::move(content));
    }
    DASGD_TRY(checkAny(contents, wanted));
    QStringList written, said;
    if (Status whole = writeAll(options, wanted, contents, written, said); !whole) {
        // These files were made by this call: checkFree() found none of them before.
        for (const QString& file : written) QFile::remove(file);
        return tl::unexpected(whole.error());
    }
    if (warnings) *warnings = said;
    return written;
}

}  // namespace dasgd::gui
