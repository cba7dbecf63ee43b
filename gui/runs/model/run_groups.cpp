#include "gui/runs/model/run_groups.h"

#include <QStringList>
#include <algorithm>
#include <map>
#include <set>

#include "gui/data/runs/run_config.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

struct StatusWord {
    const char* status;
    const char* word;
};
// Listed in this order; "finished" has its own place.
constexpr StatusWord kOtherStatuses[]{{"running", "running"}, {"queued", "queued"},   {"held", "held"},
                                      {"failed", "failed"},   {"stopped", "stopped"}, {"interrupted", "interrupted"}};

QString valueOf(const RunItem& run, const RunField& field) {
    if (field.text) return field.text(run);
    if (field.flag) return field.flag(run) ? QStringLiteral("yes") : QStringLiteral("no");
    if (field.number) {
        const auto number = field.number(run);
        return number ? shortNumber(*number, 6) : kAbsent;
    }
    const std::string* value = run.config.find(field.key);
    return value ? settingValue(*value) : kAbsent;
}

}  // namespace

int RunGroup::count(const char* status) const {
    return static_cast<int>(std::count_if(runs.begin(), runs.end(), [status](const RunItemPtr& run) {
        return stateOf(run->row) == QLatin1String(status);
    }));
}

bool RunGroup::isLive() const {
    return std::any_of(runs.begin(), runs.end(), [](const RunItemPtr& run) { return gui::isLive(run->row); });
}

std::optional<double> RunGroup::secondsLeft(qint64 nowMs) const {
    qint64 first = 0, present = 0, ended = 0;
    const int workers = runs.empty() ? 0 : runs.front()->row.workers;
    for (const RunItemPtr& run : runs) {
        const bool started = run->row.status != "queued" && (run->row.steps > 0 || run->row.status == "running");
        // With other numbers of workers, or a run that broke off, the mean says nothing about the rest; and it is not
        // known when a held run will be released.
        if (run->row.workers != workers || run->row.held) return std::nullopt;
        if (!started) continue;
        if (first == 0 || run->startedMs < first) first = run->startedMs;
        if (run->row.status == "running") {
            present = run->startedMs;
        } else if (run->row.status == "finished") {
            ++ended;
        } else {
            return std::nullopt;
        }
    }
    const int queued = count("queued");
    if (planned == 0 || hidden > 0 || present == 0 || ended == 0 || present <= first) return std::nullopt;
    const auto missing = std::max<qint64>(0, planned - static_cast<qint64>(runs.size()));
    const double mean = static_cast<double>(present - first) / static_cast<double>(ended);
    const auto elapsed = static_cast<double>(nowMs - present);
    if (elapsed > 2 * mean) return std::nullopt;
    const double ofPresent = std::max(0.0, mean - elapsed);
    return (ofPresent + mean * static_cast<double>(queued + missing)) / 1000;
}

QString RunGroup::inWords(qint64 nowMs) const {
    const int finished = count("finished");
    const auto shown = static_cast<qint64>(runs.size());
    const qint64 all = std::max<qint64>(planned, shown + hidden);
    QStringList parts;
    if (hidden > 0) {
        if (finished > 0) parts << QStringLiteral("%1 finished").arg(finished);
    } else {
        parts << (finished == all ? QStringLiteral("%1 finished").arg(all)
                                  : QStringLiteral("%1 of %2 finished").arg(finished).arg(all));
    }
    for (const StatusWord& one : kOtherStatuses) {
        qint64 number = count(one.status);
        if (hidden == 0 && std::string_view(one.status) == "queued" && isLive()) number += all - shown;
        if (number > 0) parts << QStringLiteral("%1 %2").arg(number).arg(QLatin1String(one.word));
    }
    if (const auto left = secondsLeft(nowMs)) parts << clockText(*left) + QStringLiteral(" left");
    const QString words = parts.join(QStringLiteral(", "));
    return hidden > 0 ? QStringLiteral("%1 of %2 shown: ").arg(shown).arg(all) + words : words;
}

RunGroup::Mean RunGroup::meanOf(RunTableModel::Column column) const {
    Mean mean;
    double sum = 0;
    for (const RunItemPtr& run : runs) {
        const auto number = run->row.status == "finished" ? RunTableModel::numberOf(*run, column) : std::nullopt;
        if (!number) continue;
        sum += *number;
        ++mean.n;
        mean.simulated = mean.simulated || run->row.timeSimulated;
    }
    if (mean.n > 0) mean.value = sum / mean.n;
    return mean;
}

QString RunGroup::meansInWords() const {
    const int n = count("finished");
    if (n == 0) return {};
    std::set<std::string> configurations;
    for (const RunItemPtr& run : runs) {
        if (run->row.status == "finished") configurations.insert(run->group);
    }
    const QString words = QStringLiteral("mean of n = %1").arg(n);
    return configurations.size() < 2 ? words
                                     : words + QStringLiteral(", of %1 configurations").arg(configurations.size());
}

QHash<QString, QString> differingSettings(const std::vector<RunItemPtr>& runs) {
    static const std::set<std::string> kElsewhere{"name", "algorithm.name", "cluster.workers", "cluster.backend"};
    std::set<std::string> keys;
    for (const RunItemPtr& run : runs) {
        if (run->config.keys()) keys.insert(run->config.keys()->begin(), run->config.keys()->end());
    }
    QHash<QString, QStringList> words;
    for (const std::string& key : keys) {
        if (kElsewhere.contains(key) || seedKeys().contains(key)) continue;
        const bool ofAlgorithm = key.starts_with("algorithm.");
        std::map<std::string, std::set<std::string>> values;  // by algorithm, or of all
        for (const RunItemPtr& run : runs) {
            const std::string* value = run->config.find(key);
            values[ofAlgorithm ? run->row.algorithm : ""].insert(value ? *value : "");
        }
        for (const RunItemPtr& run : runs) {
            const std::string* value = run->config.find(key);
            if (value && values[ofAlgorithm ? run->row.algorithm : ""].size() > 1)
                words[run->id] << settingText(key, *value, run->schema);
        }
    }
    QHash<QString, QString> texts;
    for (auto one = words.cbegin(); one != words.cend(); ++one)
        texts.insert(one.key(), one.value().join(QStringLiteral("  ")));
    return texts;
}

bool ListRow::isSame(const ListRow& other) const {
    if (isGroup() != other.isGroup()) return false;
    if (isGroup()) return group->key == other.group->key;
    return run == other.run || run->id == other.run->id;
}

Grouping Grouping::bySeries() {
    Grouping grouping;
    grouping.kind_ = Kind::Series;
    return grouping;
}

Grouping Grouping::byField(RunField field) {
    Grouping grouping;
    grouping.kind_ = Kind::Field;
    grouping.field_ = std::move(field);
    return grouping;
}

QString Grouping::name() const {
    if (kind_ == Kind::None) return {};
    return kind_ == Kind::Series ? QStringLiteral("series") : field_.name;
}

// All runs that a job made are in one group.
QString Grouping::keyOf(const RunItem& run) const {
    if (kind_ == Kind::Series && run.row.series.empty() && isOfJob(run.row))
        return QStringLiteral("job ") + QString::fromStdString(run.row.experiment);
    if (kind_ == Kind::Series) return QString::fromStdString(run.row.series);
    return valueOf(run, field_);
}

QString Grouping::titleOf(const RunItem& run) const {
    if (kind_ == Kind::Series) return QString::fromStdString(run.row.experiment);
    return field_.name + QStringLiteral(" = ") + valueOf(run, field_);
}

QString Grouping::filterOf(const RunGroup& group) const {
    const RunItem& run = *group.runs.front();
    const QString name = kind_ == Kind::Series ? QStringLiteral("experiment") : field_.name;
    QString value = kind_ == Kind::Series ? QString::fromStdString(run.row.experiment) : valueOf(run, field_);
    return QStringLiteral("%1 = \"%2\"").arg(name, value.remove(QLatin1Char('"')));
}

void Grouping::countHidden(const Groups& groups, const std::vector<RunItemPtr>& all) const {
    for (const auto& group : groups) group->hidden = -static_cast<std::int64_t>(group->runs.size());
    for (const RunItemPtr& run : all) {
        if (const auto group = groups.value(keyOf(*run))) ++group->hidden;
    }
}

ListRows Grouping::rows(const std::vector<RunItemPtr>& runs, const OpenGroups& open,
                        const std::vector<RunItemPtr>& all) const {
    ListRows rows;
    rows.reserve(runs.size());
    if (kind_ == Kind::None) {
        for (const RunItemPtr& run : runs) rows.push_back({.run = run});
        return rows;
    }
    std::vector<std::shared_ptr<RunGroup>> places;  // a group at the place of its first run; null: a single run
    std::vector<RunItemPtr> alone;                  // the single run at that place
    Groups known;
    for (const RunItemPtr& run : runs) {
        const QString key = keyOf(*run);
        const bool own = key.isEmpty() && kind_ == Kind::Series;
        std::shared_ptr<RunGroup> group = own ? nullptr : known.value(key);
        if (own || !group) {
            if (!own) {
                group = std::make_shared<RunGroup>();
                group->key = key;
                group->title = titleOf(*run);
                group->open = open.has(key);
                known.insert(key, group);
            }
            places.push_back(group);
            alone.push_back(own ? run : nullptr);
        }
        if (!own) group->runs.push_back(run);
    }
    if (all.size() != runs.size()) countHidden(known, all);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::shared_ptr<RunGroup>& group = places[i];
        if (!group) {
            rows.push_back({.run = alone[i]});
            continue;
        }
        if (kind_ == Kind::Series) group->planned = group->runs.front()->row.seriesSize;
        rows.push_back({.group = group});
        if (!group->open) continue;
        for (const RunItemPtr& run : group->runs) rows.push_back({.run = run, .group = group});
    }
    return rows;
}

}  // namespace dasgd::gui
