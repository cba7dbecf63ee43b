#include "gui/figures/bundle/figure_command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QTemporaryFile>

#include "core/base/metric_names.h"
#include "tests/gui/support/bench.h"
#include "tests/gui/support/scaling_runs.h"

namespace dasgd::gui {
namespace {

QString pathOf(const Workspace& workspace) { return QString::fromStdString(workspace.path().string()); }

Result<QStringList> write(const QStringList& words) {
    auto options = parseFigureOptions(words);
    if (!options) return tl::unexpected(options.error());
    return writeFigures(*options);
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    return file.readAll();
}

TEST(FigureCommand, WritesEveryFigureAndHowItWasMade) {
    Workspace workspace;
    const QString a = workspace.record({.steps = 60}), b = workspace.record({.algorithm = "sync_sgd", .steps = 60});
    const QTemporaryDir out;
    const auto written =
        write({QStringLiteral("--workspace"), pathOf(workspace), QStringLiteral("--runs"), a + QLatin1Char(',') + b,
               QStringLiteral("--out"), out.filePath(QStringLiteral("deep/er"))});
    ASSERT_TRUE(written.has_value()) << written.error().message;
    EXPECT_EQ(written->size(), 8 + 8 + 7 + 1);
    for (const QString& file : *written)
        EXPECT_GT(QFileInfo(file).size(), file.endsWith(QStringLiteral("-caption.tex")) ? 20 : 200)
            << file.toStdString();
    const QJsonDocument document = QJsonDocument::fromJson(contentOf(written->last()));
    const QJsonValue loss = document[QLatin1String("figures")][0];
    EXPECT_EQ(loss[QLatin1String("curves")][0][QLatin1String("runs")][0][QLatin1String("run_id")].toString(), a);
    EXPECT_EQ(loss[QLatin1String("curves")][1][QLatin1String("runs")][0][QLatin1String("git_commit")].toString().size(),
              40);
    EXPECT_TRUE(
        document[QLatin1String("command")].toString().startsWith(QLatin1String("dasgd-lab figure --workspace")));
}

TEST(FigureCommand, AFigureOfAFileIsMadeAgainFromItsRecord) {
    Workspace workspace;
    for (int seed = 1; seed <= 2; ++seed) workspace.record({.seed = seed, .steps = 60});
    const QTemporaryDir out;
    const QString spec = out.filePath(QStringLiteral("convergence.json"));
    QFile file(spec);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(R"({"version": 1, "filter": "dasgd", "x": "wall", "band": "interval-95", "venue": "ieee"})");
    file.close();
    const QString first = out.filePath(QStringLiteral("first")), again = out.filePath(QStringLiteral("again"));
    const auto written =
        write({spec, QStringLiteral("--workspace"), pathOf(workspace), QStringLiteral("--out"), first});
    ASSERT_TRUE(written.has_value()) << written.error().message;
    workspace.record({.seed = 3, .steps = 60});
    const auto same = write({first + QStringLiteral("/figure.json"), QStringLiteral("--workspace"), pathOf(workspace),
                             QStringLiteral("--out"), again});
    ASSERT_TRUE(same.has_value()) << same.error().message;
    for (const char* name : {"/convergence.csv", "/convergence.svg", "/convergence-plot.tex", "/convergence-plot.csv",
                             "/convergence-table.tex"}) {
        EXPECT_EQ(contentOf(first + QLatin1String(name)), contentOf(again + QLatin1String(name))) << name;
    }
    EXPECT_TRUE(contentOf(first + QStringLiteral("/convergence.csv")).contains("n = 2"));
}

// The mean of the file is that of the records.
TEST(FigureCommand, TheNumbersAreThoseOfTheStore) {
    Workspace workspace;
    std::vector<double> at50;
    auto ids = QStringList();
    for (int seed = 1; seed <= 3; ++seed) {
        ids << workspace.record({.seed = seed, .steps = 60});
        auto reader = storage::MetricReader::open(workspace.path());
        const auto recorded = reader->samples({.runId = ids.back().toStdString(), .name = "train/loss"});
        double sum = 0;
        int ranks = 0;
        for (const auto& sample : recorded->samples) {
            if (sample.step != 50) continue;
            sum += sample.value;
            ++ranks;
        }
        ASSERT_EQ(ranks, 4);
        at50.push_back(sum / ranks);
    }
    const QTemporaryDir out;
    ASSERT_TRUE(write({QStringLiteral("--workspace"), pathOf(workspace), QStringLiteral("--runs"),
                       ids.join(QLatin1Char(',')), QStringLiteral("--smooth"), QStringLiteral("0"),
                       QStringLiteral("--out"), out.filePath(QStringLiteral("o"))}));
    const QList<QByteArray> rows = contentOf(out.filePath(QStringLiteral("o/loss.csv"))).split('\n');
    const QList<QByteArray> cells = rows[50].split(',');
    ASSERT_EQ(cells[2], "50") << rows[50].toStdString();
    EXPECT_NEAR(cells[3].toDouble(), (at50[0] + at50[1] + at50[2]) / 3, 1e-8);
    EXPECT_EQ(cells[5], "3");
}

TEST(FigureCommand, NeverWritesOverFiguresThatAreThere) {
    Workspace workspace;
    const QString id = workspace.record({.steps = 20});
    const QTemporaryDir out;
    const QStringList words{QStringLiteral("--workspace"), pathOf(workspace), QStringLiteral("--runs"), id,
                            QStringLiteral("--out"),       out.path()};
    ASSERT_TRUE(write(words).has_value());
    const QByteArray before = contentOf(out.filePath(QStringLiteral("loss.csv")));
    const QStringList other = words + QStringList{QStringLiteral("--smooth"), QStringLiteral("0")};
    EXPECT_NE(write(other).error().message.find("already there"), std::string::npos);
    ASSERT_TRUE(QFile::remove(out.filePath(QStringLiteral("figure.json"))));
    EXPECT_NE(write(other).error().message.find("already there"), std::string::npos) << "without its record too";
    EXPECT_EQ(contentOf(out.filePath(QStringLiteral("loss.csv"))), before);
}

TEST(FigureCommand, ABundleThatFailsHalfwayLeavesNothingBehind) {
    Workspace workspace;
    workspace.record({.steps = 60});
    const QTemporaryDir out;
    const QString twice = out.filePath(QStringLiteral("twice.json"));
    QFile file(twice);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    // The second of that name finds the files of the first.
    file.write(R"({"version": 1, "figures": [{"name": "a", "spec": {"version": 1}},
                                              {"name": "a", "spec": {"version": 1}}]})");
    file.close();
    const QString bundle = out.filePath(QStringLiteral("bundle"));
    const auto written =
        write({twice, QStringLiteral("--workspace"), pathOf(workspace), QStringLiteral("--out"), bundle});
    ASSERT_FALSE(written.has_value());
    EXPECT_NE(written.error().message.find("already there"), std::string::npos) << written.error().message;
    EXPECT_TRUE(QDir(bundle).isEmpty()) << QDir(bundle).entryList().join(QLatin1Char(' ')).toStdString();
}

// Replaces the standard input by a text while it lives.
class StandardInput {
public:
    explicit StandardInput(const QByteArray& text) : kept_(::dup(0)) {
        EXPECT_TRUE(file_.open() && file_.write(text) == text.size() && file_.flush() && file_.seek(0));
        EXPECT_EQ(::dup2(file_.handle(), 0), 0);
    }
    StandardInput(const StandardInput&) = delete;
    StandardInput& operator=(const StandardInput&) = delete;
    ~StandardInput() {
        ::dup2(kept_, 0);
        ::close(kept_);
    }

private:
    QTemporaryFile file_;
    int kept_;
};

TEST(FigureCommand, OfSeveralOnTheStandardInputThoseThatShowNothingAreLeftOut) {
    Workspace workspace;
    workspace.record({.steps = 60});
    const QTemporaryDir out;
    FigureSpec loss, none;
    none.metric = QStringLiteral("never/recorded");
    const auto writeBoth = [&](const std::vector<NamedFigure>& figures, const QString& folder) {
        const StandardInput input(QJsonDocument(jsonOf(figures)).toJson());
        return write({QStringLiteral("-"), QStringLiteral("--workspace"), pathOf(workspace), QStringLiteral("--out"),
                      out.filePath(folder)});
    };
    const auto written = writeBoth({{QStringLiteral("train/loss"), loss}, {QStringLiteral("none"), none}}, "both");
    ASSERT_TRUE(written.has_value()) << written.error().message;
    EXPECT_TRUE(QFile::exists(out.filePath(QStringLiteral("both/train-loss.pdf"))));
    EXPECT_FALSE(QFile::exists(out.filePath(QStringLiteral("both/none.pdf"))));
    const auto alone = writeBoth({{QStringLiteral("none"), none}, {QStringLiteral("neither"), none}}, "neither");
    ASSERT_FALSE(alone.has_value());
    EXPECT_NE(alone.error().message.find("has recorded never/recorded"), std::string::npos) << alone.error().message;
    EXPECT_FALSE(QFile::exists(out.filePath(QStringLiteral("neither"))));
}

// Records throughput and nothing else, like a run that models time alone and keeps no spans.
std::string recordTimes(storage::Store& store) {
    const std::string id = store.newRunId("dasgd");
    EXPECT_TRUE(store.addRun(test::scalingInfo({}, id)));
    {
        auto journal = JournalWriter::create(store.paths().journal(id, 0));
        EXPECT_TRUE(journal);
        for (std::int64_t step = 1; step <= 20; ++step) {
            (*journal)->metric({.name = metrics::kSamplesPerS, .step = step, .wall = step * 1'000'000, .value = 100.0});
        }
        (*journal)->state(RankState::Finished, 20, "");
    }
    auto recorder = storage::Recorder::start(store, id, {0});
    EXPECT_TRUE(recorder && (*recorder)->finish("finished", ""));
    return id;
}

TEST(FigureCommand, OfARunOfTimeAloneWhatThereIsIsMadeAndTheRestIsNamed) {
    Workspace workspace;
    const QString id = QString::fromStdString(recordTimes(workspace.store()));
    const QTemporaryDir out;
    const auto options = parseFigureOptions({QStringLiteral("--workspace"), pathOf(workspace), QStringLiteral("--runs"),
                                             id, QStringLiteral("--out"), out.filePath(QStringLiteral("times"))});
    ASSERT_TRUE(options.has_value());
    QStringList warnings;
    const auto written = writeFigures(*options, &warnings);
    ASSERT_TRUE(written.has_value()) << written.error().message;
    EXPECT_TRUE(QFile::exists(out.filePath(QStringLiteral("times/throughput.pdf"))));
    EXPECT_FALSE(QFile::exists(out.filePath(QStringLiteral("times/loss.pdf"))));
    const QStringList left = warnings.filter(QStringLiteral(": not made. "));
    ASSERT_EQ(left.size(), 2) << warnings.join(u'\n').toStdString();
    EXPECT_EQ(left[0], QStringLiteral("loss: not made. None of these runs has recorded train/loss."));
    EXPECT_TRUE(left[1].startsWith(QStringLiteral("timeline: not made. "))) << left[1].toStdString();
}

TEST(FigureCommand, WrongWordsAreSaid) {
    const auto refusal = [](const QStringList& words) {
        const auto options = parseFigureOptions(words);
        return options ? std::string() : options.error().message;
    };
    EXPECT_NE(refusal({}).find("--runs"), std::string::npos);
    EXPECT_NE(refusal({"--runs"}).find("a value is missing"), std::string::npos);
    EXPECT_NE(refusal({"--runs", "a"}).find("--out"), std::string::npos);
    EXPECT_NE(refusal({"--runs", "a", "--out", "b", "--colour", "red"}).find("--colour"), std::string::npos);
    EXPECT_NE(refusal({"--runs", "a", "--out", "b", "--smooth", "1.5"}).find("allowed 0 to 0.999"), std::string::npos);
    EXPECT_NE(refusal({"--runs", "a", "--out", "b", "--x", "hours"}).find("allowed step"), std::string::npos);
    EXPECT_NE(refusal({"--runs", "a", "--out", "b", "--window", "5,2"}).find("--window"), std::string::npos);
    EXPECT_NE(refusal({"f.json", "--out", "b", "--smooth", "0"}).find("f.json says what is drawn"), std::string::npos);
    EXPECT_NE(refusal({"--runs", "a", "--out", "b", "--venue", "nature"}).find("allowed neurips"), std::string::npos);
    EXPECT_EQ(refusal({"--runs", "a", "--out", "b", "--x", "wall", "--window", "1,2.5"}), "");
}

TEST(FigureCommand, AFolderWithoutAWorkspaceIsSaid) {
    const QTemporaryDir empty;
    const auto written = write({QStringLiteral("--workspace"), empty.filePath(QStringLiteral("none")),
                                QStringLiteral("--runs"), QStringLiteral("a"), QStringLiteral("--out"), empty.path()});
    ASSERT_FALSE(written.has_value());
    EXPECT_NE(written.error().message.find("none"), std::string::npos);
}

TEST(FigureCommand, AFileAmongTheFiguresOfAWorkspaceIsOfIt) {
    Workspace workspace;
    workspace.record({.steps = 60});
    const QString folder = pathOf(workspace) + QStringLiteral("/figures");
    ASSERT_TRUE(QDir().mkpath(folder + QStringLiteral("/loss")));
    const QTemporaryDir out;
    for (const char* name : {"/mine.json", "/loss/figure.json"}) {
        QFile file(folder + QLatin1String(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(R"({"version": 1, "filter": "dasgd"})");
        file.close();
        const auto written =
            write({file.fileName(), QStringLiteral("--out"), out.filePath(QFileInfo(file).completeBaseName())});
        EXPECT_TRUE(written.has_value()) << written.error().message;
    }
    const auto elsewhere = parseFigureOptions({folder + QStringLiteral("/mine.json"), QStringLiteral("--workspace"),
                                               QStringLiteral("other"), QStringLiteral("--out"), out.path()});
    EXPECT_EQ(elsewhere->workspace, "other") << "what is said goes before what is near";
}

// A default name changes with the runs beside it; a name that somebody chose for a curve would be gone without a word.
TEST(FigureCommand, ANameThatIsNoCurvesIsWarnedOf) {
    Workspace workspace;
    for (const int delay : {1, 3}) workspace.record({.delay = delay, .steps = 8});
    const QTemporaryDir out;
    QFile file(out.filePath(QStringLiteral("named.json")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(R"({"version": 2, "filter": "", "names": {"dasgd d 1": "DaSGD", "dasgd d 2": "no such"}})");
    file.close();
    const auto options = parseFigureOptions({file.fileName(), QStringLiteral("--workspace"), pathOf(workspace),
                                             QStringLiteral("--out"), out.filePath(QStringLiteral("bundle"))});
    ASSERT_TRUE(options.has_value());
    QStringList warnings;
    const auto written = writeFigures(*options, &warnings);
    ASSERT_TRUE(written.has_value()) << written.error().message;
    ASSERT_EQ(warnings.size(), 1) << warnings.join(u'\n').toStdString();
    EXPECT_TRUE(warnings[0].contains(QStringLiteral("no curve is called dasgd d 2"))) << warnings[0].toStdString();
    EXPECT_TRUE(warnings[0].contains(QStringLiteral("dasgd d 3 (delay-sweep/"))) << "and what there is";
    QFile csv(out.filePath(QStringLiteral("bundle/named.csv")));
    ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
    EXPECT_TRUE(csv.readAll().contains("DaSGD")) << "a space of the keyboard means that of the default name";
}

TEST(FigureCommand, AFigureThatIsHigherThanAPageIsWarnedOf) {
    Workspace workspace;
    const QString id = workspace.record({.steps = 60});
    const QTemporaryDir out;
    for (const double inches : {2.0, 9.5}) {
        const QString spec = out.filePath(QStringLiteral("high%1.json").arg(qRound(inches)));
        QFile file(spec);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(QStringLiteral(R"({"version": 1, "runs": ["%1"], "height_in": %2})").arg(id).arg(inches).toUtf8());
        file.close();
        const auto options = parseFigureOptions({spec, QStringLiteral("--workspace"), pathOf(workspace),
                                                 QStringLiteral("--out"), out.filePath(QString::number(inches))});
        ASSERT_TRUE(options.has_value());
        QStringList warnings;
        const auto written = writeFigures(*options, &warnings);
        ASSERT_TRUE(written.has_value()) << written.error().message;
        EXPECT_EQ(warnings.filter(QStringLiteral("more than a page of 9 in")).size(), inches > 9 ? 1 : 0);
    }
}

}  // namespace
}  // namespace dasgd::gui
