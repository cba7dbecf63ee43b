#include "gui/experiment/model/sweep/sweep_text.h"

#include <QRegularExpression>
#include <algorithm>

#include "core/base/schema/toml_reader.h"

namespace dasgd::gui {

namespace {

const QString kSweep = QStringLiteral("sweep");

struct Piece {
    qsizetype begin = 0, end = 0;
    bool operator==(const Piece&) const = default;
};

// Position after the string that begins at `at`; the end of its line if it is not closed.
qsizetype behindString(const QString& text, qsizetype at, qsizetype end) {
    const QChar quote = text[at];
    for (++at; at < end && text[at] != quote && text[at] != u'\n'; ++at) {
        if (quote == u'"' && text[at] == u'\\') ++at;
    }
    return std::min(at + 1, end);
}

// The pieces between commas outside brackets and strings, without surrounding blanks and comments; empty ones are left
// out.
std::vector<Piece> piecesOf(const QString& text, qsizetype begin, qsizetype end) {
    std::vector<Piece> pieces;
    Piece piece{-1, -1};
    int depth = 0;
    const auto close = [&] {
        if (piece.begin >= 0) pieces.push_back(piece);
        piece = {-1, -1};
    };
    for (qsizetype at = begin; at < end;) {
        const QChar c = text[at];
        qsizetype next = at + 1;
        if (c == u'#') {
            next = text.indexOf(u'\n', at);
            at = next < 0 || next > end ? end : next;
            continue;
        }
        if (c == u',' && depth == 0) {
            close();
            at = next;
            continue;
        }
        if (c == u'"' || c == u'\'') next = behindString(text, at, end);
        depth += c == u'[' || c == u'{' || c == u'(' ? 1 : 0;
        depth -= c == u']' || c == u'}' || c == u')' ? 1 : 0;
        if (!c.isSpace()) {
            if (piece.begin < 0) piece.begin = at;
            piece.end = next;
        }
        at = next;
    }
    close();
    return pieces;
}

QStringList textsOf(const QString& text, const std::vector<Piece>& pieces) {
    QStringList texts;
    for (const Piece& piece : pieces) texts << text.mid(piece.begin, piece.end - piece.begin);
    return texts;
}

bool isToml(const QString& value) {
    const QString line = QStringLiteral("v = ") + value;
    const auto entries = scanToml(line);
    return entries.size() > 0 && entries.front().valueEnd == line.size() &&
           parseToml(line.toStdString(), "text").has_value();
}

// One value as typed, in TOML. Words need no quotes if the field is a string.
QString tomlOfPiece(const QString& piece, const FieldInfo* field) {
    const bool isString = field && field->type == "string";
    const bool quoted = piece.startsWith(u'"') || piece.startsWith(u'\'') || piece.startsWith(u'{');
    if ((!isString || quoted) && isToml(piece)) return piece;
    return QString::fromStdString(Value(piece.toStdString()).toToml());
}

// The value as users type it: without quotes if the type implies them.
QString pieceOfToml(const QString& toml, const FieldInfo* field) {
    const QString simple = toml.contains(u'\n') ? toml.simplified() : toml;
    if (!toml.startsWith(u'"') || toml.size() < 3) return simple;
    const QString bare = toml.mid(1, toml.size() - 2);
    static const QRegularExpression special(QStringLiteral("[,#\"'\\[\\]{}\\\\]|\\.\\.|^\\s|\\s$"));
    return !special.match(bare).hasMatch() && tomlOfPiece(bare, field) == toml ? bare : simple;
}

const TomlEntry* sweepEntry(const std::vector<TomlEntry>& entries, const QString& key) {
    return findKey(entries, {kSweep, key});
}

// The pieces of an array's text, as positions in the whole text; empty if it is no array.
std::vector<Piece> elementsOf(const QString& text, const TomlEntry& entry) {
    if (entry.valueEnd - entry.valueBegin < 2 || text[entry.valueBegin] != u'[') return {};
    return piecesOf(text, entry.valueBegin + 1, entry.valueEnd - 1);
}

void addLeaves(const ExperimentDocument& document, const std::vector<const FieldInfo*>& fields, const QString& prefix,
               std::vector<SweepableField>& leaves) {
    for (const FieldInfo* field : fields) {
        const QString key = prefix + u'.' + QString::fromStdString(field->name);
        if (field->type == "table") {
            std::vector<const FieldInfo*> children;
            for (const FieldInfo& child : field->children) children.push_back(&child);
            addLeaves(document, children, key, leaves);
            continue;
        }
        const Value* value = document.value(key);
        leaves.push_back({key, field, QString::fromStdString(value ? value->toToml() : field->defaultToml)});
    }
}

std::vector<SweepableField> leavesOf(const ExperimentDocument& document, const ExperimentSchema& schema) {
    std::vector<SweepableField> leaves;
    for (const SchemaSection& section : schema.sections) {
        addLeaves(document, section.fieldsOf(document.pluginOf(section).toStdString()),
                  QString::fromStdString(section.name), leaves);
    }
    return leaves;
}

// Replaces the elements by `after`; values that both lists begin and end with are not touched.
QString withElements(const QString& text, const std::vector<Piece>& pieces, const QStringList& after) {
    const QStringList before = textsOf(text, pieces);
    qsizetype head = 0, tail = 0;
    const qsizetype most = std::min(before.size(), after.size());
    while (head < most && before[head] == after[head]) ++head;
    while (tail < most - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
    const QStringList put = after.mid(head, after.size() - head - tail);
    const qsizetype gone = before.size() - head - tail;
    const QString comma = QStringLiteral(", ");
    if (gone > 0 && !put.isEmpty()) {
        return text.left(pieces[head].begin) + put.join(comma) + text.mid(pieces[head + gone - 1].end);
    }
    if (gone > 0) {
        const bool first = head == 0;
        const qsizetype from = first ? pieces[0].begin : pieces[head - 1].end;
        return text.left(from) + text.mid(first ? pieces[gone].begin : pieces[head + gone - 1].end);
    }
    if (put.isEmpty()) return text;
    if (head == 0) return text.left(pieces[0].begin) + put.join(comma) + comma + text.mid(pieces[0].begin);
    const qsizetype at = pieces[head - 1].end;
    return text.left(at) + comma + put.join(comma) + text.mid(at);
}

}  // namespace

std::vector<SweptField> sweptFields(const ExperimentDocument& document, const ExperimentSchema& schema) {
    std::vector<SweptField> rows;
    const Value* sweep = document.value(kSweep);
    if (!sweep || !sweep->isTable()) return rows;
    const auto entries = scanToml(document.text());
    const auto leaves = leavesOf(document, schema);
    for (const auto& [name, value] : *sweep->as<Value::Table>()) {
        SweptField row{.key = QString::fromStdString(name)};
        const auto leaf = std::ranges::find(leaves, row.key, &SweepableField::key);
        if (leaf != leaves.end()) row.field = leaf->field;
        if (const auto* values = value.as<Value::Array>()) row.count = static_cast<qint64>(values->size());
        if (const TomlEntry* entry = sweepEntry(entries, row.key)) {
            row.line = entry->line;
            QStringList shown;
            for (const QString& one : textsOf(document.text(), elementsOf(document.text(), *entry))) {
                shown << pieceOfToml(one, row.field);
            }
            row.values = shown.join(QStringLiteral(", "));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<SweepableField> sweepableFields(const ExperimentDocument& document, const ExperimentSchema& schema) {
    std::vector<SweepableField> leaves = leavesOf(document, schema);
    const QStringList swept = document.swept();
    std::erase_if(leaves, [&](const SweepableField& one) { return swept.contains(one.key); });
    return leaves;
}

Result<QStringList> sweepValues(const QString& written, const FieldInfo* field) {
    static const QRegularExpression range(QStringLiteral("^(-?\\d+)\\s*\\.\\.\\s*(-?\\d+)$"));
    QStringList values;
    for (const QString& piece : textsOf(written, piecesOf(written, 0, written.size()))) {
        const auto match = range.match(piece);
        if (!match.hasMatch()) {
            values << tomlOfPiece(piece, field);
            continue;
        }
        bool isFirst = false, isLast = false;
        const qint64 first = match.captured(1).toLongLong(&isFirst), last = match.captured(2).toLongLong(&isLast);
        const bool falls = isFirst && isLast && last < first;
        // Unsigned, so that the difference of any two numbers is representable.
        if (!isFirst || !isLast || falls ||
            static_cast<quint64>(last) - static_cast<quint64>(first) >= static_cast<quint64>(kLongestRange)) {
            return fail((falls ? QStringLiteral("the range %1 must rise").arg(piece)
                               : QStringLiteral("the range %1 has more than %2 numbers; write fewer, or give it to "
                                                "dasgd run with --sweep")
                                     .arg(piece)
                                     .arg(kLongestRange))
                            .toStdString());
        }
        for (qint64 number = first; number <= last; ++number) values << QString::number(number);
    }
    if (values.isEmpty()) return fail("needs at least one value; Delete takes the row out");
    return values;
}

Result<QString> singleValue(const QString& written, const FieldInfo* field) {
    const QString text = written.trimmed();
    if (text.startsWith(u'[') || text.startsWith(u'{')) {
        if (isToml(text)) return text;
        return fail("found \"" + text.toStdString() + "\"; brackets and braces hold TOML, as [1, 2] or { a = 1 }");
    }
    const bool quoted = text.startsWith(u'"') || text.startsWith(u'\'');
    if (!quoted && text.contains(u'#')) return fail("# begins a comment; quote what holds one");
    DASGD_ASSIGN(const QStringList values, sweepValues(text, field));
    if (values.size() != 1) return fail("one value; several of them are a sweep");
    return values.front();
}

QString asWritten(const QString& toml, const FieldInfo* field) { return pieceOfToml(toml, field); }

const FieldInfo* fieldOfKey(const ExperimentDocument& document, const ExperimentSchema& schema, const QString& key) {
    std::vector<SweepableField> leaves = leavesOf(document, schema);
    for (const SchemaSection& section : schema.sections) {
        for (const SchemaPlugin& plugin : section.plugins) {
            addLeaves(document, section.fieldsOf(plugin.name), QString::fromStdString(section.name), leaves);
        }
    }
    const auto found = std::ranges::find(leaves, key, &SweepableField::key);
    return found == leaves.end() ? nullptr : found->field;
}

QString withSweep(const ExperimentDocument& document, const QString& key, const QStringList& values,
                  const ExperimentSchema& schema) {
    const auto entries = scanToml(document.text());
    const TomlEntry* entry = sweepEntry(entries, key);
    const auto pieces = entry ? elementsOf(document.text(), *entry) : std::vector<Piece>{};
    if (!pieces.empty() && !values.isEmpty()) return withElements(document.text(), pieces, values);
    return withKey(document.text(), {kSweep, key}, u'[' + values.join(QStringLiteral(", ")) + u']',
                   qStrings(schema.sectionNames()) + QStringList{kSweep, QStringLiteral("case")});
}

QString withoutSweep(const ExperimentDocument& document, const QString& key) {
    QString text = withoutKey(document.text(), {kSweep, key});
    const auto entries = scanToml(text);
    const bool more = std::ranges::any_of(entries, [](const TomlEntry& one) {
        return one.kind == TomlEntry::Kind::Key && one.path.size() > 1 && one.path.front() == kSweep;
    });
    for (std::size_t i = 0; i < entries.size() && !more; ++i) {
        if (entries[i].kind != TomlEntry::Kind::Header || entries[i].path != QStringList{kSweep}) continue;
        const qsizetype from = entries[i].lineEnd;
        const qsizetype end = i + 1 < entries.size() ? commentAbove(text, entries[i + 1].lineBegin) : text.size();
        if (!text.mid(from, end - from).trimmed().isEmpty()) return text;
        qsizetype begin = entries[i].lineBegin;
        // The blank line above is removed too, so that adding and removing a row restores the text.
        if (begin > 1 && text[begin - 1] == u'\n' && text[begin - 2] == u'\n' && end == text.size()) --begin;
        return text.remove(begin, end - begin);
    }
    return text;
}

}  // namespace dasgd::gui
