#include "gui/models/curves/short_names.h"

#include <gtest/gtest.h>

#include <QSet>

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

TEST(ShortNames, NoRoomAtAllIsNoError) {
    EXPECT_EQ(namesThatFit({QStringLiteral("a"), QStringLiteral("b")}, 0, letters).size(), 2);
    EXPECT_TRUE(namesThatFit({}, 10, letters).isEmpty());
}

}  // namespace
}  // namespace dasgd::gui
