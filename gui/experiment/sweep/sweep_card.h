// Sweep and cases of an experiment, as rows that edit the text; the number of runs, their estimated duration and the
// forecast of each case. Every change is requested by textWanted() and shown by update().
#pragma once

#include <functional>

#include "gui/experiment/model/sweep/sweep_cases.h"
#include "gui/experiment/model/sweep/sweep_lines.h"
#include "gui/experiment/model/sweep/sweep_text.h"
#include "gui/kit/parts/parts.h"

class QScrollArea;
class QVBoxLayout;

namespace dasgd::gui {

class CaseRow;
class SweepRow;
class SweepTable;

class SweepCard : public Card {
    Q_OBJECT

public:
    SweepCard();

    // The schema gives the fields that can be swept and their specs. Rows are made anew by the next update().
    void setSchema(const ExperimentSchema& schema);
    // Shows the document; one that is no TOML leaves the rows as they are, disabled.
    void update(const ExperimentDocument& document, const std::optional<Problem>& problem);
    // `planned`: number of runs that the dry run found; nullopt until it answers. `takes`: how long they take, and the
    // source of that; "" until it answers.
    void showSize(std::optional<qint64> planned, const QString& takes = {}, const QString& source = {});
    // Shows the forecast of each case; an empty list hides the table.
    void showForecast(const std::vector<SweepLine>& lines);
    // True saves height for the rows: the basis of the estimated time is shown only as a tool tip.
    void setLow(bool low);
    // Puts the cursor into the row of the key. "" means the first row, or "+ field" without rows. False where the key
    // has no row.
    bool focusKey(const QString& key = {});
    // Adds the field with its present value and puts the cursor into its row; a field already swept gets the cursor
    // only.
    void sweepField(const QString& key);
    [[nodiscard]] const std::vector<SweepRow*>& rows() const { return rows_; }
    [[nodiscard]] const std::vector<CaseRow*>& cases() const { return cases_; }
    [[nodiscard]] QString sizeInWords() const { return size_->text(); }

signals:
    void textWanted(const QString& text);
    void focusedLine(int line);
    void caseWanted(int index);  // index into the lines of showForecast()

private:
    void makeBody();
    void makeFoot();
    void showRows(const std::optional<Problem>& problem);
    void showCases(const std::optional<Problem>& problem);
    [[nodiscard]] SweepRow* addRow(const SweptField& swept);
    void addCaseRow();
    void pick(const QWidget& button, const std::function<void(const SweepableField&)>& take);
    void addField(const SweepableField& one);
    void removeField(const QString& key);
    void removeCase(std::size_t index);
    void removeValue(std::size_t index, const QStringList& path);
    void focusValue(std::size_t index, const QString& key);

    ExperimentDocument document_;
    ExperimentSchema schema_;
    QScrollArea* scroll_;
    QVBoxLayout *rowColumn_, *caseColumn_;
    QLabel *words_, *size_, *time_, *basis_;
    SweepTable* table_;
    bool low_ = false;
    QToolButton *addField_, *addCase_;
    std::vector<SweepRow*> rows_;
    std::vector<CaseRow*> cases_;
};

}  // namespace dasgd::gui
