// Reports of calibrate, advise, scale and replay: a list of the workspace's reports, running ones with their progress,
// the form of a new one, and the chosen one.
#pragma once

#include <QWidget>

#include "gui/scaling/model/reports/report_library.h"

class QHBoxLayout;
class QListWidget;
class QToolButton;

namespace dasgd::gui {

class Card;
class EmptyCard;
class JobForm;
class MessageBar;
class ReportView;
struct PageContext;

class ReportsSide : public QWidget {
    Q_OBJECT

public:
    explicit ReportsSide(PageContext& context);

signals:
    void scalingWanted();

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] QWidget* makeList();
    [[nodiscard]] QWidget* makeRight();
    [[nodiscard]] QHBoxLayout* makeBeginnings();
    void connectAll();
    void connectView();
    [[nodiscard]] std::vector<std::pair<QString, QString>> calibrations() const;
    void showList();
    void showReport();
    void showForm(bool shown);
    void remove();
    void restore();
    void takeOver(const QString& toml);

    PageContext& context_;
    ReportLibrary& library_;
    MessageBar* message_ = nullptr;
    Card* listCard_ = nullptr;
    QListWidget* list_ = nullptr;
    QToolButton* new_ = nullptr;
    JobForm* form_ = nullptr;
    ReportView* view_ = nullptr;
    EmptyCard* empty_ = nullptr;
    QString wanted_;     // name of the report on show
    QString preferred_;  // report whose calibration the forecast prefers
    bool filling_ = false;
};

}  // namespace dasgd::gui
