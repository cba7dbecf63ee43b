#include "gui/experiment/model/document/toml_text.h"

#include <algorithm>
#include <optional>

namespace dasgd::gui {

namespace {

constexpr int kDeepest = 24;

bool isBareKey(QChar c) { return c == u'_' || c == u'-' || (c.unicode() < 128 && c.isLetterOrNumber()); }

class TomlScanner {
public:
    explicit TomlScanner(const QString& text) : text_(text) {}

    std::vector<TomlEntry> scan() {
        while (at_ < text_.size()) {
            skipBlanks();
            const qsizetype before = at_;
            if (peek() == u'[') {
                header();
            } else if (peek() != u'#' && peek() != u'\n' && at_ < text_.size()) {
                statement();
            }
            skipLine();
            for (std::size_t i = open_; i < entries_.size(); ++i) {
                entries_[i].lineBegin = lineBeginOf(before);
                entries_[i].lineEnd = at_;
            }
            open_ = entries_.size();
        }
        return std::move(entries_);
    }

private:
    [[nodiscard]] QChar peek(qsizetype ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : QChar(u'\0');
    }
    [[nodiscard]] qsizetype lineBeginOf(qsizetype at) const {
        return at == 0 ? 0 : text_.lastIndexOf(u'\n', at - 1) + 1;
    }

    void skipBlanks() {
        while (peek() == u' ' || peek() == u'\t' || peek() == u'\r') ++at_;
    }
    // Skips blanks, line breaks and comments, which may all stand inside brackets.
    void skipSpace() {
        for (skipBlanks(); peek() == u'\n' || peek() == u'#'; skipBlanks()) skipLine();
    }
    void skipLine() {
        const qsizetype end = text_.indexOf(u'\n', at_);
        at_ = end < 0 ? text_.size() : end + 1;
    }

    void header() {
        TomlEntry entry{.kind = peek(1) == u'[' ? TomlEntry::Kind::ArrayHeader : TomlEntry::Kind::Header};
        entry.begin = at_;
        at_ += entry.kind == TomlEntry::Kind::ArrayHeader ? 2 : 1;
        entry.path = keyPath();
        while (peek() == u']') ++at_;
        entry.valueBegin = entry.valueEnd = at_;
        table_ = entry.table = entry.path;
        add(entry);
    }

    void statement() {
        TomlEntry entry{.table = table_};
        pair(std::move(entry), table_, 0);
    }

    // Reads key = value, where the key is relative to `base`.
    void pair(TomlEntry entry, const QStringList& base, int depth) {
        entry.begin = at_;
        entry.path = base + keyPath();
        skipBlanks();
        if (peek() != u'=' || entry.path.size() == base.size()) return;
        ++at_;
        skipBlanks();
        entry.valueBegin = at_;
        const std::size_t place = entries_.size();
        const QStringList path = entry.path;
        add(entry);
        value(path, depth);
        entries_[place].valueEnd = at_;
    }

    void add(TomlEntry entry) {
        for (; counted_ < entry.begin; ++counted_) line_ += text_[counted_] == u'\n' ? 1 : 0;
        entry.line = line_;
        entries_.push_back(std::move(entry));
    }

    QStringList keyPath() {
        QStringList parts;
        while (true) {
            skipBlanks();
            const qsizetype from = at_;
            if (peek() == u'"' || peek() == u'\'') {
                skipString();
                parts << text_.mid(from + 1, std::max<qsizetype>(0, at_ - from - 2));
            } else {
                while (isBareKey(peek())) ++at_;
                if (at_ == from) return parts;
                parts << text_.mid(from, at_ - from);
            }
            skipBlanks();
            if (peek() != u'.') return parts;
            ++at_;
        }
    }

    void value(const QStringList& path, int depth) {
        const QChar first = peek();
        if (first == u'"' || first == u'\'') return skipString();
        if (first == u'[') return skipBrackets();
        if (first == u'{') return depth < kDeepest ? inlineTable(path, depth) : skipBrackets();
        static const QString kEnds = QStringLiteral(",]}#\n");
        const qsizetype from = at_;
        while (at_ < text_.size() && !kEnds.contains(text_[at_])) ++at_;
        while (at_ > from && text_[at_ - 1].isSpace()) --at_;
    }

    void inlineTable(const QStringList& path, int depth) {
        ++at_;
        for (skipSpace(); at_ < text_.size() && peek() != u'}'; skipSpace()) {
            const qsizetype before = at_;
            pair({.table = path, .isInline = true}, path, depth + 1);
            skipSpace();
            if (peek() == u',') ++at_;
            if (at_ == before) return;  // not TOML: the rest of the line is skipped
        }
        if (at_ < text_.size()) ++at_;
    }

    // Skips an array with its content, or a table nested too deep to be scanned.
    void skipBrackets() {
        int open = 0;
        while (at_ < text_.size()) {
            const QChar c = peek();
            if (c == u'"' || c == u'\'') {
                skipString();
                continue;
            }
            if (c == u'#') {
                skipLine();
                continue;
            }
            if (c == u'[' || c == u'{') ++open;
            if (c == u']' || c == u'}') --open;
            ++at_;
            if (open == 0) return;
        }
    }

    void skipString() {
        const QChar quote = peek();
        const bool isLong = peek(1) == quote && peek(2) == quote;
        const QString closing(isLong ? 3 : 1, quote);
        at_ += closing.size();
        while (at_ < text_.size() && QStringView(text_).mid(at_, closing.size()) != closing) {
            if (!isLong && peek() == u'\n') return;
            at_ += quote == u'"' && peek() == u'\\' ? 2 : 1;
        }
        at_ = std::min(at_ + closing.size(), text_.size());
    }

    const QString& text_;
    qsizetype at_ = 0;
    QStringList table_;
    std::vector<TomlEntry> entries_;
    std::size_t open_ = 0;  // first entry of the current statement
    qsizetype counted_ = 0;
    int line_ = 1;
};

QString written(const QStringList& key) {
    QStringList parts;
    for (const QString& part : key) {
        const bool bare = !part.isEmpty() && std::all_of(part.begin(), part.end(), isBareKey);
        parts << (bare ? part : u'"' + part + u'"');
    }
    return parts.join(u'.');
}

QString assignment(const QStringList& key, const QString& toml) { return written(key) + QStringLiteral(" = ") + toml; }

// Inserts a whole line at `at`, which is the beginning of a line or the end of the text.
QString withLine(const QString& text, qsizetype at, const QString& line) {
    const bool open = at > 0 && text[at - 1] != u'\n';
    return text.left(at) + (open ? QStringLiteral("\n") : QString()) + line + u'\n' + text.mid(at);
}

bool isUnder(const QStringList& path, const QStringList& table) {
    return path.size() > table.size() && path.mid(0, table.size()) == table;
}

QString withTopLevelKey(const QString& text, const std::vector<TomlEntry>& entries, const QStringList& path,
                        const QString& toml) {
    qsizetype at = -1;
    for (const TomlEntry& entry : entries) {
        if (entry.table.isEmpty() && !entry.isInline) at = entry.lineEnd;
    }
    if (at >= 0) return withLine(text, at, assignment(path, toml));
    at = 0;
    while (at < text.size() && text[at] == u'#') {
        const qsizetype end = text.indexOf(u'\n', at);
        at = end < 0 ? text.size() : end + 1;
    }
    const bool spaced = at >= text.size() || text[at] == u'\n';
    return withLine(text, at, assignment(path, toml) + (spaced ? QString() : QStringLiteral("\n")));
}

QString withTable(const QString& text, const std::vector<TomlEntry>& entries, const QStringList& path,
                  const QString& toml, const QStringList& tableOrder) {
    const auto rank = [&tableOrder](const QString& table) {
        const qsizetype at = tableOrder.indexOf(table);
        return at < 0 ? tableOrder.size() : at;
    };
    const QStringList table = path.mid(0, path.size() - 1);
    const QString block = u'[' + written(table) + QStringLiteral("]\n") + assignment({path.last()}, toml);
    for (const TomlEntry& entry : entries) {
        if (entry.kind == TomlEntry::Kind::Key || rank(entry.path.first()) <= rank(table.first())) continue;
        return withLine(text, commentAbove(text, entry.lineBegin), block + u'\n');
    }
    const bool spaced = text.isEmpty() || text.endsWith(QLatin1String("\n\n"));
    return withLine(text, text.size(), (spaced ? QString() : QStringLiteral("\n")) + block);
}

// The text with the key added to its table; nullopt if the text has no such table.
std::optional<QString> withKeyInItsTable(const QString& text, const std::vector<TomlEntry>& entries,
                                         const QStringList& path, const QString& toml) {
    const QStringList table = path.mid(0, path.size() - 1);
    const QString pair = assignment({path.last()}, toml);
    qsizetype ofHeader = -1;
    const TomlEntry *dotted = nullptr, *lastInline = nullptr;
    for (const TomlEntry& entry : entries) {
        const bool isKey = entry.kind == TomlEntry::Kind::Key;
        if (entry.kind == TomlEntry::Kind::Header && entry.path == table) ofHeader = entry.lineEnd;
        if (isKey && !entry.isInline && entry.table == table && ofHeader >= 0) ofHeader = entry.lineEnd;
        if (isKey && !entry.isInline && entry.table.size() < table.size() && isUnder(entry.path, table))
            dotted = &entry;
        if (isKey && entry.isInline && entry.table == table) lastInline = &entry;
    }
    if (ofHeader >= 0) return withLine(text, ofHeader, pair);
    if (lastInline)
        return text.left(lastInline->valueEnd) + QStringLiteral(", ") + pair + text.mid(lastInline->valueEnd);
    if (dotted) return withLine(text, dotted->lineEnd, assignment(path.mid(dotted->table.size()), toml));
    if (const TomlEntry* empty = findKey(entries, table)) {
        return text.left(empty->valueBegin) + QStringLiteral("{ ") + pair + QStringLiteral(" }") +
               text.mid(empty->valueEnd);
    }
    return std::nullopt;
}

QString withoutInlineKey(const QString& text, const std::vector<TomlEntry>& entries, const TomlEntry& entry) {
    const TomlEntry *before = nullptr, *after = nullptr;
    for (const TomlEntry& other : entries) {
        if (!other.isInline || other.table != entry.table || other.lineBegin != entry.lineBegin) continue;
        if (other.begin < entry.begin) before = &other;
        if (other.begin > entry.begin && !after) after = &other;
    }
    if (after) return text.left(entry.begin) + text.mid(after->begin);
    if (before) return text.left(before->valueEnd) + text.mid(entry.valueEnd);
    return withoutKey(text, entry.table);
}

}  // namespace

qsizetype commentAbove(const QString& text, qsizetype at) {
    while (at > 1) {
        const qsizetype before = text.lastIndexOf(u'\n', at - 2) + 1;
        if (text[before] != u'#') break;
        at = before;
    }
    return at;
}

std::vector<TomlEntry> scanToml(const QString& text) { return TomlScanner(text).scan(); }

const TomlEntry* findKey(const std::vector<TomlEntry>& entries, const QStringList& path) {
    const TomlEntry* found = nullptr;
    for (const TomlEntry& entry : entries) {
        if (entry.kind == TomlEntry::Kind::Key && entry.path == path) found = &entry;
    }
    return found;
}

QString withKey(const QString& text, const QStringList& path, const QString& toml, const QStringList& tableOrder) {
    const std::vector<TomlEntry> entries = scanToml(text);
    if (const TomlEntry* entry = findKey(entries, path)) {
        return text.left(entry->valueBegin) + toml + text.mid(entry->valueEnd);
    }
    if (path.size() == 1) return withTopLevelKey(text, entries, path, toml);
    if (auto changed = withKeyInItsTable(text, entries, path, toml)) return *changed;
    if (path.size() > 2) {
        const QString pair = QStringLiteral("{ ") + assignment({path.last()}, toml) + QStringLiteral(" }");
        return withKey(text, path.mid(0, path.size() - 1), pair, tableOrder);
    }
    return withTable(text, entries, path, toml, tableOrder);
}

QString withoutKey(const QString& text, const QStringList& path) {
    const std::vector<TomlEntry> entries = scanToml(text);
    const TomlEntry* entry = findKey(entries, path);
    if (!entry) return text;
    if (entry->isInline) return withoutInlineKey(text, entries, *entry);
    qsizetype from = entry->lineBegin;
    if (entry->table.size() > 1) {
        int keys = 0;
        const TomlEntry* head = nullptr;
        for (const TomlEntry& other : entries) {
            if (other.kind == TomlEntry::Kind::Header && other.path == entry->table) head = &other;
            keys += other.kind == TomlEntry::Kind::Key && !other.isInline && other.table == entry->table ? 1 : 0;
        }
        if (head && keys == 1) from = head->lineBegin;
    }
    return text.left(from) + text.mid(entry->lineEnd);
}

QString withoutTable(const QString& text, const QString& table) {
    const std::vector<TomlEntry> entries = scanToml(text);
    QString shorter = text;
    for (std::size_t i = entries.size(); i-- > 0;) {
        const TomlEntry& entry = entries[i];
        if (entry.isInline || entry.path.isEmpty() || entry.path.front() != table) continue;
        const bool isKey = entry.kind == TomlEntry::Kind::Key;
        // Behind a header all belongs to the table up to the comment above the next header.
        const auto next = std::find_if(entries.begin() + static_cast<std::ptrdiff_t>(i) + 1, entries.end(),
                                       [](const TomlEntry& other) { return other.kind != TomlEntry::Kind::Key; });
        const qsizetype end = isKey                   ? entry.lineEnd
                              : next == entries.end() ? text.size()
                                                      : commentAbove(text, next->lineBegin);
        if (isKey && !entry.table.isEmpty()) continue;  // goes with its header
        const qsizetype begin = isKey ? entry.lineBegin : commentAbove(text, entry.lineBegin);
        shorter.remove(begin, end - begin);
    }
    return shorter;
}

}  // namespace dasgd::gui
