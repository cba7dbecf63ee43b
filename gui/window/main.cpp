// `dasgd-lab`: the window, a picture of it, or paper figures without a display.
#include <QApplication>
#include <QCommandLineParser>
#include <QScreen>
#include <QTimer>
#include <cstdio>
#include <cstring>

#include "core/base/log.h"
#include "gui/data/session/session.h"
#include "gui/figures/bundle/figure_command.h"
#include "gui/kit/parts/page.h"
#include "gui/kit/parts/wrapped_tips.h"
#include "gui/kit/theme/portal_scheme.h"
#include "gui/kit/theme/theme.h"
#include "gui/window/main_window.h"

namespace {

using namespace dasgd::gui;

constexpr int kWrong = 2;

// Drops Qt's messages about the platform, except errors; DASGD_QT_LOG shows them.
void silence(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type != QtCriticalMsg && type != QtFatalMsg && qEnvironmentVariableIsEmpty("DASGD_QT_LOG")) return;
    dasgd::logLine(type == QtCriticalMsg || type == QtFatalMsg ? dasgd::LogLevel::Error : dasgd::LogLevel::Info,
                   message.toStdString());
}

int reportError(const std::string& message) {
    dasgd::logLine(dasgd::LogLevel::Error, message);
    return kWrong;
}

int runFigures(const QStringList& words) {
    if (words.contains(QLatin1String("--help")) || words.contains(QLatin1String("-h"))) {
        std::fputs(figureHelp().toUtf8().constData(), stdout);
        return 0;
    }
    installFonts();
    const auto options = parseFigureOptions(words);
    if (!options) return reportError(options.error().message);
    QStringList warnings;
    const auto written = writeFigures(*options, &warnings);
    if (!written) return reportError(written.error().message);
    for (const QString& warning : warnings) dasgd::logLine(dasgd::LogLevel::Warning, warning.toStdString());
    for (const QString& file : *written) std::puts(file.toUtf8().constData());
    return 0;
}

QString pageTitles() {
    QStringList titles;
    for (const PageRegistry::Entry& entry : PageRegistry::entries()) titles << QString::fromUtf8(entry.info.title);
    return titles.join(QStringLiteral(", "));
}

// True if a window can be shown. Without X or Wayland only pictures can be made.
bool hasDisplay() {
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
           !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

bool mentions(int argc, char** argv, const char* word) {
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], word, std::strlen(word)) == 0) return true;
    }
    return false;
}

int runWindow(QApplication& app) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Watch, compare and draw the runs of a workspace.\n"
                       "dasgd-lab figure --help: paper figures without a display."));
    parser.addHelpOption();
    const QCommandLineOption workspace(QStringLiteral("workspace"), QStringLiteral("Folder of lab.db."),
                                       QStringLiteral("W"),
                                       qEnvironmentVariable("DASGD_WORKSPACE", QStringLiteral("dasgd-workspace")));
    const QCommandLineOption run(QStringLiteral("run"), QStringLiteral("Run to show: an id or a unique beginning."),
                                 QStringLiteral("ID"));
    const QCommandLineOption theme(QStringLiteral("theme"),
                                   QStringLiteral("dark or light; where absent, as last chosen, else the desktop's."),
                                   QStringLiteral("T"));
    const QCommandLineOption page(
        QStringLiteral("page"),
        QStringLiteral("Page to open: %1; where absent, Run, or Experiment where nothing was run.").arg(pageTitles()),
        QStringLiteral("P"));
    const QCommandLineOption picture(QStringLiteral("screenshot"),
                                     QStringLiteral("Write the window to a PNG file and end."), QStringLiteral("FILE"));
    const QCommandLineOption after(QStringLiteral("after-ms"), QStringLiteral("… after so many milliseconds."),
                                   QStringLiteral("N"), QStringLiteral("1500"));
    const QCommandLineOption size(QStringLiteral("size"),
                                  QStringLiteral("Size of the window; as it was last where absent."),
                                  QStringLiteral("WxH"));
    parser.addPositionalArgument(QStringLiteral("FILE.toml"), QStringLiteral("Experiment to set up."),
                                 QStringLiteral("[FILE.toml]"));
    parser.addOptions({workspace, run, theme, page, picture, after, size});
    parser.process(app);

    ThemeName name = parser.isSet(picture) ? systemTheme() : chosenTheme().value_or(systemTheme());
    if (parser.isSet(theme)) {
        if (parser.value(theme) != QLatin1String("dark") && parser.value(theme) != QLatin1String("light")) {
            return reportError("--theme: found \"" + parser.value(theme).toStdString() + "\"; allowed dark, light");
        }
        name = parser.value(theme) == QLatin1String("dark") ? ThemeName::Dark : ThemeName::Light;
    }
    installFonts();
    const auto portal = parser.isSet(picture) ? nullptr : sessionPortal();
    Look look(name);
    if (portal) look.setDesktop(*portal);
    if (!parser.isSet(theme) && !chosenTheme()) look.followSystem();
    WrappedTips tips;
    app.installEventFilter(&tips);
    MainWindow window(parser.value(workspace).toStdString(), look);
    // A picture has a fixed size, independent of the remembered size of the window.
    const QString wanted =
        parser.isSet(picture) && !parser.isSet(size) ? QStringLiteral("1600x1000") : parser.value(size);
    const QStringList extent = wanted.split(QLatin1Char('x'));
    if (const QSize given(extent.value(0).toInt(), extent.value(1).toInt()); !given.isEmpty()) {
        window.resize(parser.isSet(picture) ? given : given.boundedTo(window.screen()->availableSize()));
    }
    if (parser.isSet(run)) window.session().choose(parser.value(run));
    if (parser.isSet(page) && !window.openNamed(parser.value(page))) {
        return reportError("--page: found \"" + parser.value(page).toStdString() + "\"; allowed " +
                           pageTitles().toStdString());
    }
    const QStringList files = parser.positionalArguments();
    if (files.size() > 1) return reportError("more than one experiment is named; the window shows one");
    if (!files.isEmpty()) {
        window.openExperiment(files.front());
    }
    window.show();
    int status = 0;
    if (parser.isSet(picture)) {
        QTimer::singleShot(parser.value(after).toInt(), &window, [&] {
            if (!window.grab().save(parser.value(picture)))
                status = reportError(parser.value(picture).toStdString() + ": cannot be written");
            QApplication::quit();
        });
    }
    QApplication::exec();
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    dasgd::logToTerminal("dasgd-lab");
    const bool figures = argc > 1 && std::strcmp(argv[1], "figure") == 0;
    if (figures || (!hasDisplay() && (mentions(argc, argv, "--screenshot") || mentions(argc, argv, "--help")))) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    } else if (!hasDisplay()) {
        return reportError(
            "there is no display (DISPLAY and WAYLAND_DISPLAY are not set). Use ssh -X, or `dasgd-lab figure`, or "
            "--screenshot FILE.png.");
    }
    qInstallMessageHandler(silence);
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("dasgd-lab"));
    QApplication::setApplicationDisplayName(QStringLiteral("DaSGD Lab"));
    return figures ? runFigures(QApplication::arguments().mid(2)) : runWindow(app);
}
