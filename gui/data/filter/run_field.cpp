#include "gui/data/filter/run_field.h"

#include <algorithm>
#include <numeric>

#include "gui/data/runs/setting_number.h"

namespace dasgd::gui {

namespace {

constexpr double kMillisecond = 1e-3;
constexpr int kMostCandidates = 4;

BuiltInField textField(std::vector<const char*> names, QString (*of)(const RunItem&),
                       FieldKind kind = FieldKind::Text) {
    const QString name = QString::fromUtf8(names.front());
    return {std::move(names), {.name = name, .kind = kind, .text = of}};
}

BuiltInField numberField(std::vector<const char*> names, std::optional<double> (*of)(const RunItem&),
                         FieldKind kind = FieldKind::Number, double bareUnit = 1) {
    const QString name = QString::fromUtf8(names.front());
    return {std::move(names), {.name = name, .kind = kind, .number = of, .bareUnit = bareUnit}};
}

BuiltInField statusField() {
    BuiltInField field = textField({"status"}, [](const RunItem& run) { return stateOf(run.row); });
    for (const char* value : {"queued", "held", "running", "finished", "stopped", "failed", "interrupted"}) {
        field.field.values << QString::fromLatin1(value);
    }
    return field;
}

BuiltInField flagField(std::vector<const char*> names, bool (*of)(const RunItem&)) {
    const QString name = QString::fromUtf8(names.front());
    return {std::move(names), {.name = name, .kind = FieldKind::Flag, .flag = of}};
}

std::optional<double> multiplied(std::optional<double> value, double factor) {
    if (value) return *value * factor;
    return std::nullopt;
}

std::optional<double> partOfSeries(const storage::RunRow& row, std::int64_t number) {
    if (row.series.empty()) return std::nullopt;
    return static_cast<double>(number);
}

// Number of edits that turn one word into the other: letters added, removed or replaced.
int editDistance(const QString& a, const QString& b) {
    std::vector<int> row(static_cast<std::size_t>(b.size()) + 1);
    std::iota(row.begin(), row.end(), 0);
    for (qsizetype i = 0; i < a.size(); ++i) {
        int diagonal = std::exchange(row[0], static_cast<int>(i) + 1);
        for (std::size_t j = 1; j < row.size(); ++j) {
            const int replaced = diagonal + (a[i] == b[static_cast<qsizetype>(j) - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

QString lastPart(const QString& key) { return key.mid(key.lastIndexOf(QLatin1Char('.')) + 1); }

}  // namespace

const std::vector<BuiltInField>& builtInFields() {
    using Run = const RunItem&;
    using Kind = FieldKind;
    static const std::vector<BuiltInField> kFields{
        textField({"run", "id", "run_id"}, [](Run run) { return run.id; }),
        statusField(),
        textField({"experiment"}, [](Run run) { return QString::fromStdString(run.row.experiment); }),
        textField({"algorithm"}, [](Run run) { return QString::fromStdString(run.row.algorithm); }),
        textField({"settings"}, [](Run run) { return run.settings; }),
        textField({"backend"}, [](Run run) { return QString::fromStdString(run.row.backend); }),
        textField({"commit", "git_commit"}, [](Run run) { return QString::fromStdString(run.row.gitCommit); }),
        textField({"error"}, [](Run run) { return QString::fromStdString(run.row.error); }),
        textField(
            {"started", "started_at"}, [](Run run) { return QString::fromStdString(run.row.startedAt); },
            Kind::Instant),
        textField(
            {"ended", "ended_at"}, [](Run run) { return QString::fromStdString(run.row.endedAt); }, Kind::Instant),
        flagField({"simulated", "time_simulated"}, [](Run run) { return run.row.timeSimulated; }),
        flagField({"starred", "star"}, [](Run run) { return run.notes.starred; }),
        flagField({"archived"}, [](Run run) { return run.notes.archived; }),
        textField(
            {"tag", "tags"}, [](Run run) { return tagsInWords(run.notes); }, Kind::Tags),
        textField({"note"}, [](Run run) { return QString::fromStdString(run.notes.note); }),
        numberField({"seed"}, [](Run run) { return std::optional(static_cast<double>(run.row.seed)); }),
        numberField({"ranks", "workers"}, [](Run run) { return std::optional<double>(run.row.workers); }),
        numberField({"steps"}, [](Run run) { return std::optional(static_cast<double>(run.row.steps)); }),
        textField({"resumed_from"}, [](Run run) { return QString::fromStdString(run.row.resumedFrom); }),
        numberField({"resumed_step"},
                    [](Run run) {
                        return run.row.resumedFrom.empty() ? std::nullopt
                                                           : std::optional(static_cast<double>(run.row.resumedStep));
                    }),
        textField({"series"}, [](Run run) { return QString::fromStdString(run.row.series); }),
        numberField({"series_place"}, [](Run run) { return partOfSeries(run.row, run.row.seriesPlace); }),
        numberField({"series_size"}, [](Run run) { return partOfSeries(run.row, run.row.seriesSize); }),
        numberField({"planned_steps"},
                    [](Run run) { return std::optional(static_cast<double>(run.row.plannedSteps)); }),
        numberField({"samples"}, [](Run run) { return std::optional(static_cast<double>(run.row.samples)); }),
        numberField({"loss", "final_loss"}, [](Run run) { return finalLossOf(run.row); }),
        numberField({"samples/s", "samples_per_s"}, [](Run run) { return run.row.samplesPerS; }),
        numberField({"inflation"}, [](Run run) { return run.row.inflation; }),
        numberField({"inflation_ranks"}, [](Run run) { return std::optional<double>(run.row.inflationRanks); }),
        numberField({"timed_steps"}, [](Run run) { return run.row.timedSteps; }),
        numberField(
            {"accuracy", "best_accuracy"}, [](Run run) { return run.row.bestAccuracy; }, Kind::Fraction),
        numberField(
            {"hidden"}, [](Run run) { return run.row.hidden; }, Kind::Fraction),
        numberField(
            {"wall", "wall_s"}, [](Run run) { return std::optional(run.row.wallS); }, Kind::Time),
        numberField(
            {"measured", "measured_s"}, [](Run run) { return run.row.measuredS; }, Kind::Time),
        numberField(
            {"blocked_s"}, [](Run run) { return run.row.blockedS; }, Kind::Time),
        numberField(
            {"skew_s"}, [](Run run) { return run.row.skewS; }, Kind::Time),
        numberField(
            {"blocked"}, [](Run run) { return multiplied(blockedMsPerStep(run.row), kMillisecond); }, Kind::Time,
            kMillisecond),
        numberField(
            {"step_ms"}, [](Run run) { return multiplied(run.row.stepMs, kMillisecond); }, Kind::Time, kMillisecond),
        numberField(
            {"sent", "bytes_sent"}, [](Run run) { return std::optional(static_cast<double>(run.row.bytesSent)); },
            Kind::Bytes),
    };
    return kFields;
}

QString filterHelp() {
    constexpr int kNamesInALine = 10;
    QString names;
    int count = 0;
    for (const BuiltInField& one : builtInFields()) {
        if (count > 0) names += count % kNamesInALine == 0 ? u'\n' : u' ';
        names += one.field.name;
        ++count;
    }
    return QStringLiteral(
               "words that a run must hold; -word for those that it must not; quotes around several\n"
               "comparisons: = != < <= > >= and ~ for “contains”, with and, or, not and parentheses\n"
               "seed in (1, 2, 3)   status not in (failed, stopped)\n"
               "hidden > 90 %   wall < 10 min   started >= 2026-11-20   bandwidth <= 200Mbps\n"
               "tag = good   starred   note ~ diverged   archived: lists leave those out\n"
               "fields: every key of the configuration (delay, or algorithm.delay), and\n") +
           names;
}

bool FieldCatalog::add(const RunItem& run) {
    if (!run.config.keys() || !seen_.insert(run.config.keys()).second) return false;
    const std::size_t before = keys_.size();
    keys_.insert(run.config.keys()->begin(), run.config.keys()->end());
    for (std::size_t place = 0; place < run.config.keys()->size(); ++place) {
        const auto number = settingNumber(run.config.at(place));
        if (number && number->dimension != Dimension::Plain) {
            examples_[(*run.config.keys())[place]] = run.config.at(place);
        }
    }
    return keys_.size() > before;
}

FieldCatalog::Answer FieldCatalog::find(const QString& name) const {
    for (const BuiltInField& known : builtInFields()) {
        for (const char* one : known.names) {
            if (name.compare(QLatin1String(one), Qt::CaseInsensitive) == 0) return {.field = known.field};
        }
    }
    const std::string key = name.toStdString();
    const std::string asEnd = (QLatin1Char('.') + name).toStdString();
    const std::string asSection = (name + QLatin1String(".name")).toStdString();
    std::vector<std::string> ends;
    for (const std::string& known : keys_) {
        if (known == key) return {.field = setting(name, key)};
        if (known == asSection || known.ends_with(asEnd)) ends.push_back(known);
    }
    if (ends.size() == 1) return {.field = setting(QString::fromStdString(ends[0]), ends[0])};
    if (ends.empty()) return {.candidates = near(name)};
    Answer answer{.ambiguous = true};
    for (const std::string& end : ends) answer.candidates << QString::fromStdString(end);
    return answer;
}

QString FieldCatalog::unknownField(const QString& name) const {
    return QStringLiteral("no run has a field “%1”").arg(name);
}

RunField FieldCatalog::setting(const QString& name, const std::string& key) const {
    const auto example = examples_.find(key);
    return {.name = name, .key = key, .example = example == examples_.end() ? std::string() : example->second};
}

bool FieldCatalog::hasNameThatBegins(const QString& begin) const {
    for (const BuiltInField& known : builtInFields()) {
        for (const char* name : known.names) {
            if (QString::fromUtf8(name).startsWith(begin, Qt::CaseInsensitive)) return true;
        }
    }
    return std::any_of(keys_.begin(), keys_.end(), [&begin](const std::string& known) {
        const QString key = QString::fromStdString(known);
        return key.startsWith(begin) || lastPart(key).startsWith(begin);
    });
}

QStringList FieldCatalog::near(const QString& name) const {
    std::vector<std::pair<int, QString>> rated;
    const QString wanted = name.toLower();
    const auto rate = [&](const QString& shown, const QString& spelled) {
        const QString lower = spelled.toLower();
        const bool part = wanted.size() > 2 && (lower.contains(wanted) || wanted.contains(lower));
        const int edits = part ? 1 : editDistance(wanted, lower);
        if (edits <= std::max<qsizetype>(1, wanted.size() / 3)) rated.emplace_back(edits, shown);
    };
    for (const BuiltInField& known : builtInFields()) {
        for (const char* one : known.names) rate(QString::fromUtf8(one), QString::fromUtf8(one));
    }
    for (const std::string& known : keys_) {
        const QString key = QString::fromStdString(known);
        rate(key, wanted.contains(QLatin1Char('.')) ? key : lastPart(key));
    }
    std::sort(rated.begin(), rated.end());
    QStringList names;
    for (const auto& [edits, shown] : rated) {
        if (names.size() < kMostCandidates && !names.contains(shown)) names << shown;
    }
    return names;
}

}  // namespace dasgd::gui
