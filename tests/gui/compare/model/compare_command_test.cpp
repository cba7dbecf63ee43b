// The table of the Compare page and `dasgd compare --json` of the same runs: whatever changes a number on one side
// alone fails here. What the program says is written as the page writes its own numbers, and must be what the cells
// show.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <cmath>
#include <set>

#include "gui/compare/model/compare_table_model.h"
#include "gui/kit/words/words.h"
#include "tests/gui/support/compare_bench.h"
#include "tests/support/paths.h"

namespace dasgd::gui {
namespace {

constexpr double kShare = 100, kBytes = 1e-6;  // of the page's units: per cent and MB

std::optional<double> numberAt(const QJsonValue& object, const char* key) {
    const QJsonValue value = object[QLatin1String(key)];
    return value.isDouble() ? std::optional(value.toDouble()) : std::nullopt;
}

Sample sampleAt(const QJsonValue& group, const char* key, double scale = 1) {
    const QJsonValue said = group[QLatin1String(key)];
    EXPECT_TRUE(said.isObject()) << key;
    const auto scaled = [&](const char* part) {
        const auto value = numberAt(said, part);
        return value ? std::optional(*value * scale) : std::nullopt;
    };
    return {.n = static_cast<std::size_t>(said[QLatin1String("n")].toInt()),
            .mean = scaled("mean").value_or(0),
            .std = scaled("std"),
            .confidence = scaled("ci95")};
}

// Every cell but the name, as the program's numbers make it.
std::vector<QString> cellsOf(const QJsonValue& group, Spread spread) {
    const auto runs = group[QLatin1String("runs")].toArray().size();
    const auto finished =
        runs - group[QLatin1String("unfinished")].toInteger() - group[QLatin1String("repeated")].toInteger();
    const auto cell = [&](const Sample& sample, const char* p = nullptr) {
        QString text = spreadInWords(sample, spread);
        if (sample.n > 0 && static_cast<qsizetype>(sample.n) < finished)
            text += QStringLiteral(" (%1 of %2)").arg(sample.n).arg(finished);
        const auto probability = p ? numberAt(group, p) : std::nullopt;
        return probability && *probability < kSignificance ? text + QChar(0x2020) : text;
    };
    std::vector<QString> cells(CompareTableModel::kColumns);
    cells[CompareTableModel::Count] =
        finished == runs ? QString::number(finished) : QStringLiteral("%1 of %2").arg(finished).arg(runs);
    const Sample samples = sampleAt(group, "samples");
    cells[CompareTableModel::Samples] = samples.n > 0 ? grouped(std::llround(samples.mean)) : kAbsent;
    cells[CompareTableModel::FinalLoss] = cell(sampleAt(group, "final_loss"), "final_loss_p");
    cells[CompareTableModel::BestAccuracy] = cell(sampleAt(group, "best_accuracy", kShare), "best_accuracy_p");
    cells[CompareTableModel::Perplexity] = cell(sampleAt(group, "best_perplexity"), "best_perplexity_p");
    cells[CompareTableModel::StepMs] = cell(sampleAt(group, "step_ms"), "step_p");
    const auto ratio = [&](const char* key) {
        const Sample said = sampleAt(group, key);
        return ratioInWords(said, spread, said.mean == 1 && !said.std);  // exactly 1 of what is divided by itself
    };
    cells[CompareTableModel::Ratio] = ratio("step_ratio_over_seeds");
    cells[CompareTableModel::ComputeRatio] = ratio("compute_ratio_over_seeds");
    cells[CompareTableModel::ToTarget] = cell(sampleAt(group, "seconds_to_target"), "seconds_to_target_p");
    cells[CompareTableModel::Hidden] = cell(sampleAt(group, "hidden", kShare));
    cells[CompareTableModel::Blocked] = cell(sampleAt(group, "blocked", kShare));
    cells[CompareTableModel::Skew] = cell(sampleAt(group, "skew_ms"));
    const Sample inflation = sampleAt(group, "compute_inflation");
    const bool isUntold = inflation.n == 0 && sampleAt(group, "hidden").n > 0;
    cells[CompareTableModel::Inflation] = isUntold ? QStringLiteral("not known") : cell(inflation);
    cells[CompareTableModel::Sent] = cell(sampleAt(group, "bytes_sent", kBytes));
    cells[CompareTableModel::EqualLoss] = cell(sampleAt(group, "loss_at_equal_samples"));
    cells[CompareTableModel::EqualAccuracy] = cell(sampleAt(group, "best_accuracy_at_equal_samples", kShare));
    return cells;
}

class CompareCommandTest : public CompareBench {
protected:
    // Shows these runs and waits until the page has its numbers of all of them.
    void show(const QStringList& ids) {
        board_.choice.setWatching(true);
        ASSERT_TRUE(eventually([&] {
            return std::ranges::all_of(ids, [&](const QString& id) {
                const RunItemPtr run = session_.runs().find(id);
                return run && !isLive(run->row);
            });
        }));
        board_.choice.setRuns(ids);
        ASSERT_TRUE(eventually(
            [&] { return !board_.choice.groups().empty() && board_.results.row(0) && board_.results.isTargetRead(); }));
    }
    QJsonValue said(const QStringList& arguments) {
        QProcess program;
        const QString workspace = QString::fromStdString(workspace_.path().string());
        program.start(
            QString::fromUtf8(test::kProgram),
            QStringList{QStringLiteral("compare"), QStringLiteral("--json"), QStringLiteral("-w"), workspace} +
                arguments);
        EXPECT_TRUE(program.waitForFinished()) << program.errorString().toStdString();
        EXPECT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
        return QJsonDocument::fromJson(program.readAllStandardOutput()).object();
    }
    // Each configuration of the program has its row in the window, and every cell of that is what the program says.
    void expectSameNumbers(const QJsonValue& program) {
        const QJsonArray groups = program[QLatin1String("groups")].toArray();
        ASSERT_EQ(static_cast<std::size_t>(groups.size()), board_.choice.groups().size());
        EXPECT_EQ(model_.rowCount(), groups.size());
        EXPECT_EQ(board_.results.compared()->comparison.baseline,
                  program[QLatin1String("baseline")].toString().toStdString());
        const auto equal = numberAt(program, "equal_samples");
        EXPECT_EQ(model_.columnCount(), equal ? CompareTableModel::kColumns : CompareTableModel::EqualLoss);
        if (equal) {
            EXPECT_TRUE(model_.headerData(CompareTableModel::EqualLoss, Qt::Horizontal, Qt::DisplayRole)
                            .toString()
                            .endsWith(grouped(std::llround(*equal))));
        }
        for (const QJsonValue& group : groups) {
            const int row = rowOf(group[QLatin1String("runs")].toArray());
            ASSERT_GE(row, 0);
            for (const Spread spread : {Spread::Interval95, Spread::Std, Spread::None}) {
                board_.curves.setSpread(spread);
                const std::vector<QString> cells = cellsOf(group, spread);
                for (int column = CompareTableModel::Count; column < model_.columnCount(); ++column) {
                    EXPECT_EQ(model_.index(row, column).data().toString().toStdString(),
                              cells[static_cast<std::size_t>(column)].toStdString())
                        << group[QLatin1String("configuration")].toString().toStdString() << ", "
                        << model_.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().toStdString();
                }
            }
        }
    }
    // Row of the group of just these runs; -1 where there is none.
    int rowOf(const QJsonArray& ids) {
        std::set<QString> wanted;
        for (const QJsonValue& id : ids) wanted.insert(id.toString());
        for (std::size_t i = 0; i < board_.choice.groups().size(); ++i) {
            std::set<QString> own;
            for (const RunItemPtr& run : board_.choice.groups()[i].runs) own.insert(run->id);
            if (own == wanted) return model_.rowOf(i);
        }
        return -1;
    }

    CompareTableModel model_{board_};
};

TEST_F(CompareCommandTest, SeedsAndARunThatWasStoppedAreTheSameNumbersInBoth) {
    look();
    const QJsonValue program = said({QStringLiteral("-e"), QStringLiteral("delay-sweep")});
    ASSERT_EQ(program[QLatin1String("groups")].toArray().size(), 3);
    expectSameNumbers(program);
}

TEST_F(CompareCommandTest, AnotherBaselineIsTheSameOneInBoth) {
    look();
    const std::size_t baseline = placeOf("d 3");
    const std::string label = board_.results.row(baseline)->label;
    board_.choice.setBaseline(baseline);
    ASSERT_TRUE(eventually([&] { return board_.results.compared()->comparison.baseline == label; }));
    expectSameNumbers(said({QStringLiteral("-e"), QStringLiteral("delay-sweep"), QStringLiteral("--baseline"),
                            QString::fromStdString(label)}));
}

// Computing alone, different numbers of samples, a target that one of two seeds reached, a run that was made twice.
TEST_F(CompareCommandTest, WhatIsNotOfEveryRunIsOfTheSameRunsInBoth) {
    QStringList ids;
    const auto record = [&](const char* algorithm, int seed, std::int64_t steps) {
        ids << workspace_.record({.experiment = "unequal",
                                  .algorithm = algorithm,
                                  .seed = seed,
                                  .ranks = 2,
                                  .steps = steps,
                                  .stepsPerEpoch = 50,
                                  .testLoss = true,
                                  .targetAccuracy = 0.8});
    };
    for (const int seed : {1, 2}) {
        record("sync_sgd", seed, 200);
        record("independent", seed, 200);
        record("dasgd", seed, seed == 1 ? 150 : 60);
    }
    record("sync_sgd", 2, 200);
    show(ids);
    const QJsonValue program = said({QStringLiteral("-e"), QStringLiteral("unequal")});
    ASSERT_EQ(program[QLatin1String("groups")].toArray().size(), 3);
    ASSERT_TRUE(numberAt(program, "equal_samples"));
    expectSameNumbers(program);
    board_.curves.setSpread(Spread::None);
    const int row = model_.rowOf(placeOf("dasgd"));
    EXPECT_TRUE(model_.index(row, CompareTableModel::ToTarget).data().toString().endsWith(QLatin1String(" (1 of 2)")))
        << "the run's own target, as no other is set";
    EXPECT_TRUE(model_.footnote().contains(QLatin1String("target: each run's own")));
}

}  // namespace
}  // namespace dasgd::gui
