// The saved figures of a workspace: figures/NAME.json, read and written on a thread of their own. UI thread.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <filesystem>
#include <set>
#include <vector>

#include "gui/models/figures/figure_news.h"
#include "gui/models/figures/figure_spec.h"

namespace dasgd::gui {

struct SavedFigure {
    QString name;  // of the file, without its ending
    FigureSpec spec;
    QString error;  // why the file is no figure; "" where it is one
    [[nodiscard]] QString title() const { return spec.title.isEmpty() ? name : spec.title; }
};

class FigureLibrary : public QObject {
    Q_OBJECT

public:
    explicit FigureLibrary(const std::filesystem::path& workspace, QObject* parent = nullptr);
    ~FigureLibrary() override;

    [[nodiscard]] QString folder() const { return folder_; }
    [[nodiscard]] QString pathOf(const QString& name) const { return folder_ + QLatin1Char('/') + name + kEnding; }
    [[nodiscard]] const std::vector<SavedFigure>& figures() const { return figures_; }  // by name
    [[nodiscard]] const SavedFigure* find(const QString& name) const;
    // Its title, and where another figure has the same its name too; the name where there is no such figure.
    [[nodiscard]] QString titleOf(const QString& name) const;
    // Until the folder has been read, and again after load().
    [[nodiscard]] bool loaded() const { return loaded_; }
    // Of the runs of the figures; FigureWatch keeps it up to date.
    [[nodiscard]] FigureNews& news() { return news_; }

    // Reads the folder again: files may come from elsewhere. What waits to be written is written first.
    void load();
    // A new figure under a free name; answers the name. It is there at once and written as soon as the folder has been
    // read. Where its file is taken by then, it is renamed(): no file that was not read or written here is replaced.
    QString add(const FigureSpec& spec, const QString& wanted);
    // Writes over the figure's own file.
    void change(const QString& name, const FigureSpec& spec);
    void remove(const QString& name);
    // Brings back what was removed last, and with the next calls what was removed before; "" where nothing is left.
    QString restore();
    // Nothing waits to be written any more.
    [[nodiscard]] bool settled() const { return writing_ == 0 && unwritten_.empty(); }

signals:
    void changed();                                        // the list, or one of its figures
    void added(const QString& name);                       // by add() or restore(), after changed()
    void written(const QString& name);                     // the file is there
    void renamed(const QString& from, const QString& to);  // before changed()
    void failed(const QString& message);

private:
    static const QString kEnding;

    void takeRead(std::vector<SavedFigure> read);
    void write(const QString& name);
    void takeWritten(const QString& name);
    void takeNextName(const QString& name);
    void removeFile(SavedFigure figure);
    void rename(const QString& from, const QString& to);
    [[nodiscard]] QString freeName(const QString& stem, const std::set<QString>& others = {}) const;
    void put(SavedFigure figure);

    QString folder_;
    FigureNews news_;
    QThreadPool pool_;
    std::vector<SavedFigure> figures_;
    std::vector<SavedFigure> removed_;  // the last one comes back first
    std::set<QString> own_;             // whose files this library read or wrote
    std::set<QString> unwritten_;  // wait until it is known which files are there, or for the write that is under way
    std::set<QString> creating_;   // whose files are being made
    bool loaded_ = false;
    int writing_ = 0;
};

}  // namespace dasgd::gui
