#include "gui/experiment/model/unsaved_texts.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "gui/experiment/model/document/experiment_document.h"

namespace dasgd::gui {

UnsavedTexts::UnsavedTexts(QString folder, QObject* parent) : QObject(parent), file_(std::move(folder)) {
    sparing_.setSingleShot(true);
    sparing_.setInterval(kSparingMs);
    connect(&sparing_, &QTimer::timeout, this, &UnsavedTexts::write);
    pool_.setMaxThreadCount(1);
    pool_.start([this] {
        QMetaObject::invokeMethod(
            this, [this, texts = file_.takeOver()] { takeFound(texts); }, Qt::QueuedConnection);
    });
}

UnsavedTexts::~UnsavedTexts() {
    if (sparing_.isActive()) {
        // Texts found in files of closed windows are written together with the rest.
        blockSignals(true);
        pool_.waitForDone();
        QCoreApplication::sendPostedEvents(this, QEvent::MetaCall);
        write();
    }
    pool_.waitForDone();
}

void UnsavedTexts::takeFound(const std::vector<UnsavedText>& texts) {
    found_ = true;
    std::for_each(texts.rbegin(), texts.rend(),
                  [this](const UnsavedText& one) { keep(ExperimentDocument(one.text).name(), one.text, one.folder); });
}

void UnsavedTexts::spare(const QString& text, const QString& folder) {
    present_ = {text, folder};
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

// Writes the text on the page and the kept ones. If that fails they stay in the window.
void UnsavedTexts::write() {
    // Until takeFound(), the file of this window may hold texts that are not known yet.
    if (!found_) return sparing_.start();
    sparing_.stop();
    std::vector<UnsavedText> texts;
    if (!present_.text.isEmpty()) texts.push_back(present_);
    for (const Start& one : kept_) {
        if (one.text != present_.text || one.folder != present_.folder) texts.push_back({one.text, one.folder});
    }
    pool_.start([this, texts] { file_.write(texts); });
}

}  // namespace dasgd::gui
