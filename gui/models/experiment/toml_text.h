// TOML as text: where each key stands, and changes that touch nothing but one key, so that comments, order and layout
// of a file survive an edit from a form. Positions are indices into the QString. Whether the text is valid is for
// parseToml() to say; this reads what it can of any text.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace dasgd::gui {

struct TomlEntry {
    enum class Kind { Header, ArrayHeader, Key };
    Kind kind = Kind::Key;
    QStringList path;       // from the root of the document
    QStringList table;      // the header that it stands under; of a key in an inline table: that table's path
    bool isInline = false;  // stands between the braces of an inline table
    qsizetype begin = 0;    // of the key, or of the bracket of a header
    qsizetype valueBegin = 0;
    qsizetype valueEnd = 0;   // of a header: behind its last bracket
    qsizetype lineBegin = 0;  // whole lines of the statement that it is part of, comment and line break included
    qsizetype lineEnd = 0;
    int line = 0;  // of `begin`, from 1
};

// In the order of the text. Keys inside arrays are left out.
[[nodiscard]] std::vector<TomlEntry> scanToml(const QString& text);
// The last entry of kind Key with this path; null where there is none.
[[nodiscard]] const TomlEntry* findKey(const std::vector<TomlEntry>& entries, const QStringList& path);

// The beginning of the comment that stands directly above the line that begins at `at`, else `at`.
[[nodiscard]] qsizetype commentAbove(const QString& text, qsizetype at);

// The text with the key set to `toml`: its value replaced, or the key added to its table, or table and key added before
// the first table that comes later in `tableOrder` (tables that it does not name come last).
[[nodiscard]] QString withKey(const QString& text, const QStringList& path, const QString& toml,
                              const QStringList& tableOrder);
// The text without the key and the comment on its line; an inline table or a table of two or more parts
// ("cluster.link") goes with its last key. The same text where there is no such key.
[[nodiscard]] QString withoutKey(const QString& text, const QStringList& path);

}  // namespace dasgd::gui
