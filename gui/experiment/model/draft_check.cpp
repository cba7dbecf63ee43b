#include "gui/experiment/model/draft_check.h"

#include <utility>

#include "gui/experiment/model/document/field_problems.h"

namespace dasgd::gui {

DraftCheck::DraftCheck(const ExperimentDocument& document, const ExperimentSchema& schema, const QString& program,
                       QString workspace)
    : document_(document), schema_(schema), workspace_(std::move(workspace)), dryRun_(program) {
    dryRun_.setSources(workspace_, {});
    connect(&dryRun_, &DryRun::answered, this, [this](const DryRunResult& result) {
        result_ = result;
        emit changed();
        emit answered(result, std::exchange(asked_, false));
    });
}

void DraftCheck::restart(const QString& folder) {
    folder_ = folder;
    asked_ = false;
    result_.reset();
    if (document_.syntaxError() || document_.isEmpty()) {
        dryRun_.cancel();
    } else {
        dryRun_.ask(document_.text(), folder_);
    }
}

void DraftCheck::now() {
    if (document_.syntaxError() || document_.isEmpty()) return;
    asked_ = true;
    dryRun_.askNow(document_.text(), folder_);
    emit changed();
}

void DraftCheck::forecastAnew(const QString& from) {
    dryRun_.setSources(workspace_, from);
    if (result_ && !result_->problem && !isRunning()) dryRun_.askNow(document_.text(), folder_);
}

std::optional<Problem> DraftCheck::problem() const {
    if (document_.syntaxError()) return document_.syntaxError();
    return result_ ? result_->problem : std::nullopt;
}

std::vector<Problem> DraftCheck::problems() const {
    const std::optional<Problem> first = problem();
    if (!first) return {};
    if (document_.syntaxError()) return {*first};
    return withOthers(*first, fieldProblems(document_, schema_));
}

}  // namespace dasgd::gui
