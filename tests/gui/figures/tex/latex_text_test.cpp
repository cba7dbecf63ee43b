#include <gtest/gtest.h>

#include "gui/figures/tex/latex.h"

namespace dasgd::gui {
namespace {

TEST(LatexText, NothingInANameIsACommand) {
    EXPECT_EQ(latexText(QStringLiteral("\\input{/etc/passwd}")),
              QStringLiteral("\\textbackslash{}input\\{/etc/passwd\\}"));
    EXPECT_EQ(latexText(QStringLiteral("50 % & a_b #1 $x$ ~^")),
              QStringLiteral("50 \\% \\& a\\_b \\#1 {\\char36}x{\\char36} \\textasciitilde{}\\textasciicircum{}"));
    EXPECT_EQ(latexText(QStringLiteral("[2pt] * a")), QStringLiteral("{[}2pt] * a")) << "no argument of the row before";
    EXPECT_EQ(latexText(QStringLiteral("*")), QStringLiteral("{*}"));
    EXPECT_EQ(latexText(QStringLiteral("a\nb\x7f")), QStringLiteral("a b "));
    EXPECT_EQ(latexText(QStringLiteral("\"=cmd()\"")), QStringLiteral("''=cmd()''"));
}

TEST(LatexText, SymbolsOfSettingsAreMathematics) {
    EXPECT_EQ(latexText(QStringLiteral("τ 4 ± ξ")), QStringLiteral("$\\tau$ 4 $\\pm$ $\\xi$"));
    EXPECT_EQ(latexText(QStringLiteral("café")), QStringLiteral("café"));
    EXPECT_EQ(latexText(QStringLiteral("中")), QStringLiteral("U+4E2D"));
}

}  // namespace
}  // namespace dasgd::gui
