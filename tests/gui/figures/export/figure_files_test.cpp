#include "gui/figures/export/figure_files.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>
#include <cmath>

namespace dasgd::gui {
namespace {

TEST(FigureFiles, CsvIsTextEvenWhereANameLooksLikeAFormula) {
    const Curve curve{.name = QStringLiteral("=cmd()\"x"),
                      .line = {{1, 2}, {0.5, 0.25}},
                      .deviation = {0.1, std::nan("")},
                      .n = {2, 1},
                      .note = QStringLiteral("seed 3")};
    EXPECT_EQ(curvesCsv({curve}, {.x = QStringLiteral("step"), .y = QStringLiteral("loss")}, QStringLiteral("std")),
              QStringLiteral("curve,\"step\",\"loss\",std,n,left_out\n\"'=cmd()\"\"x\",1,0.5,0.1,2,\"seed 3\"\n"
                             "\"'=cmd()\"\"x\",2,0.25,,1,\"seed 3\"\n"));
}

TEST(FigureFiles, SeedsBehindAMeanHaveRowsOfTheirOwn) {
    Curve mean{.name = QStringLiteral("dasgd (mean, n = 2)"), .line = {{1, 2}, {3, 4}}};
    mean.behind = {{{1, 2}, {2, 3}}, {{1, 2}, {4, 5}}};
    mean.behindNames = QStringList{QStringLiteral("=seed 1"), QStringLiteral("dasgd, seed 2")};
    const QStringList rows = curvesCsv({mean}, {}, QStringLiteral("std")).trimmed().split(QLatin1Char('\n'));
    ASSERT_EQ(rows.size(), 7);
    EXPECT_EQ(rows[3], QStringLiteral("\"'=seed 1\",1,2,,1,\"\""));
    EXPECT_EQ(rows[6], QStringLiteral("\"dasgd, seed 2\",2,5,,1,\"\""));
}

TEST(FigureFiles, SpansHaveTheirTimesToTheNanosecond) {
    const storage::SpanRow row{.rank = 1,
                               .span = {.lane = Lane::Comm,
                                        .kind = SpanKind::Transfer,
                                        .step = 4,
                                        .start = 1'000'000'001,
                                        .end = 1'500'000'000,
                                        .bytes = 80}};
    EXPECT_EQ(spansCsv({row}), QStringLiteral("rank,lane,kind,step,start_s,end_s,bytes\n"
                                              "1,comm,transfer,4,1.000000001,1.500000000,80\n"));
}

TEST(FigureFiles, AFileThatCannotBeWrittenIsSaid) {
    const Status done = writeText(QStringLiteral("x"), QStringLiteral("/no/such/a.csv"));
    ASSERT_FALSE(done.has_value());
    EXPECT_NE(done.error().message.find("/no/such/a.csv"), std::string::npos);
}

TEST(FigureFiles, AConfigurationWithoutAMeanHasARowThatSaysWhy) {
    const Curve none{.name = QStringLiteral("dasgd (no mean)"), .note = QStringLiteral("no mean, seeds apart")};
    const Curve guide{.name = QStringLiteral("ideal"), .kind = Curve::Kind::Guide};
    EXPECT_EQ(curvesCsv({none, guide}, {.x = QStringLiteral("t"), .y = QStringLiteral("loss")}, QStringLiteral("std")),
              QStringLiteral("curve,\"t\",\"loss\",std,n,left_out\n"
                             "\"dasgd (no mean)\",,,,0,\"no mean, seeds apart\"\n"));
}

}  // namespace
}  // namespace dasgd::gui
