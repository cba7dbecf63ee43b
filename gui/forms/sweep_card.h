// What an experiment sweeps and which cases it has, as rows that edit the text; how many runs that makes, about how
// long they take, and what is forecast of each. Asks for every change by textWanted() and shows what came of it by
// update().
#pragma once

#include <functional>

#include "gui/models/sweep/sweep_cases.h"
#include "gui/models/sweep/sweep_lines.h"
#include "gui/models/sweep/sweep_text.h"
#include "gui/models/sweep/sweep_time.h"
#include "gui/widgets/parts.h"

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

    // Which fields are offered, and what is known of those that are swept.
    void setSchema(const ExperimentSchema& schema);
    // One that is no TOML leaves the rows as they are, disabled.
    void update(const ExperimentDocument& document, const std::optional<Problem>& problem);
    // `planned`: how many runs the dry run found; nullopt while it has not answered. `time`: nullopt where it is not
    // known which runs there will be.
    void showSize(std::optional<qint64> planned, const std::optional<SweepTime>& time);
    // What is forecast of each case; none: no table.
    void showForecast(const std::vector<SweepLine>& lines);
    // Where it is low it leaves its room to the rows: what the time is from is a tool tip.
    void setLow(bool low);
    // Puts the cursor into the row of the key, of the first row where it is "", or on "+ field" without any. False
    // where there is no row of that key.
    bool focusKey(const QString& key = {});
    // Adds the field with its present value and puts the cursor there; goes to its row where it is swept already.
    void sweepField(const QString& key);
    [[nodiscard]] const std::vector<SweepRow*>& rows() const { return rows_; }
    [[nodiscard]] const std::vector<CaseRow*>& cases() const { return cases_; }
    [[nodiscard]] QString sizeInWords() const { return size_->text(); }

signals:
    void textWanted(const QString& text);
    void focusedLine(int line);
    void caseWanted(int index);  // of showForecast()

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
