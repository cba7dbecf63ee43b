#include "gui/experiment/form/toml_highlighter.h"

#include <gtest/gtest.h>

#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

using Kind = TomlHighlighter::Kind;

// The text of each coloured piece, with its kind.
std::vector<std::pair<Kind, QString>> colored(const QString& line, QString& open) {
    std::vector<std::pair<Kind, QString>> all;
    for (const auto& piece : TomlHighlighter::piecesOf(line, open))
        all.emplace_back(piece.kind, line.mid(piece.from, piece.length));
    return all;
}
using Pieces = std::vector<std::pair<Kind, QString>>;

TEST(TomlHighlighter, KnowsHeadersStringsNumbersAndComments) {
    QString open;
    EXPECT_EQ(colored("[algorithm] # which", open),
              (Pieces{{Kind::Header, "[algorithm] "}, {Kind::Comment, "# which"}}));
    EXPECT_EQ(colored("[[case]]", open), (Pieces{{Kind::Header, "[[case]]"}}));
    EXPECT_EQ(colored("key2 = -0.5e-3", open), (Pieces{{Kind::Number, "-0.5e-3"}})) << "the 2 is part of the key";
    EXPECT_EQ(colored("a = \"# \\\" no\" # yes", open),
              (Pieces{{Kind::String, "\"# \\\" no\""}, {Kind::Comment, "# yes"}}));
    EXPECT_EQ(colored("\"train.seed\" = [1, true]", open),
              (Pieces{{Kind::String, "\"train.seed\""}, {Kind::Number, "1"}, {Kind::Number, "true"}}));
    EXPECT_EQ(open, QString());
}

TEST(TomlHighlighter, AStringOfManyLinesStaysOpen) {
    QString open;
    EXPECT_EQ(colored("a = '''one", open), (Pieces{{Kind::String, "'''one"}}));
    EXPECT_EQ(open, QStringLiteral("'''"));
    EXPECT_EQ(colored("# no 1", open), (Pieces{{Kind::String, "# no 1"}}));
    EXPECT_EQ(colored("end''' # c", open), (Pieces{{Kind::String, "end'''"}, {Kind::Comment, "# c"}}));
    EXPECT_EQ(open, QString());
}

TEST(TomlHighlighter, ColoursFollowTheTheme) {
    QTextDocument document(QStringLiteral("a = 1 # c"));
    Look look(ThemeName::Dark);
    TomlHighlighter highlighter(look, &document);
    highlighter.rehighlight();
    const auto numberColor = [&] { return document.begin().layout()->formats().at(0).format.foreground().color(); };
    EXPECT_EQ(numberColor(), look.theme().accent);
    look.apply(ThemeName::Light);
    EXPECT_EQ(numberColor(), look.theme().accent);
    look.apply(ThemeName::Dark);
}

}  // namespace
}  // namespace dasgd::gui
