// The saved figures of a workspace: figures/NAME.json, read and written on a thread of their own. UI thread.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <filesystem>
#include <set>
#include <vector>

#include "gui/figures/model/figure_news.h"
#include "gui/figures/model/figure_spec.h"

namespace dasgd::gui {

struct SavedFigure {
    QString name;  // file name without its ending
    FigureSpec spec;
    QString error;  // why the file is no valid figure; "" if it is one
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
    // Title of the figure, with its name if another figure has the same title; the name if there is no such figure.
    [[nodiscard]] QString titleOf(const QString& name) const;
    // True once the folder has been read, and read again after load().
    [[nodiscard]] bool loaded() const { return loaded_; }
    // State of the figures' runs; FigureWatch keeps it up to date.
    [[nodiscard]] FigureNews& news() { return news_; }

    // Reads the folder again, as files may come from elsewhere. Pending changes are written first.
    void load();
    // Adds a figure under a free name and returns the name. It is listed at once and written once the folder has been
    // read. If its file exists by then, the figure is renamed(): files not read or written by this library are never
    // replaced.
    QString add(const FigureSpec& spec, const QString& wanted);
    // Overwrites the figure's own file.
    void change(const QString& name, const FigureSpec& spec);
    void remove(const QString& name);
    // Restores the figure removed last; further calls restore earlier ones. Returns its name; "" when none is left.
    QString restore();
    // True if nothing is waiting to be written.
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
    std::vector<SavedFigure> removed_;  // the last one is restored first
    std::set<QString> own_;             // names of figures whose files this library read or wrote
    std::set<QString> unwritten_;       // waiting for the first read of the folder, or for a write of the same figure
    std::set<QString> creating_;        // new figures whose files are being created
    bool loaded_ = false;
    int writing_ = 0;
};

}  // namespace dasgd::gui
