#include "gui/runs/diff_highlighter.h"

#include <gtest/gtest.h>

#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

using DiffKind = DiffHighlighter::Kind;

TEST(DiffHighlighter, KnowsLinesOfADiffFromThoseBeforeIt) {
    auto place = DiffHighlighter::Place::Before;
    const auto kind = [&place](const char* line) { return DiffHighlighter::kindOf(QString::fromLatin1(line), place); };
    EXPECT_EQ(kind("-not a diff"), DiffKind::Plain);
    EXPECT_EQ(kind("diff --git a/x b/x"), DiffKind::File);
    EXPECT_EQ(kind("--- a/x"), DiffKind::File);
    EXPECT_EQ(kind("+++ b/x"), DiffKind::File);
    EXPECT_EQ(kind("@@ -1 +1 @@"), DiffKind::Hunk);
    EXPECT_EQ(kind("-old"), DiffKind::Removed);
    EXPECT_EQ(kind("--- a removed comment of SQL"), DiffKind::Removed);
    EXPECT_EQ(kind("+++ counted"), DiffKind::Added);
    EXPECT_EQ(kind("+new"), DiffKind::Added);
    EXPECT_EQ(kind(" same"), DiffKind::Plain);
    EXPECT_EQ(kind(""), DiffKind::Plain);
    EXPECT_EQ(kind("+# a comment that was added"), DiffKind::Added);
    EXPECT_EQ(kind("# uncommitted in run-2"), DiffKind::Plain);
    EXPECT_EQ(kind("+behind it"), DiffKind::Plain);
}

TEST(DiffHighlighter, ColoursTheDocument) {
    QTextDocument document;
    DiffHighlighter highlighter(testLook(), &document);
    document.setPlainText(QStringLiteral("a = 1\n\ndiff --git a/x b/x\n@@ -1 +1 @@\n+new\n-old\n same"));
    highlighter.rehighlight();
    const auto colorOf = [&](int line) {
        const auto formats = document.findBlockByNumber(line).layout()->formats();
        return formats.isEmpty() ? QColor() : formats.front().format.foreground().color();
    };
    EXPECT_EQ(colorOf(0), QColor());
    EXPECT_EQ(colorOf(4), testLook().theme().good);
    EXPECT_EQ(colorOf(5), testLook().theme().bad);
    EXPECT_EQ(colorOf(6), QColor());
}

}  // namespace
}  // namespace dasgd::gui
