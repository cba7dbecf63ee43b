// What `dasgd run FILE --dry-run` says of a text: the runs that it would start, or what is wrong with it and where.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "gui/models/experiment/experiment_document.h"

namespace dasgd::gui {

struct PlannedRun {
    QString label;  // "algorithm.delay=1, train.seed=1"; "" of an experiment without a sweep
    QString algorithm;
    qint64 steps = 0, parameters = 0;
    int workers = 0;
    std::string config;  // resolved TOML
};

struct DryRunResult {
    // A sweep may make 100,000; more of them than these nobody reads.
    static constexpr std::size_t kMostRead = 500;
    std::vector<PlannedRun> runs;  // the first of them
    qint64 total = 0;              // how many there are
    std::optional<Problem> problem;
    qint64 tookMs = 0;
};

// From what the program printed; `file`: the path that it was given, which is left out of the message.
[[nodiscard]] DryRunResult readDryRun(const QByteArray& output, const QByteArray& errors, int status,
                                      const QString& file);

// What is wrong at `key`, without the case of a sweep where that has nothing to do with it: neither is the key
// `varied`, nor does the message name what is.
[[nodiscard]] QString withoutForeignCase(const QString& message, const QString& key, const QStringList& varied);

// Asks the program; one question at a time, a newer one ends the older. UI thread; never waits.
class DryRun : public QObject {
    Q_OBJECT

public:
    static constexpr int kDebounceMs = 400;

    static constexpr int kPatienceMs = 60'000;

    // `program`: path of `dasgd`. It is ended after `patienceMs` without an answer.
    explicit DryRun(QString program, int patienceMs = kPatienceMs, QObject* parent = nullptr);
    ~DryRun() override;

    // Asks once the text has not changed for kDebounceMs. `folder`: where relative paths in it begin; "" for nowhere.
    void ask(const QString& text, const QString& folder);
    void askNow(const QString& text, const QString& folder);
    // Forgets the question, and the answer under way.
    void cancel();
    [[nodiscard]] bool isAsking() const { return timer_.isActive() || process_ != nullptr; }

signals:
    void answered(const dasgd::gui::DryRunResult& result);

private:
    void start();
    void finish(int status);

    QString program_, text_, folder_, file_;
    QTimer timer_, patience_;
    QElapsedTimer clock_;
    std::unique_ptr<QTemporaryDir> scratch_;
    QProcess* process_ = nullptr;  // of the present question
};

}  // namespace dasgd::gui
