// Reads and writes experiment files on a thread of its own, so that the UI thread does not wait for the disk.
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
        KeepOther,  // a file with another text is kept and the next free name is used: name-2.toml
        Overwrite,
        Unchanged,  // overwritten if it has the text `before` or does not exist; else the write fails
    };
    // Creates the folder if needed. `companions`: base folder of the relative paths in the text; the files named are
    // put beside the written file, which with KeepOther gets a folder of its own: name/name.toml. "" for none. Fails
    // without writing anything if a different file is at the place of a companion.
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

}  // namespace dasgd::gui
