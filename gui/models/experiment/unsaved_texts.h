// Experiments that somebody wrote and neither saved nor ran: kept when another takes their place on the page, and over
// the end of the window, also a sudden one. UI thread.
#pragma once

#include <QObject>
#include <QTimer>
#include <vector>

#include "gui/models/experiment/experiment_files.h"
#include "gui/models/experiment/start_list.h"

namespace dasgd::gui {

class UnsavedTexts : public QObject {
    Q_OBJECT

public:
    static constexpr std::size_t kMost = 5;
    static constexpr int kSparingMs = 1000;

    // `folder`: where the texts are spared, as unsaved-1.toml and so on; what a window before left there is kept.
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
    void takeFile(const QString& text);
    [[nodiscard]] QString path(std::size_t place) const;

    QString folder_;
    QString present_;     // as it is spared: with its folder
    QStringList spared_;  // what each file holds
    std::vector<Start> kept_;
    QTimer sparing_;
    ExperimentFiles files_;
};

}  // namespace dasgd::gui
