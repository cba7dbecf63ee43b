// The cases of an experiment as rows of a form: the blocks that begin with [[case]], what each sets, and the text with
// one of them changed; and how many runs sweep and cases make together. Pure; any thread.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/models/experiment/experiment_document.h"

namespace dasgd::gui {

// A key that a case sets.
struct CaseValue {
    QStringList path;  // in the case: {"train", "batch_size"}; of a sweep of its own {"sweep", "train.seed"}
    QString toml;      // the value
    int line = 0;
    // "train.batch_size", "sweep train.seed".
    [[nodiscard]] QString key() const;
};

struct SweepCase {
    QString name;  // "" where it has none: then its number tells it apart
    std::vector<CaseValue> values;
    QStringList sets;  // "train.batch_size = 4", "sweep train.seed"
    qint64 inner = 0;  // cases of its own
    int line = 0;      // of its header
};

// Those of the root, in the order of the text. None where the text is no TOML, or where cases are not written as
// [[case]].
[[nodiscard]] std::vector<SweepCase> casesOf(const ExperimentDocument& document);

// The text with one case more, named by a number that is free, behind the last one.
[[nodiscard]] QString withNewCase(const ExperimentDocument& document);
// The same texts unchanged where there is no such case; `index` from 0.
[[nodiscard]] QString withCopiedCase(const ExperimentDocument& document, std::size_t index);
[[nodiscard]] QString withoutCase(const ExperimentDocument& document, std::size_t index);
// "" takes the name out.
[[nodiscard]] QString withCaseName(const ExperimentDocument& document, std::size_t index, const QString& name);
// Sets `key` ("algorithm.delay") in the case, in TOML; unchanged where the case sets it already.
[[nodiscard]] QString withCaseKey(const ExperimentDocument& document, std::size_t index, const QString& key,
                                  const QString& toml);

// The value of a key that the case sets, by its path, in TOML; unchanged where it does not set it.
[[nodiscard]] QString withCaseValue(const ExperimentDocument& document, std::size_t index, const QStringList& path,
                                    const QString& toml);
// The case without the key; a table goes with its last one.
[[nodiscard]] QString withoutCaseValue(const ExperimentDocument& document, std::size_t index, const QStringList& path);

// How many runs the text asks for, before those that become equal are left out.
struct SweepSize {
    std::vector<std::pair<QString, qint64>> axes;  // of the root's [sweep]
    qint64 cases = 0;
    bool nested = false;  // a case has cases or a sweep of its own, so that no product says it
    qint64 runs = 1;      // at most kMostCounted

    static constexpr qint64 kMostCounted = 1'000'000'000'000;
    // "3 × 5 seeds × 2 cases = 30 runs". `planned`: how many the dry run found, where it has answered.
    [[nodiscard]] QString inWords(std::optional<qint64> planned) const;
};
[[nodiscard]] SweepSize sweepSize(const ExperimentDocument& document);

}  // namespace dasgd::gui
