#include "gui/models/figures/figure_library.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QSaveFile>
#include <algorithm>

#include "gui/models/experiment/experiment_files.h"

namespace dasgd::gui {

namespace {

SavedFigure readSaved(const QString& path, const QString& name) {
    SavedFigure figure{.name = name};
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        figure.error = file.errorString();
        return figure;
    }
    const auto object = jsonObjectOf(file.readAll(), path);
    if (!object) {
        figure.error = QString::fromStdString(object.error().message);
        return figure;
    }
    auto spec = figureSpecOf(*object);
    if (spec) {
        figure.spec = std::move(*spec);
    } else {
        figure.error = QString::fromStdString(spec.error().message);
    }
    return figure;
}

// "" where it has been written.
QString writeSaved(const QString& folder, const QString& path, const QByteArray& text) {
    if (!QDir().mkpath(folder)) return folder + QStringLiteral(": cannot be made. Is the workspace writable?");
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit()) return {};
    return path + QStringLiteral(": ") + file.errorString();
}

}  // namespace

const QString FigureLibrary::kEnding = QStringLiteral(".json");

FigureLibrary::FigureLibrary(const std::filesystem::path& workspace, QObject* parent)
    : QObject(parent),
      folder_(QDir(QString::fromStdString(workspace.string())).absoluteFilePath(QStringLiteral("figures"))) {
    pool_.setMaxThreadCount(1);
    load();
}

FigureLibrary::~FigureLibrary() { pool_.waitForDone(); }

const SavedFigure* FigureLibrary::find(const QString& name) const {
    const auto found =
        std::find_if(figures_.begin(), figures_.end(), [&](const SavedFigure& figure) { return figure.name == name; });
    return found == figures_.end() ? nullptr : &*found;
}

void FigureLibrary::load() {
    pool_.start([this, folder = folder_] {
        std::vector<SavedFigure> read;
        for (const QFileInfo& info : QDir(folder).entryInfoList({QLatin1Char('*') + kEnding}, QDir::Files, QDir::Name))
            read.push_back(readSaved(info.filePath(), info.completeBaseName()));
        QMetaObject::invokeMethod(this, [this, read = std::move(read)]() mutable {
            // What was changed meanwhile is newer than its file.
            if (writing_ > 0) {
                for (SavedFigure& figure : read) {
                    if (!find(figure.name)) put(std::move(figure));
                }
            } else {
                figures_ = std::move(read);
            }
            loaded_ = true;
            emit changed();
        });
    });
}

void FigureLibrary::put(SavedFigure figure) {
    const auto after = std::find_if(figures_.begin(), figures_.end(),
                                    [&](const SavedFigure& other) { return other.name > figure.name; });
    figures_.insert(after, std::move(figure));
}

void FigureLibrary::write(const QString& name) {
    const SavedFigure* figure = find(name);
    if (!figure) return;
    ++writing_;
    const QByteArray text = QJsonDocument(jsonOf(figure->spec)).toJson();
    pool_.start([this, name, folder = folder_, path = pathOf(name), text] {
        const QString error = writeSaved(folder, path, text);
        QMetaObject::invokeMethod(this, [this, name, error] {
            --writing_;
            if (error.isEmpty()) {
                emit written(name);
            } else {
                emit failed(error);
            }
        });
    });
}

QString FigureLibrary::add(const FigureSpec& spec, const QString& wanted) {
    const QString stem = fileStem(wanted);
    QString name = stem;
    for (int number = 2; find(name); ++number) name = stem + QStringLiteral("-%1").arg(number);
    put({.name = name, .spec = spec});
    emit changed();
    emit added(name);
    write(name);
    return name;
}

void FigureLibrary::change(const QString& name, const FigureSpec& spec) {
    for (SavedFigure& figure : figures_) {
        if (figure.name != name || !figure.error.isEmpty() || figure.spec == spec) continue;
        figure.spec = spec;
        emit changed();
        write(name);
        return;
    }
}

void FigureLibrary::remove(const QString& name) {
    const auto found =
        std::find_if(figures_.begin(), figures_.end(), [&](const SavedFigure& figure) { return figure.name == name; });
    if (found == figures_.end() || !found->error.isEmpty()) return;
    removed_ = std::move(*found);
    figures_.erase(found);
    pool_.start([path = pathOf(name)] { QFile::remove(path); });
    emit changed();
}

QString FigureLibrary::restore() {
    if (!removed_) return {};
    const SavedFigure figure = std::move(*removed_);
    removed_.reset();
    return add(figure.spec, figure.name);
}

}  // namespace dasgd::gui
