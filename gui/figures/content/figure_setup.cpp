#include "gui/figures/content/figure_setup.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/metric_names.h"
#include "gui/compare/model/compare_view.h"
#include "storage/compare/comparison.h"

namespace dasgd::gui {

namespace {

constexpr qsizetype kShortCommit = 12;

// The set-up without the variables of a scaling figure.
RunSetup fixedPart(RunSetup setup, const FigureSpec& spec) {
    if (spec.kind != FigureKind::Scaling) return setup;
    std::erase_if(setup, [&](const SetupPart& part) {
        return part.what == "workers" || part.what == "hosts" ||
               (part.what == "batch" && spec.scaling == Scaling::Strong);
    });
    return setup;
}

Result<std::vector<RunSetup>> setupsOf(storage::RunReader& reader, const FigureSpec& spec,
                                       const FigureContent& content) {
    std::vector<RunSetup> setups;
    for (const FigureSource& source : content.sources) {
        for (std::size_t i = 0; i < source.runs.size(); ++i) {
            if (!source.drawn[i]) continue;
            DASGD_ASSIGN(RunSetup own, storage::readSetup(reader, source.runs[i]->row));
            own = fixedPart(std::move(own), spec);
            if (std::ranges::find(setups, own) == setups.end()) setups.push_back(std::move(own));
        }
    }
    return setups;
}

// Numbers of runs of the curves, each once: "n = 3", or "n = 3, 2 of 3" where they differ.
QString seedsInWords(const FigureContent& content) {
    QStringList counts;
    for (const FigureSource& source : content.sources) {
        if (source.drawnRuns() > 0) counts << source.countInWords();
    }
    counts.removeDuplicates();
    return counts.isEmpty() ? QString() : QStringLiteral("n = ") + counts.join(QStringLiteral(", "));
}

// Caution on drawn runs beside which other programs ran: "other programs took cores beside 1 of 3 runs of dasgd: …"; ""
// where none was disturbed.
Result<QString> disturbedOf(storage::WorkspaceReader& reader, const FigureContent& content) {
    std::vector<ComparedGroup> groups;
    for (const FigureSource& source : content.sources) {
        ComparedGroup group;
        group.label = source.name.toStdString();
        for (std::size_t i = 0; i < source.runs.size(); ++i) {
            if (!source.drawn[i]) continue;
            DASGD_ASSIGN(const bool disturbed, storage::readDisturbed(reader, source.runs[i]->row));
            group.runIds.push_back(source.runs[i]->row.runId);
            group.disturbed += disturbed ? 1 : 0;
        }
        groups.push_back(std::move(group));
    }
    std::vector<const ComparedGroup*> all;
    for (const ComparedGroup& group : groups) all.push_back(&group);
    return QString::fromStdString(disturbedInWords(all));
}

Result<QString> commitsInWords(storage::RunReader& reader, const FigureContent& content) {
    QStringList commits;
    for (const FigureSource& source : content.sources) {
        for (std::size_t i = 0; i < source.runs.size(); ++i) {
            const QString commit = QString::fromStdString(source.runs[i]->row.gitCommit).left(kShortCommit);
            if (!source.drawn[i] || commit.isEmpty()) continue;
            DASGD_ASSIGN(const storage::RunProvenance ran, reader.provenance(source.runs[i]->row.runId));
            commits << (ran.gitDirty ? commit + QStringLiteral(" with uncommitted changes") : commit);
        }
    }
    commits.removeDuplicates();
    if (commits.isEmpty()) return QString();
    return QLatin1String(commits.size() == 1 ? "commit " : "commits ") + commits.join(QStringLiteral(", "));
}

// Reference to the runs: the id if one is drawn, else to figure.json.
QString runsInWords(const FigureContent& content) {
    const RunItemPtr* only = nullptr;
    int drawn = 0;
    for (const FigureSource& source : content.sources) {
        for (std::size_t i = 0; i < source.runs.size(); ++i) {
            if (!source.drawn[i]) continue;
            ++drawn;
            only = &source.runs[i];
        }
    }
    return drawn == 1 ? QStringLiteral("run ") + (*only)->id : QStringLiteral("runs in figure.json");
}

// Phrases of panels, each once, with the letters of its panels.
struct PanelWords {
    QStringList words;
    std::map<QString, QString> letters;
    void add(const QString& said, std::size_t panel) {
        if (said.isEmpty()) return;
        if (!words.contains(said)) words << said;
        letters[said] += panelLabel(panel);
    }
    [[nodiscard]] QString labelled(const QString& said) const { return letters.at(said) + QLatin1Char(' ') + said; }
};

// True if the figure shows a time; a loss over steps does not depend on one.
bool showsTime(const FigureSpec& spec) {
    using enum CompareNumber;
    if (spec.kind == FigureKind::Curves) {
        const QString& metric = spec.metric;
        const bool isOfTraining = metric == QLatin1String(metrics::kTrainLoss) ||
                                  metric.startsWith(QLatin1String("eval/")) ||
                                  metric.startsWith(QLatin1String("consensus/"));
        return !isOfTraining || spec.x == XAxis::Wall || spec.x == XAxis::Training;
    }
    if (spec.kind != FigureKind::Bars && spec.kind != FigureKind::Map) return true;
    return !std::set{FinalLoss, BestAccuracy, MegabytesSent, Samples}.contains(spec.number);
}

QString withEnd(QString sentence) {
    return sentence.isEmpty() || sentence.endsWith(QLatin1Char('.')) ? sentence : sentence + QLatin1Char('.');
}

// The notes on a figure that its caption repeats, without the cautions, which have a place of their own.
QStringList captionNotes(const FigureContent& content) {
    QStringList notes = content.paperNotes();
    for (const QString& caution : content.cautions) notes.removeAll(caution);
    return fewOf(gatheredNotes(notes, content.curves));
}

QString sentenceOf(const QString& words) { return withEnd(words.front().toUpper() + words.mid(1)); }

}  // namespace

Status addSetup(storage::WorkspaceReader& reader, const FigureSpec& spec, FigureContent& into) {
    DASGD_ASSIGN(const std::vector<RunSetup> setups, setupsOf(reader.runs(), spec, into));
    DASGD_ASSIGN(const QString commits, commitsInWords(reader.runs(), into));
    QStringList parts{QString::fromStdString(setupInWords(commonSetup(setups))), seedsInWords(into), commits};
    if (!setups.empty()) parts << runsInWords(into);
    parts.removeAll(QString());
    into.setup = parts.join(QStringLiteral(", "));
    into.cautions = {setupsInWords(setupDifferences(setups))};
    if (showsTime(spec)) {
        DASGD_ASSIGN(const QString disturbed, disturbedOf(reader, into));
        into.cautions << disturbed;
    }
    into.cautions.removeAll(QString());
    into.notes += into.cautions;
    return {};
}

QString captionOf(const FigureContent& content, const FigureSpec& spec) {
    QStringList sentences{withEnd(spec.caption.isEmpty() ? spec.title : spec.caption)};
    PanelWords setups, notes, cautions;
    for (std::size_t i = 0; i < content.panels.size(); ++i) {
        setups.add(content.panels[i].setup, i);
        for (const QString& note : captionNotes(content.panels[i])) notes.add(note, i);
        for (const QString& caution : content.panels[i].cautions) cautions.add(caution, i);
    }
    if (content.panels.empty()) sentences << withEnd(content.setup);
    for (const QString& setup : setups.words) {
        sentences << withEnd(setups.words.size() > 1 ? setups.labelled(setup) : setup);
    }
    for (const QString& note : captionNotes(content)) sentences << sentenceOf(note);
    for (const QString& note : notes.words) sentences << withEnd(notes.labelled(note));
    for (const QString& caution : content.cautions) sentences << sentenceOf(caution);
    for (const QString& caution : cautions.words) sentences << withEnd(cautions.labelled(caution));
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
}

}  // namespace dasgd::gui
