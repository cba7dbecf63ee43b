// Runs `dasgd mirror`, which copies the runs of a workspace on another machine into this one while the window is open.
// UI thread; never waits.
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <filesystem>
#include <memory>

namespace dasgd::gui {

class RemoteMirror : public QObject {
    Q_OBJECT

public:
    // `program`: path of `dasgd`; "" if there is none.
    RemoteMirror(QString program, std::filesystem::path workspace, QObject* parent = nullptr);
    // The mirror ends with the window, and continues from the same point when it is opened again.
    ~RemoteMirror() override;

    // `url`: "ssh://[user@]host[:port]/folder" or "host:folder". Replaces an open mirror.
    void open(const QString& url);
    void close();
    [[nodiscard]] bool isOpen() const { return process_ != nullptr; }
    [[nodiscard]] const QString& url() const { return url_; }
    // Text for the status bar: "mirrors ssh://login/lab", "… lost: why; again in 4 s"; "" if none is open and none
    // failed.
    [[nodiscard]] const QString& words() const { return words_; }
    // URL that was opened last, also by an earlier window.
    [[nodiscard]] static QString lastUrl();

signals:
    void changed();

private:
    void readLines();
    void readErrors();
    void end(int status, QProcess::ExitStatus how);
    void say(const QString& words);

    const QString program_, workspace_;
    std::unique_ptr<QProcess> process_;
    QString url_, words_, lastError_;
    QByteArray rest_;
};

// Status text from a line of `dasgd mirror --json`; "" if it is no such line.
[[nodiscard]] QString mirrorInWords(const QByteArray& json);

}  // namespace dasgd::gui
