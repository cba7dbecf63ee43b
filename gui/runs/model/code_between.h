// The code changes between the commits of two runs, computed by `dasgd diff`.
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
    QString diff;     // in the format of `git diff`
    QString unknown;  // reason why it is not known, with the remedy; "" if it is known
};

// Parses the program's output.
[[nodiscard]] CodeDiff readCodeDiff(const QByteArray& output, const QByteArray& errors, int status);

// Runs the program asynchronously, once at a time; a newer call ends the older. UI thread; never waits.
class CodeBetween : public QObject {
    Q_OBJECT

public:
    static constexpr int kPatienceMs = 30'000;

    // `program`: path of `dasgd`; "" if there is none. It is killed after `patienceMs` without an answer.
    CodeBetween(QString program, std::filesystem::path workspace, int patienceMs = kPatienceMs,
                QObject* parent = nullptr);
    ~CodeBetween() override;

    // Starts the comparison, unless these two runs were compared last.
    void ask(const QString& here, const QString& there);
    // Drops the running comparison and the answer.
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
