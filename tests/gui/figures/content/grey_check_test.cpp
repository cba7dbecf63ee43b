#include "gui/figures/content/grey_check.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

Curve greyStyled(const char* name, CurveStyle style) {
    return {.name = QLatin1String(name), .style = style, .line = {{1, 2}, {3, 4}}};
}

FigureContent greyContent(std::vector<Curve> curves) {
    FigureContent content;
    content.curves = std::move(curves);
    return content;
}

// Blue and green of Okabe and Ito are about equally light, vermillion is lighter than blue.
TEST(GreyCheck, EquallyLightColoursNeedADashOrAMarker) {
    const FigureContent apart = greyContent({greyStyled("dasgd", {0, 0, 0}), greyStyled("local_sgd", {2, 2, 2})});
    EXPECT_EQ(checkGrey(apart, {}).alike, 1);
    EXPECT_TRUE(checkGrey(apart, {}).good());
    EXPECT_EQ(checkGrey(apart, {}).inWords(), QStringLiteral("in grey 1 pair looks alike: dash or marker differs"));
    const FigureContent same = greyContent({greyStyled("dasgd", {0, 1, 1}), greyStyled("local_sgd", {2, 1, 1})});
    EXPECT_FALSE(checkGrey(same, {}).good());
    EXPECT_EQ(checkGrey(same, {}).inWords(), QStringLiteral("in grey nothing tells dasgd from local_sgd"));
    const FigureContent light = greyContent({greyStyled("dasgd", {0, 0, 0}), greyStyled("sync_sgd", {1, 0, 0})});
    EXPECT_EQ(checkGrey(light, {}).alike, 0);
    EXPECT_EQ(checkGrey(light, {}).inWords(), QStringLiteral("in grey all differ"));
}

TEST(GreyCheck, WhatIsNotDrawnTellsNothingApart) {
    const FigureContent byDash = greyContent({greyStyled("a", {0, 0, 3}), greyStyled("b", {2, 5, 3})});
    const FigureContent byMarker = greyContent({greyStyled("a", {0, 3, 0}), greyStyled("b", {2, 3, 5})});
    FigureSpec spec;
    spec.dashes = false;
    EXPECT_FALSE(checkGrey(byDash, spec).good());
    EXPECT_TRUE(checkGrey(byMarker, spec).good());
    spec.dashes = true;
    spec.markers = false;
    EXPECT_TRUE(checkGrey(byDash, spec).good());
    EXPECT_FALSE(checkGrey(byMarker, spec).good());
}

TEST(GreyCheck, PanelsAddUpAndWhatIsNamedBesideItIsNotChecked) {
    FigureContent panels{.kind = FigureKind::Panels};
    panels.panels = {greyContent({greyStyled("a", {0, 0, 0}), greyStyled("b", {2, 2, 2})}),
                     greyContent({greyStyled("c", {0, 1, 1}), greyStyled("d", {2, 1, 1})})};
    FigureSpec spec{.kind = FigureKind::Panels};
    spec.panels.resize(2);
    EXPECT_EQ(checkGrey(panels, spec).alike, 2);
    EXPECT_EQ(checkGrey(panels, spec).inWords(), QStringLiteral("in grey nothing tells c from d"));
    EXPECT_EQ(checkGrey(greyContent({greyStyled("alone", {0, 0, 0})}), {}).inWords(), QString());
    FigureContent bars{.kind = FigureKind::Bars};
    bars.bars.emplace();
    EXPECT_FALSE(checkGrey(bars, {}).any);
}

}  // namespace
}  // namespace dasgd::gui
