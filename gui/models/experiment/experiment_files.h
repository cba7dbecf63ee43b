// Reads and writes experiment files on a thread of its own: the window waits for no disk.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>

namespace dasgd::gui {

class ExperimentFiles : public QObject {
    Q_OBJECT

public:
    explicit ExperimentFiles(QObject* parent = nullptr);
    ~ExperimentFiles() override;

    void read(const QString& path);
    enum class Existing {
        KeepOther,  // a file with another text is left alone and the next free name is taken: name-2.toml
        Overwrite,
        Unchanged,  // is overwritten where it has the text `before`, or is not there; else the write fails
    };
    // Makes the folder where it is missing. `companions`: the folder that relative paths in the text begin in; what
    // they name is put beside the file, which then has a folder of its own where it KeepsOther: name/name.toml. Fails
    // before it writes anything where another file has the place of a companion. "" for none.
    void write(const QString& path, const QString& text, Existing existing, const QString& companions = {},
               const QString& before = {});

signals:
    void wasRead(const QString& path, const QString& text);
    void written(const QString& path);
    void failed(const QString& message);      // of write()
    void unreadable(const QString& message);  // of read()

private:
    QThreadPool pool_;
};

// "Delay sweep / 2" as the name of a file: "Delay-sweep-2"; "experiment" where nothing is left.
[[nodiscard]] QString fileStem(const QString& name);

}  // namespace dasgd::gui
