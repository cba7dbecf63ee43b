// The form of an experiment, made from the schema. Sections that the text does not name are folded into one line; their
// rows are made when they are first shown.
#pragma once

#include <QScrollArea>
#include <QTimer>
#include <optional>
#include <vector>

#include "gui/experiment/form/section_form.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace dasgd::gui {

class ExperimentForm : public QScrollArea {
    Q_OBJECT

public:
    explicit ExperimentForm(const Look& look);

    void setSchema(const ExperimentSchema& schema);
    // Shows the document; one that is no TOML leaves the form as it is, disabled. Sections that lack their rows are
    // made one per event-loop turn, so that keys and clicks are handled in between.
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
    // Sections that the algorithm of the text does not read, or its backend refuses; none where runs differ in that.
    [[nodiscard]] QStringList unreadSections() const;

    const Look& look_;
    QWidget* inner_;
    QVBoxLayout* column_;
    QLabel* blocked_;
    QPushButton* more_;
    struct Part {
        SectionForm* form;
        QFrame* line;       // separator above the section
        bool required;      // true if the section has no default; it is then shown wherever it is read
        bool stale = true;  // true until the section shows the current document
        bool shown = false;
        [[nodiscard]] bool mayHave(const QString& key) const;
    };
    void refresh(Part& part);
    void refreshNext();
    std::vector<Part> parts_;
    ExperimentSchema schema_;
    QTimer later_;  // runs refreshNext() while a shown part is stale
    ExperimentDocument document_;
    std::vector<Problem> problems_;
    QString revealed_;  // section that stays unfolded
    bool open_ = false;
};

}  // namespace dasgd::gui
