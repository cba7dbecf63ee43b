// TOML as text: the place of each key, and edits that change one key only, so that comments, order and layout survive
// an edit in a form. Positions are indices into the QString. parseToml() decides whether the text is valid; this reads
// as much as it can of any text.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace dasgd::gui {

struct TomlEntry {
    enum class Kind { Header, ArrayHeader, Key };
    Kind kind = Kind::Key;
    QStringList path;       // from the root of the document
    QStringList table;      // path of the header above it; for a key in an inline table, the path of that table
    bool isInline = false;  // within the braces of an inline table
    qsizetype begin = 0;    // position of the key, or of a header's bracket
    qsizetype valueBegin = 0;
    qsizetype valueEnd = 0;   // for a header: behind its last bracket
    qsizetype lineBegin = 0;  // the whole lines of its statement, comment and line break included
    qsizetype lineEnd = 0;
    int line = 0;  // line of `begin`, from 1
};

// Entries in the order of the text. Keys inside arrays are left out.
[[nodiscard]] std::vector<TomlEntry> scanToml(const QString& text);
// The last entry of kind Key with this path; null where there is none.
[[nodiscard]] const TomlEntry* findKey(const std::vector<TomlEntry>& entries, const QStringList& path);

// Start of the comment directly above the line that begins at `at`; `at` without a comment.
[[nodiscard]] qsizetype commentAbove(const QString& text, qsizetype at);

// The text with the key set to `toml`: its value replaced, or the key added to its table, or table and key added before
// the first table that comes later in `tableOrder` (tables not in it come last).
[[nodiscard]] QString withKey(const QString& text, const QStringList& path, const QString& toml,
                              const QStringList& tableOrder);
// The text without the key and the comment on its line; an inline table, or a table of two or more parts
// ("cluster.link"), is removed with its last key. The same text if there is no such key.
[[nodiscard]] QString withoutKey(const QString& text, const QStringList& path);
// The text without the table of this name at its root: its headers, its keys and the comments among them, also where it
// is written as dotted keys or inline.
[[nodiscard]] QString withoutTable(const QString& text, const QString& table);

}  // namespace dasgd::gui
