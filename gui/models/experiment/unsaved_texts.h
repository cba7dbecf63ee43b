// Experiments that somebody wrote and neither saved nor ran: kept when another takes their place on the page, and over
// the end of the window, also a sudden one. UI thread.
#pragma once

#include <QObject>
#include <QTimer>
#include <vector>

#include "gui/models/experiment/start_list.h"
#include "gui/models/experiment/unsaved_files.h"

namespace dasgd::gui {

class UnsavedTexts : public QObject {
    Q_OBJECT

public:
    static constexpr std::size_t kMost = UnsavedFiles::kPlaces - 1;  // and the present one
    static constexpr int kSparingMs = 1000;

    // `folder`: where the texts are spared, beside those of other windows that are open; what windows before left there
    // is kept.
    explicit UnsavedTexts(QString folder, QObject* parent = nullptr);
    // What is still to be spared is on the disk at the end.
    ~UnsavedTexts() override;

    // The text as it is typed; "" while what is on the page is saved. Is on the disk kSparingMs later.
    void spare(const QString& text, const QString& folder);
    // Another text takes its place.
    void keep(const QString& title, const QString& text, const QString& folder);
    // It is in a file of its own now.
    void forget(const QString& text);
    // The newest first.
    [[nodiscard]] const std::vector<Start>& kept() const { return kept_; }

signals:
    void changed();

private:
    void write();
    void takeFound(const QStringList& texts);
    void takeText(const QString& text);

    QString present_;  // as it is spared: with its folder
    std::vector<Start> kept_;
    bool found_ = false;  // what windows before left is among the kept ones
    QTimer sparing_;
    UnsavedFiles files_;
};

}  // namespace dasgd::gui
