// The frame around the pages: rail, stack, status bar. Owns what the pages look at.
#pragma once

#include <QMainWindow>
#include <filesystem>
#include <memory>
#include <vector>

#include "gui/figures/figure_watch.h"
#include "gui/models/experiment/experiment_draft.h"
#include "gui/models/figures/figure_library.h"
#include "gui/models/live/engine.h"
#include "gui/models/live/remote_mirror.h"
#include "gui/models/live/session.h"
#include "gui/models/reports/report_library.h"
#include "gui/models/throttle.h"
#include "gui/pages/page.h"
#include "gui/theme/theme.h"
#include "gui/widgets/steady_label.h"

class QLabel;
class QStackedWidget;
class QToolButton;

namespace dasgd::gui {

class CommandPalette;
struct Command;
class Rail;

// Where a window with its frame lies wholly in `room`, nearest to where it is; its beginning where it is larger.
[[nodiscard]] QPoint placeWithin(const QRect& frame, const QRect& room);

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    // `engineProgram`: path of `dasgd`, "" for the one beside this program.
    MainWindow(const std::filesystem::path& workspace, Look& look, const QString& engineProgram = {});
    // The pages before what they look at.
    ~MainWindow() override;

    [[nodiscard]] Session& session() { return session_; }
    [[nodiscard]] ExperimentDraft& draft() { return draft_; }
    [[nodiscard]] FigureLibrary& figures() { return figures_; }
    [[nodiscard]] ReportLibrary& reports() { return reports_; }
    // Goes to the page of that title; CHECKs that there is one.
    void open(const char* title);
    // The same; false where there is none.
    [[nodiscard]] bool openNamed(const QString& title);
    // Reads the file and shows it on the Experiment page.
    void openExperiment(const QString& file);
    [[nodiscard]] QString statusText() const;
    // Every action by its name.
    void openPalette();
    // No larger than its screen and wholly on it, with the frame that a window manager has put around it.
    void keepOnScreen();

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] static int pageNamed(const QString& title);  // −1: there is none
    void build(int page);
    void buildAhead();
    void make(int page);
    // With the sheet of the present theme, where it has another.
    void dressPage(int page);
    void showPage(int page);
    void leaveEmptyPage();
    void focusPage(QWidget& page);
    QWidget* makeStatusBar();
    void updateStatus();
    void openWorkspace();
    void openRemote();
    [[nodiscard]] std::vector<Command> jobCommands();
    [[nodiscard]] std::vector<Command> workspaceCommands();

    Look& look_;
    Feed feed_;
    Session session_;
    Engine engine_;
    ExperimentDraft draft_;
    FigureLibrary figures_;
    FigureWatch figureWatch_{feed_, figures_};
    ReportLibrary reports_;
    RemoteMirror remote_;
    PageContext context_;
    Rail* rail_;
    QStackedWidget* stack_;
    std::vector<bool> made_;                       // by page; the others are blank in the stack
    std::vector<std::unique_ptr<QWidget>> built_;  // by page; those that were not opened yet
    bool isFirstPage_ = false;                     // the window has chosen it, and nobody else has since
    int shown_ = -1;                               // page; −1: none was chosen yet
    bool wasShown_ = false;                        // the window
    SteadyLabel* status_;
    QToolButton* follow_;
    CommandPalette* palette_;
    Throttle statusPace_{200, [this] { updateStatus(); }};  // ms
};

}  // namespace dasgd::gui
