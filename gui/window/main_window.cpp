#include "gui/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QProcess>
#include <QScreen>
#include <QShortcut>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWindow>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "gui/kit/parts/card_keys.h"
#include "gui/kit/parts/dropped_files.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/parts/workspace_dialog.h"
#include "gui/kit/words/settings_file.h"
#include "gui/scaling/reports/job_action.h"
#include "gui/window/command_palette.h"
#include "gui/window/page_area.h"
#include "gui/window/rail.h"

namespace dasgd::gui {

namespace {

constexpr QSize kFirstSize(1600, 1000);
constexpr int kFoldRailBelow = 1100;  // width of the window below which the rail is folded to make room for the page
constexpr const char* kFirstPage = "Run";
constexpr const char* kFirstPageOfNone = "Experiment";  // first page of a workspace without runs
constexpr int kFrameMs = 250;                           // time for the window manager to report the size of its frame
constexpr int kAheadMs = 100;                           // pause between two pages that are built ahead
const QString kGeometryKey = QStringLiteral("window/geometry");

}  // namespace

QPoint placeWithin(const QRect& frame, const QRect& room) {
    const auto within = [](int at, int length, int first, int last) {
        return std::clamp(at, first, std::max(first, last - length + 1));
    };
    return {within(frame.left(), frame.width(), room.left(), room.right()),
            within(frame.top(), frame.height(), room.top(), room.bottom())};
}

MainWindow::MainWindow(const std::filesystem::path& workspace, Look& look, const QString& engineProgram)
    : look_(look),
      feed_(workspace),
      session_(feed_),
      engine_(workspace, engineProgram),
      draft_(engine_, workspace),
      figures_(workspace),
      reports_(workspace, engine_.program()),
      remote_(engine_.program(), workspace),
      context_{session_, engine_, draft_, figures_, reports_, look_, [this](const char* title) { open(title); }},
      rail_(new Rail(look, QString::fromStdString(workspace.string()))),
      stack_(new QStackedWidget) {
    setWindowTitle(QStringLiteral("DaSGD Lab"));
    resize(kFirstSize.boundedTo(screen()->availableSize()));
    // restoreGeometry() moves the window to an existing screen.
    restoreGeometry(settingsFile().value(kGeometryKey).toByteArray());
    resize(size().boundedTo(screen()->availableSize()));
    keepOnScreen();
    auto* frame = new QWidget;
    setCentralWidget(frame);
    auto* right = spaced(new QVBoxLayout, 0);
    right->addWidget(stack_, 1);
    QWidget* bar = makeStatusBar();
    right->addWidget(bar);
    auto* row = padded(spaced(new QHBoxLayout(frame), 0), {0, 0, 0, 0});
    row->addWidget(rail_);
    row->addLayout(right, 1);
    for (const PageRegistry::Entry& entry : PageRegistry::entries()) {
        rail_->add(QString::fromUtf8(entry.info.title), QString::fromUtf8(entry.info.icon));
        stack_->addWidget(new QWidget);
    }
    made_.resize(static_cast<std::size_t>(stack_->count()));
    built_.resize(made_.size());
    connect(rail_, &Rail::chosen, this, &MainWindow::showPage);
    connect(rail_, &Rail::themeWanted, &look_, &Look::toggle);
    connect(rail_, &Rail::workspaceWanted, this, &MainWindow::openWorkspace);
    setAcceptDrops(true);
    connect(&reports_, &ReportLibrary::pageWanted, this, [this] { open(kWhatIfPage); });
    connect(&session_, &Session::pulseChanged, this, [this] { statusPace_.request(); });
    connect(&session_, &Session::currentChanged, this, &MainWindow::updateStatus);
    connect(&session_, &Session::errorChanged, this, &MainWindow::updateStatus);
    connect(&session_, &Session::runsChanged, this, [this] { statusPace_.request(); });
    connect(&session_, &Session::runsChanged, this, &MainWindow::leaveEmptyPage, Qt::SingleShotConnection);
    connect(&remote_, &RemoteMirror::changed, this, &MainWindow::updateStatus);
    for (const auto over : {&Engine::ended, &Engine::notStarted})
        connect(&engine_, over, &session_, &Session::startEnded);
    palette_ = new CommandPalette(*this, look);
    auto* palette = new QShortcut(QKeySequence(QStringLiteral("Ctrl+K")), this);
    connect(palette, &QShortcut::activated, this, [this] { openPalette(Offer::Everything); });
    auto* keys = new QShortcut(QKeySequence(Qt::Key_F1), this);
    connect(keys, &QShortcut::activated, this, [this] { openPalette(Offer::WithKeys); });
    auto* leave = new QShortcut(QKeySequence(QStringLiteral("Ctrl+Q")), this);
    connect(leave, &QShortcut::activated, this, &QWidget::close);
    updateStatus();
    // Styled last, since otherwise each part would be styled again when it gets its parent. The window itself has no
    // style sheet: each page has its own, so that a change of the theme need not restyle hidden pages.
    for (QWidget* part : std::initializer_list<QWidget*>{rail_, bar, palette_}) look_.dress(*part);
    connect(&look_, &Look::changed, this, [this] {
        if (shown_ >= 0) dressPage(shown_);
    });
    // The first page is built before the first event: an event that both builds and styles it would take twice as long.
    if (const int first = pageNamed(QString::fromUtf8(kFirstPage)); first >= 0) build(first);
}

// Deletes the pages first: some still write their state through the models.
MainWindow::~MainWindow() { delete takeCentralWidget(); }

QWidget* MainWindow::makeStatusBar() {
    auto* bar = new QWidget;
    bar->setObjectName(QStringLiteral("statusbar"));
    bar->setAttribute(Qt::WA_StyledBackground);
    bar->setFixedHeight(32);
    auto* row = padded(new QHBoxLayout(bar), {24, 0, 18, 0});
    row->addWidget(status_ = new ElidedLabel);
    row->addStretch();
    follow_ = makeQuietButton({}, tr("Go to each run that starts  Ctrl+L"));
    follow_->setCheckable(true);
    // A separate shortcut, since a button loses its own with each new text.
    auto* key = new QShortcut(QKeySequence(QStringLiteral("Ctrl+L")), this);
    connect(key, &QShortcut::activated, follow_, &QToolButton::click);
    connect(follow_, &QToolButton::clicked, this, [this](bool on) {
        session_.setFollowNewest(on);
        updateStatus();
    });
    row->addWidget(follow_);
    return bar;
}

void MainWindow::open(const char* title) { DASGD_CHECK(openNamed(QString::fromUtf8(title))); }

void MainWindow::openExperiment(const QString& file) {
    draft_.open(QFileInfo(file).absoluteFilePath());
    open("Experiment");
}

bool MainWindow::openNamed(const QString& title) {
    const int page = pageNamed(title);
    if (page >= 0) showPage(page);
    return page >= 0;
}

int MainWindow::pageNamed(const QString& title) {
    const auto& entries = PageRegistry::entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (title == QString::fromUtf8(entries[i].info.title)) return static_cast<int>(i);
    }
    return -1;
}

// Builds one page that was not opened yet, then the next after a pause so that input is handled in between. Opening a
// page for the first time costs as much for building it as for styling it; this saves the first half.
void MainWindow::buildAhead() {
    for (std::size_t i = 0; i < made_.size(); ++i) {
        if (made_[i] || built_[i]) continue;
        build(static_cast<int>(i));
        return QTimer::singleShot(kAheadMs, this, &MainWindow::buildAhead);
    }
}

void MainWindow::build(int page) {
    std::unique_ptr<QWidget>& own = built_[static_cast<std::size_t>(page)];
    if (own) return;
    QWidget* made = PageRegistry::entries()[static_cast<std::size_t>(page)].create(context_);
    addCardKeys(*made);
    own = std::make_unique<PageArea>(made);
}

// Puts a page into the stack. Building one takes about 30 ms, so only the first is built before the window is visible.
// A page takes everything that happened before from the models.
void MainWindow::make(int page) {
    const auto index = static_cast<std::size_t>(page);
    if (made_[index]) return;
    made_[index] = true;
    build(page);
    QWidget* blank = stack_->widget(page);
    stack_->insertWidget(page, built_[index].release());
    stack_->removeWidget(blank);
    delete blank;
}

void MainWindow::dressPage(int page) {
    QWidget& own = *stack_->widget(page);
    if (own.styleSheet() != look_.styleSheet()) own.setStyleSheet(look_.styleSheet());
}

// Called once the workspace is read: without runs the window goes to the Experiment page, unless the user has chosen a
// page meanwhile.
void MainWindow::leaveEmptyPage() {
    if (session_.runs().items().empty() && isFirstPage_) open(kFirstPageOfNone);
}

void MainWindow::showPage(int page) {
    isFirstPage_ = false;
    make(page);
    dressPage(page);
    shown_ = page;
    rail_->choose(page);
    // Hidden pages do not count for the minimum width of the window.
    for (int i = 0; i < stack_->count(); ++i) {
        const auto policy = i == page ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        stack_->widget(i)->setSizePolicy(policy, policy);
    }
    stack_->setCurrentIndex(page);
    focusPage(*stack_->currentWidget());
}

void MainWindow::focusPage(QWidget& page) {
    page.setFocus();
    const QWidget* focused = QApplication::focusWidget();
    if (!isActiveWindow() || (focused == &page || (focused && page.isAncestorOf(focused) && focused->isVisible())))
        return;
    // The page's focus widget is hidden, as on an empty page: the first visible widget that takes the focus gets it.
    const auto takes = [&page](const QWidget& one) {
        return page.isAncestorOf(&one) && one.isVisible() && one.isEnabled() && !one.focusProxy() &&
               (one.focusPolicy() & Qt::TabFocus) != 0;
    };
    for (QWidget* one = page.nextInFocusChain(); one != &page; one = one->nextInFocusChain()) {
        if (takes(*one)) return one->setFocus();
    }
}

void MainWindow::openPalette(Offer offer) {
    std::vector<PaletteCommand> commands = commandsOf(*stack_->currentWidget());
    const auto& entries = PageRegistry::entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        commands.push_back({.title = tr("Go to %1").arg(QString::fromUtf8(entries[i].info.title)),
                            .words = {},
                            .keys = i < 9 ? QStringLiteral("Ctrl+%1").arg(i + 1) : QString(),
                            .carryOut = [this, i] { showPage(static_cast<int>(i)); }});
    }
    for (PaletteCommand& one : jobCommands()) commands.push_back(std::move(one));
    commands.push_back({.title = session_.followsNewest() ? tr("Stay with this run") : tr("Follow the newest run"),
                        .words = tr("Go to each run that starts, or not"),
                        .keys = QStringLiteral("Ctrl+L"),
                        .carryOut = [this] { follow_->click(); }});
    commands.push_back(
        {.title = tr("Light or dark theme"), .words = {}, .keys = QStringLiteral("Ctrl+T"), .carryOut = [this] {
             look_.toggle();
         }});
    for (PaletteCommand& one : workspaceCommands()) commands.push_back(std::move(one));
    commands.push_back({.title = tr("Close the window"),
                        .words = tr("Running trainings continue; the next window shows them"),
                        .keys = QStringLiteral("Ctrl+Q"),
                        .carryOut = [this] { close(); }});
    if (offer == Offer::WithKeys) std::erase_if(commands, [](const PaletteCommand& one) { return one.keys.isEmpty(); });
    commands.push_back({.title = tr("Keyboard shortcuts"),
                        .words = tr("The actions of this page and of the window that have keys"),
                        .keys = QStringLiteral("F1"),
                        .carryOut = [this] { openPalette(Offer::WithKeys); }});
    palette_->open(std::move(commands), session_.runs().items(), [this](const QString& run) {
        session_.choose(run);
        open("Run");
    });
}

std::vector<PaletteCommand> MainWindow::jobCommands() {
    std::vector<PaletteCommand> commands;
    const auto add = [&](const QString& title, const QString& words, auto&& what) {
        commands.push_back({.title = title, .words = words, .keys = {}, .carryOut = what});
    };
    const auto ask = [this](JobKind kind) { return [this, kind] { askOfDraft(context_, kind); }; };
    add(tr("Calibrate"), tr("Measure T_c and the link of the experiment that is set up"), ask(JobKind::Calibrate));
    add(tr("Advise …"), tr("Recommended algorithm, period and delay for the cluster of the experiment"),
        ask(JobKind::Advise));
    add(tr("Scale …"), tr("The experiment at several numbers of workers"), ask(JobKind::Scale));
    if (!session_.currentId().isEmpty()) {
        add(tr("Replay …"), tr("Run %1 again on a virtual cluster").arg(session_.currentId()),
            [this] { askReplay(context_, session_.currentId()); });
    }
    return commands;
}

std::vector<PaletteCommand> MainWindow::workspaceCommands() {
    std::vector<PaletteCommand> commands{
        {.title = tr("Open another workspace"),
         .words = tr("In a window of its own; this one stays"),
         .keys = {},
         .carryOut = [this] { openWorkspace(); }},
        {.title = tr("Open remote …"),
         .words = tr("Runs of a workspace on another machine, here and live, over ssh"),
         .keys = {},
         .carryOut = [this] { openRemote(); }}};
    if (remote_.isOpen()) {
        commands.push_back({.title = tr("Close remote"),
                            .words = tr("No more from %1; what has come stays").arg(remote_.url()),
                            .keys = {},
                            .carryOut = [this] { remote_.close(); }});
    }
    return commands;
}

void MainWindow::openRemote() {
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    look_.dress(*dialog);
    dialog->setWindowTitle(tr("Open remote"));
    dialog->setLabelText(tr("ssh://[user@]host[:port]/folder of the workspace, or host:folder"));
    dialog->setTextValue(remote_.isOpen() ? remote_.url() : RemoteMirror::lastUrl());
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& url) {
        if (!url.trimmed().isEmpty()) remote_.open(url);
    });
    dialog->open();
}

void MainWindow::openWorkspace() {
    auto* dialog = makeWorkspaceDialog(*this, session_.feed().workspace(), tr("The folder of a workspace"));
    look_.dress(*dialog);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [](const QString& folder) {
        QProcess::startDetached(QApplication::applicationFilePath(), {QStringLiteral("--workspace"), folder});
    });
    dialog->open();
}

// Accepts experiments dropped on a page that does not handle the drop itself.
void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!experimentIn(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QString file = experimentIn(*event->mimeData());
    if (!file.isEmpty()) openExperiment(file);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    settingsFile().setValue(kGeometryKey, saveGeometry());
    QMainWindow::closeEvent(event);
}

void MainWindow::keepOnScreen() {
    const QRect room = screen()->availableGeometry();
    // A window larger than the screen even without its frame was requested so.
    const bool asked = size().boundedTo(room.size()) != size();
    if (asked || isMaximized() || isFullScreen()) return;
    const QSize frame = frameGeometry().size() - size();
    resize(size().boundedTo(room.size() - frame));
    const QPoint at = placeWithin(frameGeometry(), room);
    if (at != frameGeometry().topLeft()) move(at);
}

void MainWindow::updateStatus() {
    const Pulse& pulse = session_.pulse();
    QStringList parts;
    if (!session_.error().isEmpty()) {
        parts << tr("the workspace cannot be read");
    } else if (pulse.live) {
        const auto behind = session_.behindMs();
        parts << (behind ? tr("live · %1 ms behind").arg(std::lround(*behind)) : tr("live"));
    } else if (session_.current()) {
        parts << tr("up to date");
    }
    if (!pulse.runId.isEmpty()) parts << tr("%1 spans").arg(grouped(pulse.spans));
    if (pulse.databaseBytes > 0) parts << tr("lab.db ") + bytesInWords(static_cast<double>(pulse.databaseBytes)).text();
    if (!remote_.words().isEmpty()) parts << remote_.words();
    status_->say(parts.join(QStringLiteral("     ")));
    follow_->setChecked(session_.followsNewest());
    const QString waits = session_.newestWaits() ? tr(" once mouse and keys rest") : QString();
    follow_->setText(session_.followsNewest() ? tr("✓ follows the newest run") + waits : tr("follow the newest run"));
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (shown_ < 0) {
        const bool isEmpty = session_.loaded() && session_.runs().items().empty();
        open(isEmpty ? kFirstPageOfNone : kFirstPage);
        isFirstPage_ = true;
    }
    // The platform's window receives every mouse movement; widgets receive only those that they track.
    windowHandle()->installEventFilter(this);
    if (std::exchange(wasShown_, true)) return;
    for (const int ms : {0, kFrameMs}) QTimer::singleShot(ms, this, &MainWindow::keepOnScreen);
    QTimer::singleShot(4 * kAheadMs, this, &MainWindow::buildAhead);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    rail_->setFolded(width() < kFoldRailBelow);
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseMove:
        case QEvent::MouseButtonPress:
        case QEvent::Wheel:
        case QEvent::KeyPress: session_.touched(); break;
        default: break;
    }
    return QMainWindow::eventFilter(watched, event);
}

QString MainWindow::statusText() const { return status_->text(); }

}  // namespace dasgd::gui
