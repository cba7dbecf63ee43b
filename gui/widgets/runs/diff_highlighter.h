// Colours of a diff, within a text that may have other lines before it.
#pragma once

#include <QSyntaxHighlighter>

#include "gui/theme/theme.h"

namespace dasgd::gui {

class DiffHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    DiffHighlighter(const Look& look, QTextDocument* document);

    enum class Kind { Plain, File, Place, Added, Removed };
    // `inDiff`: whether an earlier line began a diff; set to whether this one or an earlier one did. A comment of ours
    // ("# …") ends it: git begins no line so.
    [[nodiscard]] static Kind kindOf(const QString& line, bool& inDiff);

protected:
    void highlightBlock(const QString& text) override;

private:
    const Look& look_;
};

}  // namespace dasgd::gui
