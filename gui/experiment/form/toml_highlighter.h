// Syntax colours of TOML: headers, strings, numbers, comments.
#pragma once

#include <QSyntaxHighlighter>

#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

class TomlHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    TomlHighlighter(const Look& look, QTextDocument* document);

    enum class Kind { Plain, Header, String, Number, Comment };
    struct Piece {
        qsizetype from = 0, length = 0;
        Kind kind = Kind::Plain;
        bool operator==(const Piece&) const = default;
    };
    // The coloured pieces of one line. `openString`: on entry the quotes of a string that an earlier line left open, ""
    // for none; on return the same for this line.
    [[nodiscard]] static std::vector<Piece> piecesOf(const QString& line, QString& openString);

protected:
    void highlightBlock(const QString& text) override;

private:
    const Look& look_;
};

}  // namespace dasgd::gui
