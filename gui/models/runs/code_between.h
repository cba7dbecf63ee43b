// What lies between the commits of two runs, as `dasgd diff` finds it.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <optional>

namespace dasgd::gui {

struct CodeDiff {
    QString diff;     // as `git diff`
    QString unknown;  // why it is not known, and the remedy; "" where it is
};

// From what the program printed.
[[nodiscard]] CodeDiff readCodeDiff(const QByteArray& output, const QByteArray& errors, int status);

// Asks the program, one question at a time: a newer one ends the older. UI thread; never waits.
class CodeBetween : public QObject {
    Q_OBJECT

public:
    static constexpr int kPatienceMs = 30'000;

    // `program`: path of `dasgd`, "" where there is none. It is ended after `patienceMs` without an answer.
    CodeBetween(QString program, std::filesystem::path workspace, int patienceMs = kPatienceMs,
                QObject* parent = nullptr);
    ~CodeBetween() override;

    // Asks, unless these two were asked about last.
    void ask(const QString& here, const QString& there);
    // Forgets the question and its answer.
    void forget();
    [[nodiscard]] const std::optional<CodeDiff>& answer() const { return answer_; }

signals:
    void answered();

private:
    void end();
    void take(CodeDiff answer);

    const QString program_;
    const std::filesystem::path workspace_;
    QString here_, there_;
    std::optional<CodeDiff> answer_;
    std::unique_ptr<QProcess> process_;
    QTimer patience_;
};

}  // namespace dasgd::gui
