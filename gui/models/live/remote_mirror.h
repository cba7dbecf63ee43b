// `dasgd mirror` as the window uses it: the runs of a workspace on another machine appear in this one while the window
// is open. UI thread; never waits.
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
    // `program`: path of `dasgd`, "" where there is none.
    RemoteMirror(QString program, std::filesystem::path workspace, QObject* parent = nullptr);
    // The mirror ends with the window, and goes on where it was when it is opened again.
    ~RemoteMirror() override;

    // "ssh://[user@]host[:port]/folder", or "host:folder"; in the place of the one before.
    void open(const QString& url);
    void close();
    [[nodiscard]] bool isOpen() const { return process_ != nullptr; }
    [[nodiscard]] const QString& url() const { return url_; }
    // For the status bar: "mirrors ssh://login/lab", "… lost: why; again in 4 s"; "" where none is open and none
    // failed.
    [[nodiscard]] const QString& words() const { return words_; }
    // The one that was opened last, also by an earlier window.
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

// What a line of `dasgd mirror --json` says; "" where it is none.
[[nodiscard]] QString mirrorInWords(const QByteArray& json);

}  // namespace dasgd::gui
