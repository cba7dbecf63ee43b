// The program around every test of the window: no display, our fonts, a settings file of its own.
#include <QDir>
#include <QFile>
#include <QThread>
#include <cstdio>
#include <cstring>

#include "tests/gui/support/in_application.h"

namespace {

// A window starts the program that it is in for another workspace: of a test, this one.
bool leftWord(int argc, char** argv) {
    if (argc != 3 || std::strcmp(argv[1], "--workspace") != 0) return false;
    QFile word(QDir(QString::fromLocal8Bit(argv[2])).filePath(QStringLiteral("opened")));
    return word.open(QIODevice::WriteOnly);
}

// And for an export of figures, which here is its command line in the file `words` below --out. With --when-told it is
// under way until `go` is in the workspace. `figure … --workspace W --out DIR`, as FigureExport writes it; figures on
// the standard input are kept beside it in `figures`.
bool exported(int argc, char** argv) {
    if (argc < 2 || std::strcmp(argv[1], "figure") != 0) return false;
    QStringList words;
    for (int i = 1; i < argc; ++i) words << QString::fromLocal8Bit(argv[i]);
    const auto after = [&words](const char* option) { return words.value(words.indexOf(QLatin1String(option)) + 1); };
    const QDir workspace(after("--workspace")), out(after("--out"));
    constexpr int kMostTries = 1000, kPauseMs = 20;  // a test that has failed leaves no process behind for long
    const int tries = words.contains(QStringLiteral("--when-told")) ? kMostTries : 0;
    for (int i = 0; i < tries && !workspace.exists(QStringLiteral("go")); ++i) QThread::msleep(kPauseMs);
    QFile file(out.filePath(QStringLiteral("words"))), input, figures(out.filePath(QStringLiteral("figures")));
    const bool made = out.mkpath(QStringLiteral("."));
    if (words.value(1) == QLatin1String("-") && input.open(stdin, QIODevice::ReadOnly) &&
        figures.open(QIODevice::WriteOnly)) {
        figures.write(input.readAll());
    }
    return made && file.open(QIODevice::WriteOnly) && file.write(words.join(QLatin1Char('\n')).toUtf8()) > 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (leftWord(argc, argv) || exported(argc, argv)) return 0;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    return dasgd::gui::runInApplication(argc, argv);
}
