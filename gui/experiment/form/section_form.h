// One section of the form: its name, a row for each field that the text sets, and one line for those at their default.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "gui/experiment/form/field_row.h"
#include "gui/experiment/model/document/experiment_document.h"

class QPushButton;
class QVBoxLayout;

namespace dasgd::gui {

class SectionForm : public QWidget {
    Q_OBJECT

public:
    SectionForm(const SchemaSection& section, const Look& look);

    [[nodiscard]] QString name() const { return QString::fromStdString(section_.name); }
    // Shows the section's values of the document, and the `problems` of its keys.
    void update(const ExperimentDocument& document, const std::vector<Problem>& problems);
    // True if the rows for the document's plug-in exist, so that update() need not make them, which takes some
    // milliseconds.
    [[nodiscard]] bool hasRowsFor(const ExperimentDocument& document) const {
        return plugin_ == document.pluginOf(section_);
    }
    // The row of the key, unfolded where it has to be; null where this section has none.
    [[nodiscard]] FieldRow* reveal(const QString& key);
    [[nodiscard]] const std::vector<FieldRow*>& rows() const { return rows_; }

signals:
    void edited(const QString& key, const dasgd::FieldInfo& field, const QString& written);
    void pluginChosen(const QString& section, const QString& plugin);
    void focused(const QString& key);
    void sweepWanted(const QString& key);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeRows(const QString& plugin);
    void addRow(const FieldInfo& field, const QString& key, const QString& label);
    void fold(const ExperimentDocument& document);
    void sayFolded();

    SchemaSection section_;
    const Look& look_;
    QVBoxLayout* column_;
    QPushButton* more_;
    std::vector<FieldRow*> rows_;
    std::optional<QString> plugin_;  // plug-in whose fields the rows show; nullopt before there are rows
    ExperimentDocument document_;
    QString revealed_;    // key that stays unfolded
    QStringList folded_;  // fields that stand at their default
    bool open_ = false;
};

}  // namespace dasgd::gui
