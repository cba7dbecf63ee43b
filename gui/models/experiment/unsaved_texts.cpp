#include "gui/models/experiment/unsaved_texts.h"

#include <algorithm>

#include "gui/models/experiment/experiment_document.h"

namespace dasgd::gui {

namespace {

// The first line of a spared text: where relative paths in it begin.
const QString kFolderLine = QStringLiteral("# unsaved, from ");

QString withFolder(const QString& text, const QString& folder) {
    return text.isEmpty() || folder.isEmpty() ? text : kFolderLine + folder + u'\n' + text;
}

}  // namespace

UnsavedTexts::UnsavedTexts(QString folder, QObject* parent) : QObject(parent), folder_(std::move(folder)) {
    sparing_.setSingleShot(true);
    sparing_.setInterval(kSparingMs);
    connect(&sparing_, &QTimer::timeout, this, &UnsavedTexts::write);
    connect(&files_, &ExperimentFiles::wasRead, this, [this](const QString&, const QString& text) { takeFile(text); });
    // A file that is not there yet is none to complain of; one that cannot be written leaves the text on the page.
    for (std::size_t place = kMost + 1; place > 0; --place) files_.read(path(place - 1));
}

UnsavedTexts::~UnsavedTexts() {
    if (sparing_.isActive()) write();
}

QString UnsavedTexts::path(std::size_t place) const {
    return folder_ + QStringLiteral("/unsaved-%1.toml").arg(place + 1);
}

void UnsavedTexts::takeFile(const QString& text) {
    // So that the file is emptied once its text is not needed.
    spared_ << text;
    if (text.isEmpty()) return;
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

// The present text and those that were kept, a file each; files that are not needed any more are emptied.
void UnsavedTexts::write() {
    sparing_.stop();
    QStringList texts;
    if (!present_.isEmpty()) texts << present_;
    for (const Start& one : kept_) texts << withFolder(one.text, one.folder);
    texts.removeDuplicates();
    while (texts.size() < spared_.size()) texts << QString();
    for (qsizetype place = 0; place < texts.size(); ++place) {
        if (place < spared_.size() && spared_[place] == texts[place]) continue;
        files_.write(path(static_cast<std::size_t>(place)), texts[place], ExperimentFiles::Existing::Overwrite);
    }
    spared_ = texts;
}

}  // namespace dasgd::gui
