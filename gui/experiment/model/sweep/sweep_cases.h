// The cases of an experiment as rows of a form: the blocks that begin with [[case]], the keys that each sets, edited
// copies of the text, and the number of runs of sweep and cases together. Pure; any thread.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/experiment/model/document/experiment_document.h"

namespace dasgd::gui {

// A key that a case sets.
struct CaseValue {
    QStringList path;  // path within the case: {"train", "batch_size"}; in a sweep of its own {"sweep", "train.seed"}
    QString toml;      // the value
    int line = 0;
    // "train.batch_size", "sweep train.seed".
    [[nodiscard]] QString key() const;
};

struct SweepCase {
    QString name;  // "" without a name; the case is then known by its number
    std::vector<CaseValue> values;
    QStringList sets;  // "train.batch_size = 4", "sweep train.seed"
    qint64 inner = 0;  // number of cases nested in it
    int line = 0;      // line of its header
};

// The cases at the root, in the order of the text. Empty if the text is no TOML, or cases are not written as [[case]].
[[nodiscard]] std::vector<SweepCase> casesOf(const ExperimentDocument& document);

// The text with another case after the last one, named by a free number.
[[nodiscard]] QString withNewCase(const ExperimentDocument& document);
// For an `index` (from 0) without a case, these functions return the text unchanged.
[[nodiscard]] QString withCopiedCase(const ExperimentDocument& document, std::size_t index);
[[nodiscard]] QString withoutCase(const ExperimentDocument& document, std::size_t index);
// "" removes the name.
[[nodiscard]] QString withCaseName(const ExperimentDocument& document, std::size_t index, const QString& name);
// Sets `key` ("algorithm.delay") in the case, in TOML; unchanged if the case sets it already.
[[nodiscard]] QString withCaseKey(const ExperimentDocument& document, std::size_t index, const QString& key,
                                  const QString& toml);

// Replaces the value of a key that the case sets, by its path, in TOML; unchanged if the case does not set it.
[[nodiscard]] QString withCaseValue(const ExperimentDocument& document, std::size_t index, const QStringList& path,
                                    const QString& toml);
// Removes the key from the case; a table is removed with its last key.
[[nodiscard]] QString withoutCaseValue(const ExperimentDocument& document, std::size_t index, const QStringList& path);

// Number of runs that the text asks for, before equal ones are merged.
struct SweepSize {
    std::vector<std::pair<QString, qint64>> axes;  // key and number of values, from the root's [sweep]
    qint64 cases = 0;
    bool nested = false;  // a case has cases or a sweep of its own, so the number is no product
    qint64 runs = 1;      // at most kMostCounted

    static constexpr qint64 kMostCounted = 1'000'000'000'000;
    // "3 × 5 seeds × 2 cases = 30 runs". `planned`: number found by the dry run, once it has answered.
    [[nodiscard]] QString inWords(std::optional<qint64> planned) const;
};
[[nodiscard]] SweepSize sweepSize(const ExperimentDocument& document);

}  // namespace dasgd::gui
