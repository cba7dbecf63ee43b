// Form with the options of a job: a few fields in a card, in the page and not over it.
#pragma once

#include "gui/kit/parts/parts.h"
#include "gui/scaling/model/reports/job_request.h"

class QComboBox;
class QLineEdit;

namespace dasgd::gui {

class JobForm : public Card {
    Q_OBJECT

public:
    JobForm();

    using Card::show;
    // `calibrations`: names and paths of the existing calibrations.
    void show(const JobRequest& request, const std::vector<std::pair<QString, QString>>& calibrations);
    // The job as the fields describe it now.
    [[nodiscard]] JobRequest request() const;
    [[nodiscard]] QLineEdit& workers() const { return *workers_; }
    [[nodiscard]] QLineEdit& changes() const { return *set_; }

signals:
    void startWanted();
    void closeWanted();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Line {
        QLabel* label;
        QWidget* editor;
        QLabel* hint;
    };
    Line addLine(const QString& label, QWidget* editor, const QString& hint);
    static void setShown(const Line& line, bool shown);
    void showProblem();

    JobRequest request_;
    QLabel *title_, *words_, *problem_;
    QLineEdit *workers_, *target_, *set_;
    QComboBox *scaling_, *calibration_;
    Line workersLine_, scalingLine_, targetLine_, calibrationLine_, setLine_;
    QPushButton* start_;
};

}  // namespace dasgd::gui
