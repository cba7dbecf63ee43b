#include "gui/kit/theme/theme.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QGroupBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QVBoxLayout>
#include <cmath>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

double luminance(const QColor& color) {
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(Theme, TextCanBeReadInBoth) {
    for (const ThemeName name : {ThemeName::Dark, ThemeName::Light}) {
        const Theme theme = loadTheme(name);
        EXPECT_GE(contrast(theme.text, theme.background), 7);
        EXPECT_GE(contrast(theme.muted, theme.panel), 4.5);
        EXPECT_GE(contrast(theme.onAccent, theme.accent), 4.5);
        EXPECT_GE(contrast(theme.good, theme.goodTint), 3.9);
        EXPECT_GE(contrast(theme.bad, theme.badTint), 4.5);
        EXPECT_GE(contrast(theme.warn, theme.warnTint), 4.5);
        for (const QColor& curve : theme.curves)
            EXPECT_GE(contrast(curve, theme.panel), 2) << curve.name().toStdString();
    }
}

// A configuration is told by its colour: dark and light may differ in how bright it is, not in which it is.
TEST(Theme, ACurveHasTheSameHueInBoth) {
    const Theme dark = loadTheme(ThemeName::Dark), light = loadTheme(ThemeName::Light);
    constexpr int kMostApart = 10;       // degrees
    constexpr double kLeastColor = 0.2;  // saturation; below it a grey
    for (std::size_t i = 0; i < dark.curves.size(); ++i) {
        const QColor &a = dark.curves[i], &b = light.curves[i];
        SCOPED_TRACE(a.name().toStdString() + " " + b.name().toStdString());
        ASSERT_EQ(a.hsvSaturationF() < kLeastColor, b.hsvSaturationF() < kLeastColor);
        if (a.hsvSaturationF() < kLeastColor) continue;
        const int apart = std::abs(a.hsvHue() - b.hsvHue());
        EXPECT_LE(std::min(apart, 360 - apart), kMostApart);
    }
    for (const Theme& theme : {dark, light}) {
        for (std::size_t i = 0; i < theme.curves.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const bool hues = std::abs(theme.curves[i].hsvHue() - theme.curves[j].hsvHue()) > kMostApart;
                EXPECT_TRUE(hues || contrast(theme.curves[i], theme.curves[j]) > 1.5) << i << ' ' << j;
            }
        }
    }
}

TEST(Theme, AWindowWearsThisThemeAndLaterOnesAndSoDoesWhatComesIntoItLater) {
    Look look(ThemeName::Dark);
    const auto build = [] {
        auto box = std::make_unique<QGroupBox>(QStringLiteral("Title"));
        auto* rows = new QVBoxLayout(box.get());
        rows->setContentsMargins(9, 9, 9, 9);  // those of a window are others
        rows->addWidget(new QPushButton(QStringLiteral("Press")));
        rows->addWidget(new QComboBox);
        rows->addWidget(new QLineEdit(QStringLiteral("text")));
        return box;
    };
    // A widget within another window has no background of its own.
    const auto picture = [](QWidget& widget) { return widget.grab().toImage().convertToFormat(QImage::Format_RGB32); };
    auto window = build();
    const QImage plain = picture(*window);
    look.dress(*window);
    const QImage dressed = picture(*window);
    EXPECT_NE(dressed, plain);
    auto empty = std::make_unique<QWidget>();
    look.dress(*empty);
    auto late = build();
    late->setParent(empty.get());
    late->resize(window->size());
    EXPECT_EQ(picture(*late), dressed);
    look.toggle();
    EXPECT_EQ(window->styleSheet(), look.styleSheet());
    EXPECT_NE(picture(*window), dressed);
    window.reset();
    look.toggle();
    EXPECT_EQ(empty->styleSheet(), look.styleSheet()) << "a window that is gone is forgotten";
}

TEST(Theme, FiguresAreTabularInTheShippedFont) {
    for (const Weight weight : {Weight::Regular, Weight::Medium, Weight::SemiBold}) {
        const QFont font = interFont(25, weight);
        ASSERT_EQ(QFontInfo(font).family(), QStringLiteral("Inter Lab"));
        const QFontMetricsF metrics(font);
        for (const QChar digit : QStringLiteral("023456789")) {
            // Advances are rounded to a 64th of a pixel.
            EXPECT_NEAR(metrics.horizontalAdvance(digit), metrics.horizontalAdvance(QLatin1Char('1')), 0.02);
        }
        for (const QChar sign : QStringLiteral("τdξγαβηµ·–…₀"))
            EXPECT_TRUE(metrics.inFont(sign)) << QString(sign).toStdString();
    }
}

TEST(Theme, TogglingTellsEveryoneAndLeavesNoTokenUnresolved) {
    Look look(ThemeName::Dark);
    QSignalSpy changed(&look, &Look::changed);
    look.toggle();
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(look.theme().name, ThemeName::Light);
    EXPECT_FALSE(look.styleSheet().isEmpty());
    EXPECT_FALSE(look.styleSheet().contains(QLatin1String(": @")));
}

TEST(Theme, TheDesktopsIsNotWhatTheProgramHasSet) {
    const ThemeName system = systemTheme();
    Look look(ThemeName::Dark);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(systemTheme(), system);
        EXPECT_EQ(QApplication::palette().color(QPalette::Window), look.theme().background) << "it stays as it was";
        look.toggle();
    }
}

TEST(Theme, FollowsTheDesktopUntilSomebodyChooses) {
    const ThemeName system = systemTheme();
    const ThemeName other = system == ThemeName::Dark ? ThemeName::Light : ThemeName::Dark;
    const auto desktopChanges = [] {
        QObject window;
        QEvent change(QEvent::ThemeChange);
        QApplication::sendEvent(&window, &change);
        QApplication::processEvents();
    };
    Look look(other);
    desktopChanges();
    EXPECT_EQ(look.theme().name, other) << "it was chosen";
    look.followSystem();
    desktopChanges();
    EXPECT_TRUE(eventually([&] { return look.theme().name == system; }));
    look.toggle();
    desktopChanges();
    QTest::qWait(5);
    EXPECT_EQ(look.theme().name, other);
}

TEST(Theme, WhatWasChosenIsKeptForTheNextWindowUnlessItIsTheDesktops) {
    const ThemeName system = systemTheme();
    const ThemeName other = system == ThemeName::Dark ? ThemeName::Light : ThemeName::Dark;
    Look look(system);
    look.toggle();
    EXPECT_EQ(chosenTheme(), other);
    look.toggle();
    EXPECT_EQ(chosenTheme(), std::nullopt) << "the next window follows the desktop";
}

}  // namespace
}  // namespace dasgd::gui
