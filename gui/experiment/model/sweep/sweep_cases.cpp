#include "gui/experiment/model/sweep/sweep_cases.h"

#include <algorithm>
#include <map>

#include "core/analysis/runs/configuration.h"
#include "core/base/schema/toml_reader.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

const QString kCase = QStringLiteral("case"), kName = QStringLiteral("name"), kOwnSweep = QStringLiteral("sweep");
constexpr int kDeepestCases = 8;

// The text of one [[case]] with everything in it, and the comment above it.
struct Block {
    qsizetype begin = 0, end = 0;
    std::vector<TomlEntry> entries;
};

std::vector<Block> blocksOf(const QString& text) {
    std::vector<Block> blocks;
    bool inside = false;
    for (const TomlEntry& entry : scanToml(text)) {
        const bool opens = entry.kind == TomlEntry::Kind::ArrayHeader && entry.path == QStringList{kCase};
        const bool leaves = entry.kind != TomlEntry::Kind::Key && entry.path.value(0) != kCase;
        if (inside && (opens || leaves)) blocks.back().end = commentAbove(text, entry.lineBegin);
        inside = opens || (inside && !leaves);
        if (opens) blocks.push_back({commentAbove(text, entry.lineBegin), text.size(), {}});
        if (inside) blocks.back().entries.push_back(entry);
    }
    return blocks;
}

// The blocks, if they match the parsed text: cases written as one inline array are not split.
std::vector<Block> blocksOf(const ExperimentDocument& document) {
    const Value* cases = document.value(kCase);
    const auto* all = cases ? cases->as<Value::Array>() : nullptr;
    auto blocks = blocksOf(document.text());
    return all && blocks.size() == all->size() ? blocks : std::vector<Block>{};
}

const TomlEntry* nameOf(const Block& block) { return findKey(block.entries, {kCase, kName}); }

QString textOf(const QString& text, const TomlEntry& entry) {
    return text.mid(entry.valueBegin, entry.valueEnd - entry.valueBegin).simplified();
}

QString quoted(const QString& text) { return QString::fromStdString(Value(text.toStdString()).toToml()); }

SweepCase caseOf(const QString& text, const Block& block) {
    SweepCase one{.line = block.entries.front().line};
    for (const TomlEntry& entry : block.entries) {
        const QStringList path = entry.path.mid(1);
        if (path.value(0) == kCase) {
            one.inner += entry.kind == TomlEntry::Kind::ArrayHeader && path.size() == 1 ? 1 : 0;
            continue;
        }
        // Keys within braces follow as entries of their own.
        const bool opens = text.mid(entry.valueBegin, 1) == QLatin1String("{");
        if (entry.kind != TomlEntry::Kind::Key || opens || path == QStringList{kName}) continue;
        const bool sweeps = path.front() == kOwnSweep;
        one.values.push_back({path, text.mid(entry.valueBegin, entry.valueEnd - entry.valueBegin), entry.line});
        one.sets << (sweeps ? QStringLiteral("sweep ") + path.mid(1).join(u'.')
                            : path.join(u'.') + QStringLiteral(" = ") + textOf(text, entry));
    }
    return one;
}

QString freeName(const ExperimentDocument& document, const QString& stem, int first) {
    QStringList taken;
    for (const SweepCase& one : casesOf(document)) taken << one.name;
    int number = first;
    while (taken.contains(stem + QString::number(number))) ++number;
    return stem + QString::number(number);
}

// Inserts `block` as a paragraph at `at`, the beginning of a line or the end of the text.
QString withBlock(const QString& text, qsizetype at, const QString& block) {
    QString before = text.left(at);
    const QString after = text.mid(at);
    if (!before.isEmpty() && !before.endsWith(u'\n')) before += u'\n';
    if (!before.isEmpty() && !before.endsWith(QLatin1String("\n\n"))) before += u'\n';
    QString paragraph = block;
    while (paragraph.endsWith(u'\n')) paragraph.chop(1);
    return before + paragraph + (after.isEmpty() ? QStringLiteral("\n") : QStringLiteral("\n\n")) + after;
}

QString withLineIn(const QString& text, const TomlEntry& above, const QString& line) {
    const QString before = text.left(above.lineEnd);
    return before + (before.endsWith(u'\n') ? QString() : QStringLiteral("\n")) + line + u'\n' +
           text.mid(above.lineEnd);
}

qint64 product(qint64 left, qint64 right) {
    return right > 0 && left > SweepSize::kMostCounted / right ? SweepSize::kMostCounted : left * right;
}

using Axes = std::map<std::string, qint64, std::less<>>;

void addAxes(const Value& table, Axes& axes) {
    const Value* sweep = table.find("sweep");
    if (!sweep || !sweep->isTable()) return;
    for (const auto& [key, values] : *sweep->as<Value::Table>()) {
        const auto* array = values.as<Value::Array>();
        axes[key] = array ? static_cast<qint64>(array->size()) : 1;
    }
}

qint64 runsOf(const Value& table, Axes axes, int depth) {
    addAxes(table, axes);
    const Value* found = table.find("case");
    const auto* cases = found ? found->as<Value::Array>() : nullptr;
    qint64 runs = 0;
    if (cases && depth < kDeepestCases) {
        for (const Value& one : *cases) {
            runs = std::min(runs + (one.isTable() ? runsOf(one, axes, depth + 1) : 1), SweepSize::kMostCounted);
        }
        return runs;
    }
    runs = 1;
    for (const auto& [key, count] : axes) runs = product(runs, count);
    return runs;
}

}  // namespace

std::vector<SweepCase> casesOf(const ExperimentDocument& document) {
    std::vector<SweepCase> rows;
    const auto blocks = blocksOf(document);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        SweepCase row = caseOf(document.text(), blocks[i]);
        const Value* name = (*document.value(kCase)->as<Value::Array>())[i].find("name");
        const auto* text = name ? name->as<std::string>() : nullptr;
        if (text) row.name = QString::fromStdString(*text);
        rows.push_back(std::move(row));
    }
    return rows;
}

QString withNewCase(const ExperimentDocument& document) {
    const auto blocks = blocksOf(document);
    const qsizetype at = blocks.empty() ? document.text().size() : blocks.back().end;
    const QString name = freeName(document, QStringLiteral("case "), static_cast<int>(blocks.size()) + 1);
    return withBlock(document.text(), at, QStringLiteral("[[case]]\nname = ") + quoted(name));
}

QString withCopiedCase(const ExperimentDocument& document, std::size_t index) {
    const auto blocks = blocksOf(document);
    if (index >= blocks.size()) return document.text();
    const Block& block = blocks[index];
    QString copy = document.text().mid(block.begin, block.end - block.begin);
    if (const TomlEntry* name = nameOf(block)) {
        const QString old = casesOf(document)[index].name;
        copy.replace(name->valueBegin - block.begin, name->valueEnd - name->valueBegin,
                     quoted(freeName(document, old + u' ', 2)));
    }
    return withBlock(document.text(), block.end, copy);
}

QString withoutCase(const ExperimentDocument& document, std::size_t index) {
    const auto blocks = blocksOf(document);
    QString text = document.text();
    if (index >= blocks.size()) return text;
    text.remove(blocks[index].begin, blocks[index].end - blocks[index].begin);
    while (blocks[index].begin == text.size() && text.endsWith(QLatin1String("\n\n"))) text.chop(1);
    return text;
}

QString withCaseName(const ExperimentDocument& document, std::size_t index, const QString& name) {
    const auto blocks = blocksOf(document);
    QString text = document.text();
    if (index >= blocks.size()) return text;
    const TomlEntry* entry = nameOf(blocks[index]);
    if (!entry && name.isEmpty()) return text;
    if (!entry) return withLineIn(text, blocks[index].entries.front(), QStringLiteral("name = ") + quoted(name));
    if (name.isEmpty()) return text.remove(entry->lineBegin, entry->lineEnd - entry->lineBegin);
    return text.replace(entry->valueBegin, entry->valueEnd - entry->valueBegin, quoted(name));
}

QString withCaseKey(const ExperimentDocument& document, std::size_t index, const QString& key, const QString& toml) {
    const auto blocks = blocksOf(document);
    const QString& text = document.text();
    if (index >= blocks.size()) return text;
    const QStringList path = QStringList{kCase} + keyParts(key);
    const QStringList table = path.mid(0, path.size() - 1);
    const TomlEntry* above = nullptr;  // last entry of the key's table if the case has it, else of [[case]]
    QString line = key + QStringLiteral(" = ") + toml;
    for (const TomlEntry& entry : blocks[index].entries) {
        if (entry.kind == TomlEntry::Kind::Key && (entry.path == path || entry.path == table)) return text;
        if (entry.kind == TomlEntry::Kind::Header && entry.path == table) {
            above = &entry;
            line = path.last() + QStringLiteral(" = ") + toml;
        } else if (!entry.isInline && entry.table == (above ? above->table : QStringList{kCase})) {
            above = &entry;
        }
    }
    return above ? withLineIn(text, *above, line) : text;
}

QString CaseValue::key() const {
    return path.value(0) == kOwnSweep ? QStringLiteral("sweep ") + path.mid(1).join(u'.') : path.join(u'.');
}

QString withCaseValue(const ExperimentDocument& document, std::size_t index, const QStringList& path,
                      const QString& toml) {
    const auto blocks = blocksOf(document);
    QString text = document.text();
    if (index >= blocks.size()) return text;
    const TomlEntry* entry = findKey(blocks[index].entries, QStringList{kCase} + path);
    return entry ? text.replace(entry->valueBegin, entry->valueEnd - entry->valueBegin, toml) : text;
}

QString withoutCaseValue(const ExperimentDocument& document, std::size_t index, const QStringList& path) {
    const auto blocks = blocksOf(document);
    QString text = document.text();
    if (index >= blocks.size()) return text;
    const Block& block = blocks[index];
    // Edits only the block, as another case may have a key of the same path.
    const QString own = text.mid(block.begin, block.end - block.begin);
    return text.replace(block.begin, block.end - block.begin, withoutKey(own, QStringList{kCase} + path));
}

SweepSize sweepSize(const ExperimentDocument& document) {
    SweepSize size;
    const auto root = parseToml(document.text().toStdString(), "text");
    if (!root) return size;
    Axes axes;
    addAxes(*root, axes);
    for (const QString& key : document.swept()) size.axes.emplace_back(key, axes[key.toStdString()]);
    const Value* found = root->find("case");
    if (const auto* cases = found ? found->as<Value::Array>() : nullptr) {
        size.cases = static_cast<qint64>(cases->size());
        size.nested = std::ranges::any_of(
            *cases, [](const Value& one) { return one.isTable() && (one.find("case") || one.find("sweep")); });
    }
    size.runs = runsOf(*root, {}, 0);
    return size;
}

QString SweepSize::inWords(std::optional<qint64> planned) const {
    QStringList factors;
    for (const auto& [key, count] : axes) {
        const bool isSeed = seedKeys().contains(key.toStdString());
        factors << (isSeed ? counted(count, "seed") : grouped(count));
    }
    if (cases > 0) factors << counted(cases, "case");
    const QString made = counted(runs, "run");
    if (factors.isEmpty()) return made;
    if (nested) {
        const QString found = counted(planned.value_or(runs), "run");
        return QStringLiteral("%1, with cases or sweeps of their own: %2").arg(factors.last(), found);
    }
    const QString whole =
        factors.size() == 1 && cases == 0 ? made : factors.join(QStringLiteral(" × ")) + QStringLiteral(" = ") + made;
    if (!planned || *planned == runs) return whole;
    return whole + QStringLiteral(", %1 of them different").arg(grouped(*planned));
}

}  // namespace dasgd::gui
