// Experiments that were edited and neither saved nor run. They are kept when another takes their place on the page, and
// across the end of the program, crashes included. UI thread; the disk is read and
// written on a thread of its own.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <vector>

#include "gui/experiment/model/start_list.h"
#include "gui/experiment/model/unsaved_file.h"

namespace dasgd::gui {

class UnsavedTexts : public QObject {
    Q_OBJECT

public:
    static constexpr std::size_t kMost = UnsavedFile::kMost - 1;  // one place is for the text on the page
    static constexpr int kSparingMs = 1000;

    // `folder`: folder of UnsavedFile; texts of closed windows there are taken over into kept().
    explicit UnsavedTexts(QString folder, QObject* parent = nullptr);
    // Writes what is still pending.
    ~UnsavedTexts() override;

    // The text on the page as it is edited; "" while it is saved. Written to disk after kSparingMs.
    void spare(const QString& text, const QString& folder);
    // Adds the text to kept(), when another replaces it on the page.
    void keep(const QString& title, const QString& text, const QString& folder);
    // Removes the text, now that it is in a file of its own.
    void forget(const QString& text);
    // Newest first.
    [[nodiscard]] const std::vector<Start>& kept() const { return kept_; }

signals:
    void changed();

private:
    void write();
    void takeFound(const std::vector<UnsavedText>& texts);

    UnsavedText present_;  // text on the page
    std::vector<Start> kept_;
    bool found_ = false;  // texts of closed windows have been added to kept_
    QTimer sparing_;
    UnsavedFile file_;  // used on the pool's thread only
    QThreadPool pool_;
};

}  // namespace dasgd::gui
