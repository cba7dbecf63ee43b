#include "gui/kit/words/short_names.h"

#include <gtest/gtest.h>

#include <QSet>
#include <algorithm>

namespace dasgd::gui {
namespace {

double letters(const QString& text) { return static_cast<double>(text.size()); }

TEST(ShortNames, WhatFitsStaysAsItIs) {
    const QStringList names{QStringLiteral("dasgd"), QStringLiteral("local_sgd"), QStringLiteral("dasgd")};
    EXPECT_EQ(namesThatFit(names, 9, letters), names);
}

TEST(ShortNames, ALongNameLosesItsMiddle) {
    const QStringList cut = namesThatFit({QStringLiteral("overlap_local_sgd seed 3")}, 12, letters);
    EXPECT_EQ(cut.front(), QStringLiteral("overla…eed 3"));
}

TEST(ShortNames, SymbolsComeCloseToTheirValuesBeforeNamesAreNumbered) {
    QStringList names, brief;
    for (const char* rate : {"0.1", "0.02"}) {
        for (int delay = 1; delay <= 3; ++delay) {
            const QString value = QString::fromLatin1(rate);
            names << QStringLiteral("dasgd τ\u00a04 d\u00a0%1 η\u00a0%2").arg(delay).arg(value);
            brief << QStringLiteral("d%1 η%2").arg(delay).arg(value);
        }
    }
    EXPECT_EQ(namesThatFit(names, 8, letters), brief);
}

TEST(ShortNames, TwentyFourRunsKeepTwentyFourNames) {
    QStringList names;
    for (int period : {4, 8, 16}) {
        for (int seed = 1; seed <= 8; ++seed) {
            names << QStringLiteral(
                         "delay-and-period-sweep / dasgd τ %1 d 3 ξ 0.25 on two hosts at 250 Mbit seed %2 of ten")
                         .arg(period)
                         .arg(seed);
        }
    }
    for (const int room : {60, 30, 12}) {
        const QStringList cut = namesThatFit(names, room, letters);
        EXPECT_EQ(QSet<QString>(cut.begin(), cut.end()).size(), names.size()) << room;
        for (const QString& name : cut) EXPECT_LE(name.size(), room) << name.toStdString();
    }
    EXPECT_TRUE(namesThatFit(names, 40, letters).front().contains(QStringLiteral("seed 1"))) << "what differs is seen";
}

TEST(ShortNames, WhatIsCutTwiceIsToldApartFromAllOthers) {
    QStringList names;
    for (const int period : {2, 4, 8}) {
        for (const int delay : {0, 1, 2}) {
            names << QStringLiteral(
                         "delay-period / dasgd τ %1 d %2 eval_every 24 backend threads epochs 2 target_accuracy 0.85")
                         .arg(period)
                         .arg(delay);
        }
    }
    for (const char* other : {"sync_sgd", "local_sgd τ 4", "easgd τ 4", "slowmo H 4"})
        names << QStringLiteral("baselines / %1 eval_every 24 backend threads target_accuracy 0.85")
                     .arg(QLatin1String(other));
    for (int room = 12; room < 90; ++room) {
        const QStringList cut = namesThatFit(names, room, letters);
        EXPECT_EQ(QSet<QString>(cut.begin(), cut.end()).size(), names.size()) << room;
        for (const QString& name : cut) EXPECT_LE(name.size(), room) << name.toStdString();
    }
}

TEST(ShortNames, TheFirstWordAndWhatDiffersStay) {
    const QStringList names{QStringLiteral("dasgd τ\u00a02 d\u00a00 epochs\u00a02 (delay-period)"),
                            QStringLiteral("dasgd τ\u00a08 d\u00a01 epochs\u00a02 (delay-period)"),
                            QStringLiteral("overlap_local_sgd τ\u00a04 epochs\u00a02 (baselines)")};
    EXPECT_EQ(namesThatFit(names, 22, letters),
              (QStringList{QStringLiteral("dasgd τ\u00a02 d\u00a00 …"), QStringLiteral("dasgd τ\u00a08 d\u00a01 …"),
                           QStringLiteral("overlap_local_sgd …")}));
    const QStringList middles{QStringLiteral("overlap_local_sgd τ\u00a02 (sweep)"),
                              QStringLiteral("overlap_local_sgd τ\u00a08 (sweep)")};
    EXPECT_EQ(namesThatFit(middles, 16, letters),
              (QStringList{QStringLiteral("overla…l_sgd τ\u00a02"), QStringLiteral("overla…l_sgd τ\u00a08")}));
    const QStringList experiments{QStringLiteral("sync_sgd (baselines)"), QStringLiteral("sync_sgd (first-light)")};
    EXPECT_EQ(namesThatFit(experiments, 14, letters),
              (QStringList{QStringLiteral("sync_sgd (b…s)"), QStringLiteral("sync_sgd (f…t)")}));
}

// The bandwidth, which is cut first where τ and d have more values, is all that tells two of them apart.
TEST(ShortNames, AHundredConfigurationsAreToldByWhatDiffers) {
    QStringList names;
    for (int period = 1; period <= 10; ++period) {
        for (int delay = 1; delay <= 5; ++delay) {
            for (const char* bandwidth : {"100Mbps", "1Gbps"})
                names << QStringLiteral("dasgd τ\u00a0%1 d\u00a0%2 bandwidth\u00a0%3 (tau-d-sweep)")
                             .arg(period)
                             .arg(delay)
                             .arg(QLatin1String(bandwidth));
        }
    }
    EXPECT_EQ(namesThatFit(names, 30, letters).front(), QStringLiteral("τ\u00a01 d\u00a01 bandwidth\u00a0100Mbps"));
    EXPECT_EQ(namesThatFit(names, 22, letters).front(), QStringLiteral("τ\u00a01 d\u00a01 ban.\u00a0100Mbps"));
    for (int room = 16; room < 40; ++room) {
        const QStringList cut = namesThatFit(names, room, letters);
        EXPECT_EQ(QSet<QString>(cut.begin(), cut.end()).size(), names.size()) << room;
        EXPECT_TRUE(cut.filter(QStringLiteral("#")).isEmpty()) << room << cut.front().toStdString();
        for (const QString& name : cut)
            EXPECT_TRUE(name.endsWith(QLatin1String("bps")) || name.contains(u"bps ")) << room << name.toStdString();
    }
}

// A legend and the bars beside it have the same names in another order.
TEST(ShortNames, ANumberDoesNotDependOnTheOrder) {
    QStringList names{QStringLiteral("alpha-beta-gamma"), QStringLiteral("alpha-delta-gamma"),
                      QStringLiteral("alpha-eta-gamma")};
    const QStringList cut = namesThatFit(names, 6, letters);
    ASSERT_TRUE(cut.front().contains(QLatin1Char('#'))) << cut.front().toStdString();
    std::reverse(names.begin(), names.end());
    QStringList other = namesThatFit(names, 6, letters);
    std::reverse(other.begin(), other.end());
    EXPECT_EQ(cut, other);
}

TEST(ShortNames, ExperimentsAreNotCutLikeSettings) {
    const QStringList names{QStringLiteral("dasgd τ\u00a04 d\u00a03 (failing,\u00a0stopped)"),
                            QStringLiteral("dasgd τ\u00a02 d\u00a01 (failing,\u00a0stopped)"),
                            QStringLiteral("dasgd τ\u00a04 d\u00a01 (tau-d)")};
    EXPECT_EQ(namesThatFit(names, 24, letters).front(), QStringLiteral("τ4 d3 (failing,\u00a0stopped)"));
}

TEST(ShortNames, ANumberOfItsOwnIsNotTakenForOneThatIsGiven) {
    const QStringList names{QStringLiteral("alpha-beta-gamma"), QStringLiteral("alpha-delta-gamma"),
                            QStringLiteral("alpha-#1"), QStringLiteral("a…a #1")};
    for (int room = 4; room < 18; ++room) {
        const QStringList cut = namesThatFit(names, room, letters);
        EXPECT_EQ(QSet<QString>(cut.begin(), cut.end()).size(), names.size()) << room;
    }
}

TEST(ShortNames, NoRoomAtAllIsNoError) {
    EXPECT_EQ(namesThatFit({QStringLiteral("a"), QStringLiteral("b")}, 0, letters).size(), 2);
    EXPECT_TRUE(namesThatFit({}, 10, letters).isEmpty());
}

}  // namespace
}  // namespace dasgd::gui
