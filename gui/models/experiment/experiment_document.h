// An experiment as its TOML text, which is the truth: the values in it, the lines they stand on, and the same text with
// one thing changed. A value: a new text makes a new document. No I/O, any thread.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/base/value.h"
#include "gui/models/experiment/schema.h"
#include "gui/models/experiment/toml_text.h"

namespace dasgd::gui {

// What is wrong, and where.
struct Problem {
    int line = 0;  // from 1; 0 where no line is to blame
    int column = 0;
    QString message;
    QString key;  // "optimizer.momentum"; "" where no key is to blame

    // "23:12  momentum is 1.9; …", or the message alone.
    [[nodiscard]] QString inWords() const;
};

// From the message of a reader of this text, "text:7:9: delay is 9; …", without a key.
[[nodiscard]] Problem problemFrom(const std::string& message);

class ExperimentDocument {
public:
    explicit ExperimentDocument(QString text = {});

    [[nodiscard]] const QString& text() const { return text_; }
    // The syntax error; nullopt where the text is TOML. With one, values are those of an empty text.
    [[nodiscard]] const std::optional<Problem>& syntaxError() const { return syntaxError_; }
    [[nodiscard]] bool isEmpty() const { return text_.trimmed().isEmpty(); }

    // Null where the key is not in the text. "train.steps", "cluster.link.bandwidth", "name".
    [[nodiscard]] const Value* value(const QString& key) const;
    // As a person reads it: strings without quotes, the rest as written; "" where it is not there.
    [[nodiscard]] QString valueText(const QString& key) const;
    [[nodiscard]] int lineOf(const QString& key) const;  // 0 where it is not there
    // The key whose statement covers the line, "" where there is none (comments, headers, cases).
    [[nodiscard]] QString keyAt(int line) const;
    [[nodiscard]] QString name() const { return valueText(QStringLiteral("name")); }
    // Keys of [sweep]: "algorithm.delay"; whole sections too: "algorithm".
    [[nodiscard]] QStringList swept() const;
    // Keys that [sweep] or a [[case]] sets, at any depth, each once: "algorithm.delay", of a swept section "algorithm".
    // What stands under them elsewhere in the text is not what every run has.
    [[nodiscard]] QStringList varied() const;
    [[nodiscard]] bool hasSection(const QString& section) const { return value(section) != nullptr; }
    // The plug-in of a section: named in the text, or the default; "" where there is neither.
    [[nodiscard]] QString pluginOf(const SchemaSection& section) const;

    // The text with `key` set, in TOML. Sections that are missing are put in the order of the schema.
    [[nodiscard]] QString with(const QString& key, const QString& toml, const ExperimentSchema& schema) const;
    [[nodiscard]] QString without(const QString& key) const;
    struct PluginChange {
        QString text;
        QStringList dropped;  // fields that only the old plug-in knows
    };
    [[nodiscard]] PluginChange withPlugin(const QString& section, const QString& plugin,
                                          const ExperimentSchema& schema) const;

private:
    QString text_;
    std::vector<TomlEntry> entries_;
    Value values_;
    std::optional<Problem> syntaxError_;
};

// "algorithm.delay" into its parts.
[[nodiscard]] QStringList keyParts(const QString& key);
// What a person wrote into the field, as TOML: strings in quotes; text that is no TOML value is quoted too, so that the
// engine can say what is wrong with it.
[[nodiscard]] QString tomlOf(const FieldInfo& field, const QString& written);
// Whether the value is the field's default; an absent one (null) is.
[[nodiscard]] bool isDefault(const FieldInfo& field, const Value* value);
// The text without the keys that stand at their default: what a recorded configuration differs in. The plug-ins' names
// stay.
[[nodiscard]] QString withoutDefaults(const QString& text, const ExperimentSchema& schema);

// What the text may mean by a relative path: the first part of everything in quotes, each once.
[[nodiscard]] QStringList namedFiles(const QString& text);

}  // namespace dasgd::gui
