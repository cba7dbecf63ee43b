// A figure as a form. Each row is a field of its JSON, and typed values are checked like those of a file: the same
// values are refused with the same message, shown under the field.
#pragma once

#include <QJsonValue>
#include <QWidget>
#include <vector>

#include "gui/figures/model/figure_spec.h"
#include "gui/kit/theme/theme.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace dasgd::gui {

// A curve that the user can rename.
struct NamedCurve {
    QString key, usualName;
    QString count;  // number of its runs in words: "n 4 of 5"
    bool operator==(const NamedCurve&) const = default;
};

class FigureForm : public QWidget {
    Q_OBJECT

public:
    explicit FigureForm(const Look& look, QWidget* parent = nullptr);
    ~FigureForm() override;

    // Shows the figure. Text being typed is kept as long as it means the same value.
    void show(const FigureSpec& spec);
    // True hides page and caption, which a panel does not have.
    void setPanel(bool panel);
    void setCurves(const std::vector<NamedCurve>& curves);
    // Takes over text being typed in fields that otherwise take it only when typing ends.
    void commit();
    [[nodiscard]] const FigureSpec& spec() const { return spec_; }
    // The editor of a field, by its key in JSON.
    [[nodiscard]] QWidget* editor(const QString& key) const;
    // Error of a field's typed value; "" for none.
    [[nodiscard]] QString problemOf(const QString& key) const;

signals:
    void changed(const dasgd::gui::FigureSpec& spec);

private:
    struct Row;

    void fill();
    void addHead(const QString& title);
    void addRow(std::unique_ptr<Row> row);
    void makeEditor(Row& row);
    void showRow(Row& row, const QJsonObject& object);
    void take(Row& row);
    void relabelCurves();
    void takeName(const QString& key, const QString& name);
    void arrange();

    const Look& look_;
    FigureSpec spec_;
    bool panel_ = false;
    QLabel* pageHead_ = nullptr;  // heading of the fields that a panel does not have
    QVBoxLayout* column_;
    std::vector<std::unique_ptr<Row>> rows_;
    QWidget* curvesBox_ = nullptr;
    QVBoxLayout* curvesColumn_ = nullptr;
    std::vector<NamedCurve> curves_;
};

}  // namespace dasgd::gui
