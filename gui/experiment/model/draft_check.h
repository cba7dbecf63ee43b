// What is known to be wrong with the text of a draft, and the runs that it would make. UI thread; never waits.
#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "gui/experiment/model/document/dry_run.h"
#include "gui/experiment/model/document/experiment_document.h"

namespace dasgd::gui {

class DraftCheck : public QObject {
    Q_OBJECT

public:
    // `document` and `schema` are those of the draft, which owns this.
    DraftCheck(const ExperimentDocument& document, const ExperimentSchema& schema, const QString& program,
               QString workspace);

    // The document has changed: it is checked some time after the last change. `folder`: base of its relative paths.
    void restart(const QString& folder);
    // Checks now, unless the text is no TOML or empty.
    void now();
    // Asks for a new forecast of the same text, as there are new measurements; the last one stays until it has arrived.
    // `from`: run of the calibration to prefer, "" for none.
    void forecastAnew(const QString& from);

    // The syntax error, else the error that the check found; nullopt where none is known.
    [[nodiscard]] std::optional<Problem> problem() const;
    // All known errors, by line: problem() and, once there is one, those of fieldProblems().
    [[nodiscard]] std::vector<Problem> problems() const;
    // Result of the check of exactly this text; nullopt until it has arrived.
    [[nodiscard]] const std::optional<DryRunResult>& result() const { return result_; }
    [[nodiscard]] bool isRunning() const { return dryRun_.isAsking(); }

signals:
    void changed();  // any of the above
    // `asked`: by now(), and not since the text has changed.
    void answered(const dasgd::gui::DryRunResult& result, bool asked);

private:
    const ExperimentDocument& document_;
    const ExperimentSchema& schema_;
    const QString workspace_;
    QString folder_;
    DryRun dryRun_;
    std::optional<DryRunResult> result_;
    bool asked_ = false;
};

}  // namespace dasgd::gui
