// The saved figures of a workspace: figures/NAME.json, read and written on a thread of their own. UI thread.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <filesystem>
#include <optional>
#include <vector>

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
    // Until the folder has been read, and again after load().
    [[nodiscard]] bool loaded() const { return loaded_; }

    // Reads the folder again: files may come from elsewhere. What waits to be written is written first.
    void load();
    // A new figure under a free name; answers the name. It is there at once and written soon.
    QString add(const FigureSpec& spec, const QString& wanted);
    // Writes over the figure's own file.
    void change(const QString& name, const FigureSpec& spec);
    void remove(const QString& name);
    // Brings back what was removed last; "" where nothing was.
    QString restore();
    // Nothing waits to be written any more.
    [[nodiscard]] bool settled() const { return writing_ == 0; }

signals:
    void changed();                     // the list, or one of its figures
    void added(const QString& name);    // by add() or restore(), after changed()
    void written(const QString& name);  // the file is there
    void failed(const QString& message);

private:
    static const QString kEnding;

    void write(const QString& name);
    void put(SavedFigure figure);

    QString folder_;
    QThreadPool pool_;
    std::vector<SavedFigure> figures_;
    std::optional<SavedFigure> removed_;
    bool loaded_ = false;
    int writing_ = 0;
};

}  // namespace dasgd::gui
