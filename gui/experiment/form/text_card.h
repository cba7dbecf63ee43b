// The card around the text of an experiment: the file's name above it, the error below.
#pragma once

#include "gui/experiment/form/toml_editor.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

class TextCard : public Card {
    Q_OBJECT

public:
    explicit TextCard(const Look& look);

    [[nodiscard]] TomlEditor& editor() const { return *editor_; }
    // `step`: words that say whether the form shows the text; "" hides them.
    void showFile(const QString& name, const QString& step);
    // Shows each problem on a line, at most the first few; hides the strip if there is none.
    void showProblems(const std::vector<Problem>& problems);

private:
    TomlEditor* editor_;
    QLabel *file_, *step_, *error_, *way_;
    QFrame* strip_;
};

}  // namespace dasgd::gui
