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

    // `file`: where the present text is spared; what a window before left there is kept.
    explicit UnsavedTexts(QString file, QObject* parent = nullptr);
    // What is still to be spared is on the disk at the end.
    ~UnsavedTexts() override;

    // The text as it is typed; "" while what is on the page is saved. Is on the disk kSparingMs later.
    void spare(const QString& text);
    // Another text takes its place.
    void keep(const QString& title, const QString& text, const QString& folder);
    // The newest first.
    [[nodiscard]] const std::vector<Start>& kept() const { return kept_; }

signals:
    void changed();

private:
    void write();

    QString file_;
    QString present_, spared_;
    std::vector<Start> kept_;
    QTimer sparing_;
    ExperimentFiles files_;
};

}  // namespace dasgd::gui
