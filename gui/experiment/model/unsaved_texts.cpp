#include "gui/experiment/model/unsaved_texts.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "gui/experiment/model/document/experiment_document.h"

namespace dasgd::gui {

namespace {

// Start of the first line of a stored text, followed by the base folder of its relative paths.
const QString kFolderLine = QStringLiteral("# unsaved, from ");

QString withFolder(const QString& text, const QString& folder) {
    return text.isEmpty() || folder.isEmpty() ? text : kFolderLine + folder + u'\n' + text;
}

}  // namespace

UnsavedTexts::UnsavedTexts(QString folder, QObject* parent) : QObject(parent), files_(std::move(folder)) {
    sparing_.setSingleShot(true);
    sparing_.setInterval(kSparingMs);
    connect(&sparing_, &QTimer::timeout, this, &UnsavedTexts::write);
    connect(&files_, &UnsavedFiles::found, this, &UnsavedTexts::takeFound);
    files_.takeOver();
}

UnsavedTexts::~UnsavedTexts() {
    if (!sparing_.isActive()) return;
    // Texts found in files of closed windows are written together with the rest.
    blockSignals(true);
    files_.waitForDone();
    QCoreApplication::sendPostedEvents(this, QEvent::MetaCall);
    write();
}

void UnsavedTexts::takeFound(const QStringList& texts) {
    found_ = true;
    std::for_each(texts.rbegin(), texts.rend(), [this](const QString& text) { takeText(text); });
}

void UnsavedTexts::takeText(const QString& text) {
    const bool hasFolder = text.startsWith(kFolderLine);
    const qsizetype end = hasFolder ? text.indexOf(u'\n') : -1;
    const QString own = text.mid(end + 1);
    const QString folder = hasFolder ? text.mid(kFolderLine.size(), end - kFolderLine.size()) : QString();
    keep(ExperimentDocument(own).name(), own, folder);
}

void UnsavedTexts::spare(const QString& text, const QString& folder) {
    present_ = withFolder(text, folder);
    sparing_.start();
}

void UnsavedTexts::keep(const QString& title, const QString& text, const QString& folder) {
    std::erase_if(kept_, [&text](const Start& one) { return one.text == text; });
    kept_.insert(kept_.begin(),
                 {Start::Kind::Kept, title.isEmpty() ? tr("Untitled experiment") : title, tr("neither saved nor run"),
                  tr("As it was when another took its place"), text, folder});
    if (kept_.size() > kMost) kept_.pop_back();
    sparing_.start();
    emit changed();
}

void UnsavedTexts::forget(const QString& text) {
    if (std::erase_if(kept_, [&text](const Start& one) { return one.text == text; }) == 0) return;
    sparing_.start();
    emit changed();
}

// Writes the text on the page and the kept ones, a file each. If that fails they stay in the window.
void UnsavedTexts::write() {
    // Until takeFound(), the files of this window may hold texts that are not known yet.
    if (!found_) return sparing_.start();
    sparing_.stop();
    QStringList texts;
    if (!present_.isEmpty()) texts << present_;
    for (const Start& one : kept_) texts << withFolder(one.text, one.folder);
    texts.removeDuplicates();
    files_.write(texts);
}

}  // namespace dasgd::gui
