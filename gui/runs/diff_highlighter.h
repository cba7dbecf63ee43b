// Colours of a diff, within a text that may have other lines before it.
#pragma once

#include <QSyntaxHighlighter>

#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

class DiffHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    DiffHighlighter(const Look& look, QTextDocument* document);

    enum class Kind { Plain, File, Hunk, Added, Removed };
    // Position of a line: before a diff, in the header of a file, or in the changes of that file.
    enum class Place { Before, Head, Changes };
    // `place`: position of the previous line; set to that of this line. A comment ("# …") ends a diff, since git begins
    // no line so.
    [[nodiscard]] static Kind kindOf(const QString& line, Place& place);

protected:
    void highlightBlock(const QString& text) override;

private:
    const Look& look_;
};

}  // namespace dasgd::gui
