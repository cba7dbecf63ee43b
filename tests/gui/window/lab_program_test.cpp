// The built `dasgd-lab` as a shell starts it, without a display: paper figures, a picture of the window with the
// experiment that it was given, and the exit status of what is wrong.
#include <gtest/gtest.h>

#include <QDir>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>

#include "tests/gui/support/bench.h"
#include "tests/support/paths.h"

namespace dasgd::gui {
namespace {

struct Ended {
    int exit = -1;
    QString out, error;
};

class LabProgram : public ::testing::Test {
protected:
    Ended run(const QStringList& words) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QString::fromLatin1(name));
        process.setProcessEnvironment(environment);
        process.start(QString::fromUtf8(test::kLabProgram), words);
        EXPECT_TRUE(process.waitForFinished(50'000)) << process.errorString().toStdString();
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
    }
    QString write(const QString& name, const QByteArray& text) {
        QFile file(folder_.filePath(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        return file.fileName();
    }
    QImage pictureOf(const QString& name, const QStringList& more) {
        const QString file = folder_.filePath(name);
        const Ended ended = run(QStringList{"--workspace", workspace(), "--screenshot", file, "--after-ms", "2500",
                                            "--theme", "light", "--size", "1200x800"} +
                                more);
        EXPECT_EQ(ended.exit, 0) << ended.error.toStdString();
        return QImage(file).convertToFormat(QImage::Format_RGB32);
    }
    static double shareThatDiffers(const QImage& a, const QImage& b) {
        if (a.size() != b.size() || a.isNull()) return 0;
        int different = 0;
        for (int y = 0; y < a.height(); ++y) {
            for (int x = 0; x < a.width(); ++x) different += a.pixel(x, y) != b.pixel(x, y) ? 1 : 0;
        }
        return static_cast<double>(different) / a.width() / a.height();
    }
    [[nodiscard]] QString workspace() const { return QString::fromStdString(workspace_.path().string()); }
    Workspace workspace_;
    QTemporaryDir folder_;
};

TEST_F(LabProgram, WritesAFigureOfAFile) {
    for (int seed = 1; seed <= 2; ++seed) workspace_.record({.seed = seed, .steps = 60});
    const QString file = write(QStringLiteral("loss.json"), R"({"version": 1, "filter": "dasgd", "venue": "icml"})");
    const QString out = folder_.filePath(QStringLiteral("out"));
    const Ended ended = run({"figure", file, "--workspace", workspace(), "--out", out});
    ASSERT_EQ(ended.exit, 0) << ended.error.toStdString();
    for (const char* name :
         {"loss.pdf", "loss.svg", "loss.png", "loss.csv", "loss-plot.tex", "loss-table.tex", "figure.json"}) {
        EXPECT_GT(QFileInfo(out + u'/' + QLatin1String(name)).size(), 200) << name;
        EXPECT_TRUE(ended.out.contains(QLatin1String(name))) << "what was written is listed: " << name;
    }
}

// The page of experiments in place of that of runs: most of the window is another.
TEST_F(LabProgram, ShowsTheExperimentThatItIsGiven) {
    const QString file = write(QStringLiteral("mine.toml"), "name = \"mine\"\n[algorithm]\nname = \"dasgd\"\n");
    const QImage run = pictureOf(QStringLiteral("run.png"), {"--page", "Run"});
    ASSERT_EQ(run.size(), QSize(1200, 800));
    EXPECT_GT(shareThatDiffers(run, pictureOf(QStringLiteral("mine.png"), {file})), 0.05);
}

TEST_F(LabProgram, BeginsWithAnExperimentWhereNothingWasRun) {
    const QImage run = pictureOf(QStringLiteral("run.png"), {"--page", "Run"});
    EXPECT_GT(shareThatDiffers(run, pictureOf(QStringLiteral("none.png"), {})), 0.05);
}

TEST_F(LabProgram, SaysWhatIsWrongAndEndsWithStatusTwo) {
    const QString none = folder_.filePath(QStringLiteral("none.json"));
    const QString broken = write(QStringLiteral("broken.json"), "{\"version\": 1, \"venue\": \"nature\"}");
    const QString shot = folder_.filePath(QStringLiteral("x.png")), out = folder_.filePath(QStringLiteral("o"));
    const std::pair<QStringList, QString> wrongs[] = {
        {{"figure", none, "--workspace", workspace(), "--out", out}, QStringLiteral("none.json")},
        {{"figure", broken, "--workspace", workspace(), "--out", out}, QStringLiteral("nature")},
        {{"--workspace", workspace(), "--screenshot", shot, "--page", "Nowhere"}, QStringLiteral("Nowhere")},
        {{"--workspace", workspace(), "--screenshot", shot, "--theme", "blue"}, QStringLiteral("blue")},
        {{"--workspace", workspace(), "--screenshot", shot, "a.toml", "b.toml"}, QStringLiteral("more than one")},
        {{"--workspace", workspace()}, QStringLiteral("there is no display")}};
    for (const auto& [words, said] : wrongs) {
        const Ended ended = run(words);
        EXPECT_EQ(ended.exit, 2) << words.join(u' ').toStdString();
        EXPECT_TRUE(ended.error.contains(said)) << ended.error.toStdString();
    }
    EXPECT_FALSE(QDir(out).exists()) << "nothing is left of what was wrong";
}

}  // namespace
}  // namespace dasgd::gui
