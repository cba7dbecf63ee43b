#include "gui/figures/model/figure_library.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QSaveFile>
#include <algorithm>

#include "gui/kit/words/words.h"

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

struct Written {
    QString error;       // "" where it has been written
    bool taken = false;  // the file of a new figure exists already
};

Written writeNew(const QString& path, const QByteArray& text) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly))
        return {path + QStringLiteral(": ") + file.errorString(), QFile::exists(path)};
    if (file.write(text) == text.size() && file.flush()) return {};
    const QString error = file.errorString();
    file.remove();
    return {path + QStringLiteral(": ") + error};
}

Written writeSaved(const QString& folder, const QString& path, const QByteArray& text, bool fresh) {
    if (!QDir().mkpath(folder)) return {folder + QStringLiteral(": cannot be made. Is the workspace writable?")};
    if (fresh) return writeNew(path, text);
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit()) return {};
    return {path + QStringLiteral(": ") + file.errorString()};
}

}  // namespace

const QString FigureLibrary::kEnding = QStringLiteral(".json");

FigureLibrary::FigureLibrary(const std::filesystem::path& workspace, QObject* parent)
    : QObject(parent),
      folder_(QDir(QString::fromStdString(workspace.string())).absoluteFilePath(QStringLiteral("figures"))) {
    pool_.setMaxThreadCount(1);
    load();
}

// Waits for running work, delivers its answers and writes what these start.
FigureLibrary::~FigureLibrary() {
    blockSignals(true);
    do {
        pool_.waitForDone();
        QCoreApplication::sendPostedEvents(this, QEvent::MetaCall);
    } while (!settled());
}

const SavedFigure* FigureLibrary::find(const QString& name) const {
    const auto found =
        std::find_if(figures_.begin(), figures_.end(), [&](const SavedFigure& figure) { return figure.name == name; });
    return found == figures_.end() ? nullptr : &*found;
}

QString FigureLibrary::titleOf(const QString& name) const {
    const SavedFigure* figure = find(name);
    if (!figure) return name;
    const QString title = figure->title();
    const bool shared = std::any_of(figures_.begin(), figures_.end(), [&](const SavedFigure& other) {
        return other.name != name && other.title() == title;
    });
    return shared ? QStringLiteral("%1 (%2)").arg(title, name) : title;
}

void FigureLibrary::load() {
    pool_.start([this, folder = folder_] {
        std::vector<SavedFigure> read;
        for (const QFileInfo& info : QDir(folder).entryInfoList({QLatin1Char('*') + kEnding}, QDir::Files, QDir::Name))
            read.push_back(readSaved(info.filePath(), info.completeBaseName()));
        QMetaObject::invokeMethod(this, [this, read = std::move(read)]() mutable { takeRead(std::move(read)); });
    });
}

void FigureLibrary::takeRead(std::vector<SavedFigure> read) {
    std::set<QString> names;
    for (const SavedFigure& figure : read) names.insert(figure.name);
    // Changes made during the read are newer than the files.
    const bool newer = writing_ > 0;
    if (!newer) {
        std::erase_if(figures_, [&](const SavedFigure& figure) {
            return !names.contains(figure.name) && (own_.contains(figure.name) || !figure.error.isEmpty());
        });
        std::erase_if(own_, [&](const QString& name) { return !names.contains(name); });
    }
    for (SavedFigure& figure : read) {
        // While a file is being created it is not known whether it is this library's own.
        if (creating_.contains(figure.name)) continue;
        const SavedFigure* known = find(figure.name);
        if (known && known->error.isEmpty()) {
            if (own_.contains(figure.name) && newer) continue;
            if (!own_.contains(figure.name)) rename(figure.name, freeName(figure.name, names));
        }
        const bool good = figure.error.isEmpty();
        if (good) own_.insert(figure.name);
        if (!good) own_.erase(figure.name);
        std::erase_if(figures_, [&](const SavedFigure& other) { return other.name == figure.name; });
        put(std::move(figure));
    }
    loaded_ = true;
    emit changed();
    for (const QString& name : std::set<QString>(unwritten_)) write(name);
}

void FigureLibrary::put(SavedFigure figure) {
    const auto after = std::find_if(figures_.begin(), figures_.end(),
                                    [&](const SavedFigure& other) { return other.name > figure.name; });
    figures_.insert(after, std::move(figure));
}

void FigureLibrary::rename(const QString& from, const QString& to) {
    const SavedFigure* figure = find(from);
    if (!figure) return;
    SavedFigure moved = *figure;
    moved.name = to;
    std::erase_if(figures_, [&](const SavedFigure& other) { return other.name == from; });
    put(std::move(moved));
    if (unwritten_.erase(from) > 0) unwritten_.insert(to);
    emit renamed(from, to);
}

QString FigureLibrary::freeName(const QString& stem, const std::set<QString>& others) const {
    const auto used = [&](const QString& name) {
        return find(name) || creating_.contains(name) || others.contains(name);
    };
    QString name = stem;
    for (int number = 2; used(name); ++number) name = stem + QStringLiteral("-%1").arg(number);
    return name;
}

void FigureLibrary::write(const QString& name) {
    if (!loaded_ || creating_.contains(name)) {
        unwritten_.insert(name);
        return;
    }
    unwritten_.erase(name);
    const SavedFigure* figure = find(name);
    if (!figure) return;
    const bool fresh = !own_.contains(name);
    if (fresh) creating_.insert(name);
    ++writing_;
    const QByteArray text = QJsonDocument(jsonOf(figure->spec)).toJson();
    pool_.start([this, name, fresh, folder = folder_, path = pathOf(name), text] {
        const Written answer = writeSaved(folder, path, text, fresh);
        QMetaObject::invokeMethod(this, [this, name, fresh, answer] {
            --writing_;
            if (fresh) creating_.erase(name);
            if (answer.taken) {
                takeNextName(name);
            } else if (answer.error.isEmpty()) {
                takeWritten(name);
            } else {
                unwritten_.erase(name);
                emit failed(answer.error);
            }
        });
    });
}

void FigureLibrary::takeNextName(const QString& name) {
    if (find(name)) {
        const QString next = freeName(name);
        rename(name, next);
        emit changed();
        write(next);
    }
    load();
}

void FigureLibrary::takeWritten(const QString& name) {
    own_.insert(name);
    if (!find(name)) {
        removeFile({.name = name});
    } else if (unwritten_.contains(name)) {
        write(name);
    } else {
        emit written(name);
    }
}

QString FigureLibrary::add(const FigureSpec& spec, const QString& wanted) {
    const QString name = freeName(fileStem(wanted));
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
    SavedFigure figure = std::move(*found);
    figures_.erase(found);
    unwritten_.erase(figure.name);
    removed_.push_back(figure);
    if (own_.erase(figure.name) > 0) removeFile(std::move(figure));
    emit changed();
}

void FigureLibrary::removeFile(SavedFigure figure) {
    ++writing_;
    const QString path = pathOf(figure.name);
    pool_.start([this, figure = std::move(figure), path] {
        const bool gone = QFile::remove(path) || !QFile::exists(path);
        QMetaObject::invokeMethod(this, [this, figure, path, gone] {
            --writing_;
            if (gone) return;
            // Searches from the newest, as an older figure of this name may have been removed before it.
            const auto last = std::find_if(removed_.rbegin(), removed_.rend(),
                                           [&](const SavedFigure& one) { return one.name == figure.name; });
            if (last != removed_.rend()) removed_.erase(std::next(last).base());
            // A new figure may have taken the name meanwhile.
            if (find(figure.name)) {
                load();
            } else {
                own_.insert(figure.name);
                put(figure);
                emit changed();
            }
            emit failed(path + QStringLiteral(": cannot be deleted. Is the folder writable?"));
        });
    });
}

QString FigureLibrary::restore() {
    if (removed_.empty()) return {};
    const SavedFigure figure = std::move(removed_.back());
    removed_.pop_back();
    return add(figure.spec, figure.name);
}

}  // namespace dasgd::gui
