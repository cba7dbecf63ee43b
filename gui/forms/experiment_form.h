// The form of an experiment, made from the schema. Sections that the text does not name are one line that opens; they
// get their rows when they are first shown.
#pragma once

#include <QScrollArea>
#include <QTimer>
#include <optional>
#include <vector>

#include "gui/forms/section_form.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace dasgd::gui {

class ExperimentForm : public QScrollArea {
    Q_OBJECT

public:
    explicit ExperimentForm(const Look& look);

    void setSchema(const ExperimentSchema& schema);
    // Shows the document; one that is no TOML leaves the form as it is, disabled. Sections whose rows are to be made
    // follow one by one, so that keys and clicks come between.
    void update(const ExperimentDocument& document, const std::vector<Problem>& problems);
    // Puts the cursor into the field; false where the form has none of that key.
    bool focusKey(const QString& key);
    // The row of the key, shown or folded; null where there is none.
    [[nodiscard]] FieldRow* rowOf(const QString& key);

signals:
    void edited(const QString& key, const dasgd::FieldInfo& field, const QString& written);
    void pluginChosen(const QString& section, const QString& plugin);
    void focused(const QString& key);
    void sweepWanted(const QString& key);

private:
    void addSection(const SchemaSection& section);
    void fold();

    const Look& look_;
    QWidget* inner_;
    QVBoxLayout* column_;
    QLabel* blocked_;
    QPushButton* more_;
    struct Part {
        SectionForm* form;
        QFrame* line;       // above it
        bool required;      // has no default: always shown
        bool stale = true;  // does not show the document yet
        bool shown = false;
        [[nodiscard]] bool mayHave(const QString& key) const;
    };
    void refresh(Part& part);
    void refreshNext();
    std::vector<Part> parts_;
    QTimer later_;  // while a part that is shown is stale
    ExperimentDocument document_;
    std::vector<Problem> problems_;
    QString revealed_;  // section that stays unfolded
    bool open_ = false;
};

}  // namespace dasgd::gui
