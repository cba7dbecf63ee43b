// An experiment held as TOML text: the values in it, their lines, and edited copies of the text. A value class: a new
// text makes a new document. No I/O, any thread.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/base/schema/experiment_schema.h"
#include "core/base/schema/value.h"
#include "gui/experiment/model/document/toml_text.h"

namespace dasgd::gui {

// An error in an experiment's text and its place.
struct Problem {
    int line = 0;  // from 1; 0 if the error is at no line
    int column = 0;
    QString message;
    QString key;  // "optimizer.momentum"; "" if the error is at no key

    // "23:12  momentum is 1.9; …", or the message alone.
    [[nodiscard]] QString inWords() const;
};

// Parses "text:7:9: delay is 9; …", the message of a reader of this text; the key stays empty.
[[nodiscard]] Problem problemFrom(const std::string& message);

class ExperimentDocument {
public:
    explicit ExperimentDocument(QString text = {});

    [[nodiscard]] const QString& text() const { return text_; }
    // nullopt if the text is valid TOML. With an error, values are those of an empty text.
    [[nodiscard]] const std::optional<Problem>& syntaxError() const { return syntaxError_; }
    [[nodiscard]] bool isEmpty() const { return text_.trimmed().isEmpty(); }

    // Value at a key such as "train.steps", "cluster.link.bandwidth", "name"; null where the key is not in the text.
    [[nodiscard]] const Value* value(const QString& key) const;
    // The value for display: strings without quotes, others as written; "" where the key is not in the text.
    [[nodiscard]] QString valueText(const QString& key) const;
    [[nodiscard]] int lineOf(const QString& key) const;  // 0 where it is not there
    // The key whose statement covers the line; "" for comments, headers and cases.
    [[nodiscard]] QString keyAt(int line) const;
    [[nodiscard]] QString name() const { return valueText(QStringLiteral("name")); }
    // Keys of [sweep]: "algorithm.delay"; also whole sections: "algorithm".
    [[nodiscard]] QStringList swept() const;
    // Keys that [sweep] or a [[case]] sets, at any depth, each once: also "algorithm.delay" of a swept section
    // "algorithm". Their values elsewhere in the text do not hold for every run.
    [[nodiscard]] QStringList varied() const;
    [[nodiscard]] bool hasSection(const QString& section) const { return value(section) != nullptr; }
    // The plug-in of a section: the one named in the text, or the default; "" where there is neither.
    [[nodiscard]] QString pluginOf(const SchemaSection& section) const;

    // The text with `key` set to the TOML value. Missing sections are inserted in the order of the schema.
    [[nodiscard]] QString with(const QString& key, const QString& toml, const ExperimentSchema& schema) const;
    [[nodiscard]] QString without(const QString& key) const;
    struct PluginChange {
        QString text;
        QStringList
            dropped;  // fields that only the old plug-in knows; "[graph]": a section that the new one does not read
    };
    [[nodiscard]] PluginChange withPlugin(const QString& section, const QString& plugin,
                                          const ExperimentSchema& schema) const;

private:
    QString text_;
    std::vector<TomlEntry> entries_;
    Value values_;
    std::optional<Problem> syntaxError_;
};

// Splits "algorithm.delay" into its parts.
[[nodiscard]] QStringList keyParts(const QString& key);
// Converts a user's input for the field into TOML: strings are quoted, and also text that is no TOML value, so that the
// engine can report what is wrong with it.
[[nodiscard]] QString tomlOf(const FieldInfo& field, const QString& written);
// The field's default as a user writes it, without quotes; one that is no TOML as it is.
[[nodiscard]] QString defaultText(const FieldInfo& field);
// True if the value equals the field's default, or is absent (null).
[[nodiscard]] bool isDefault(const FieldInfo& field, const Value* value);
// Names of the schema as the window has them.
[[nodiscard]] QStringList qStrings(const std::vector<std::string>& names);
// The text without keys at their default, for recorded configurations, which list every key. The names of plug-ins
// stay.
[[nodiscard]] QString withoutDefaults(const QString& text, const ExperimentSchema& schema);

// Candidates for relative paths in the text: the first path component of each quoted string, each once.
[[nodiscard]] QStringList namedFiles(const QString& text);

}  // namespace dasgd::gui
