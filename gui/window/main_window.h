// The frame around the pages: rail, stack, status bar. Owns the session and the other models that pages use.
#pragma once

#include <QMainWindow>
#include <filesystem>
#include <memory>
#include <vector>

#include "gui/data/session/engine.h"
#include "gui/data/session/remote_mirror.h"
#include "gui/data/session/session.h"
#include "gui/experiment/model/experiment_draft.h"
#include "gui/figures/figure_watch.h"
#include "gui/figures/model/figure_library.h"
#include "gui/kit/parts/elided_label.h"
#include "gui/kit/parts/page.h"
#include "gui/kit/theme/theme.h"
#include "gui/kit/words/throttle.h"
#include "gui/scaling/model/reports/report_library.h"

class QLabel;
class QStackedWidget;
class QToolButton;

namespace dasgd::gui {

class CommandPalette;
struct PaletteCommand;
class Rail;

// Top left at which a window with its frame lies wholly in `room`, nearest to its present place. A larger window is
// aligned with the top left of `room`.
[[nodiscard]] QPoint placeWithin(const QRect& frame, const QRect& room);

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    // `engineProgram`: path of `dasgd`, "" for the one beside this program.
    MainWindow(const std::filesystem::path& workspace, Look& look, const QString& engineProgram = {});
    // Deletes the pages before the models that they use.
    ~MainWindow() override;

    [[nodiscard]] Session& session() { return session_; }
    [[nodiscard]] ExperimentDraft& draft() { return draft_; }
    [[nodiscard]] FigureLibrary& figures() { return figures_; }
    [[nodiscard]] ReportLibrary& reports() { return reports_; }
    // Shows the page of that title; CHECKs that there is one.
    void open(const char* title);
    // Shows the page of that title; false where there is none.
    [[nodiscard]] bool openNamed(const QString& title);
    // Reads the file and shows it on the Experiment page.
    void openExperiment(const QString& file);
    [[nodiscard]] QString statusText() const;
    // Opens the command palette, which lists every action by its name, or those that have keys.
    enum class Offer { Everything, WithKeys };
    void openPalette(Offer offer);
    // Resizes and moves the window so that it lies wholly on its screen, including the window manager's frame.
    void keepOnScreen();

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] static int pageNamed(const QString& title);  // −1 if there is none
    void build(int page);
    void buildAhead();
    void make(int page);
    // Gives the page the style sheet of the present theme, if it has another.
    void dressPage(int page);
    void showPage(int page);
    void leaveEmptyPage();
    void focusPage(QWidget& page);
    QWidget* makeStatusBar();
    void updateStatus();
    void openWorkspace();
    void openRemote();
    [[nodiscard]] std::vector<PaletteCommand> jobCommands();
    [[nodiscard]] std::vector<PaletteCommand> workspaceCommands();

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
    std::vector<bool> made_;                       // by page: true if it is in the stack; others are blank there
    std::vector<std::unique_ptr<QWidget>> built_;  // by page: pages built ahead and not opened yet
    bool isFirstPage_ = false;                     // true while the page is the one that the window opened with
    int shown_ = -1;                               // page on show; −1: none yet
    bool wasShown_ = false;                        // true once the window was shown
    ElidedLabel* status_;
    QToolButton* follow_;
    CommandPalette* palette_;
    Throttle statusPace_{200, [this] { updateStatus(); }};  // at most every 200 ms
};

}  // namespace dasgd::gui
