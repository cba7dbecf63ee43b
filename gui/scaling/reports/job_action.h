// Requests of other pages to the reports of the page "What if", and the results that they take from them.
#pragma once

#include <QString>

#include "gui/experiment/model/experiment_draft.h"
#include "gui/kit/parts/page.h"
#include "gui/kit/words/settings_file.h"
#include "gui/scaling/model/reports/report_library.h"

namespace dasgd::gui {

inline constexpr const char* kWhatIfPage = "What if";

// Opens the form of a job on the experiment being set up. A calibration has no form and starts at once.
inline void askOfDraft(PageContext& context, JobKind kind) {
    const JobRequest request{.kind = kind,
                             .title = context.draft.title(),
                             .text = context.draft.document().text(),
                             .folder = context.draft.folder(),
                             .workers = kind == JobKind::Scale ? QStringLiteral("1,2,4") : QString()};
    if (kind != JobKind::Calibrate && problemOf(request).isEmpty()) {
        context.reports.ask(request);
    } else {
        // The page is opened first, since it shows the reason if the job does not start.
        context.open(kWhatIfPage);
        context.reports.start(request);
    }
}

inline void askReplay(PageContext& context, const QString& run) {
    context.reports.ask({.kind = JobKind::Replay, .title = run, .run = run});
}

// The report whose calibration the forecast prefers; "" for the newest.
[[nodiscard]] inline QString preferredCalibration() {
    return settingsFile().value(QStringLiteral("forecast/calibration")).toString();
}
inline void preferCalibration(const QString& report) {
    keepSettings([&report](QSettings& settings) { settings.setValue(QStringLiteral("forecast/calibration"), report); });
}

}  // namespace dasgd::gui
