// The answer of `dasgd run FILE --dry-run` for a text: the runs that it would start, or the first error and its place.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "core/cost/plan_forecast.h"
#include "gui/experiment/model/document/experiment_document.h"

namespace dasgd::gui {

struct PlannedRun {
    QString label;  // "algorithm.delay=1, train.seed=1"; "" without a sweep
    QString algorithm;
    qint64 steps = 0, parameters = 0;
    int workers = 0;
    std::string config;  // resolved TOML
};

struct DryRunResult {
    // A sweep may make 100,000 runs; no user looks at more than these.
    static constexpr std::size_t kMostRead = 500;
    std::vector<PlannedRun> runs;  // the first kMostRead
    qint64 total = 0;              // number of all runs
    PlanForecast forecast;         // of them
    std::optional<Problem> problem;
    qint64 tookMs = 0;
};

// Parses what the program printed. `file`: the path that it was given, which is removed from the message.
[[nodiscard]] DryRunResult readDryRun(const QByteArray& output, const QByteArray& errors, int status,
                                      const QString& file);

// The message of an error at `key`; the case of the sweep is removed if `key` is not in `varied` and the message names
// no key that is.
[[nodiscard]] QString withoutForeignCase(const QString& message, const QString& key, const QStringList& varied);

// Runs the check asynchronously, one at a time; a newer one ends the older. UI thread; never waits.
class DryRun : public QObject {
    Q_OBJECT

public:
    static constexpr int kDebounceMs = 400;

    static constexpr int kPatienceMs = 60'000;

    // `program`: path of `dasgd`. It is killed after `patienceMs` without an answer.
    explicit DryRun(QString program, int patienceMs = kPatienceMs, QObject* parent = nullptr);
    ~DryRun() override;

    // Checks the text once it has not changed for kDebounceMs. `folder`: base of its relative paths; "" for none.
    void ask(const QString& text, const QString& folder);
    void askNow(const QString& text, const QString& folder);
    // Forecasts from now on take what this workspace has measured, and its calibration `run` before newer ones; "" for
    // none.
    void setSources(const QString& workspace, const QString& run) {
        workspace_ = workspace;
        calibration_ = run;
    }
    // Drops the waiting check and ends the running one.
    void cancel();
    [[nodiscard]] bool isAsking() const { return timer_.isActive() || process_ != nullptr; }

signals:
    void answered(const dasgd::gui::DryRunResult& result);

private:
    void start();
    void finish(int status);

    QString program_, workspace_, calibration_, text_, folder_, file_;
    QTimer timer_, patience_;
    QElapsedTimer clock_;
    std::unique_ptr<QTemporaryDir> scratch_;
    QProcess* process_ = nullptr;  // process of the current check
};

}  // namespace dasgd::gui
