#include "gui/models/experiment/unsaved_texts.h"

#include <algorithm>

#include "gui/models/experiment/experiment_document.h"

namespace dasgd::gui {

UnsavedTexts::UnsavedTexts(QString file, QObject* parent) : QObject(parent), file_(std::move(file)) {
    sparing_.setSingleShot(true);
    sparing_.setInterval(kSparingMs);
    connect(&sparing_, &QTimer::timeout, this, &UnsavedTexts::write);
    connect(&files_, &ExperimentFiles::wasRead, this, [this](const QString&, const QString& text) {
        if (text.isEmpty()) return;
        spared_ = text;
        keep(ExperimentDocument(text).name(), text, {});
    });
    // A file that is not there yet is none to complain of; one that cannot be written leaves the text on the page.
    files_.read(file_);
}

UnsavedTexts::~UnsavedTexts() { write(); }

void UnsavedTexts::spare(const QString& text) {
    present_ = text;
    sparing_.start();
}

void UnsavedTexts::keep(const QString& title, const QString& text, const QString& folder) {
    std::erase_if(kept_, [&text](const Start& one) { return one.text == text; });
    kept_.insert(kept_.begin(),
                 {Start::Kind::Kept, title.isEmpty() ? tr("Untitled experiment") : title, tr("neither saved nor run"),
                  tr("As it was when another took its place"), text, folder});
    if (kept_.size() > kMost) kept_.pop_back();
    emit changed();
}

// Nothing on the page to be spared: then what was kept last.
void UnsavedTexts::write() {
    sparing_.stop();
    const QString text = present_.isEmpty() && !kept_.empty() ? kept_.front().text : present_;
    if (std::exchange(spared_, text) != text) files_.write(file_, text, ExperimentFiles::Existing::Overwrite);
}

}  // namespace dasgd::gui
