// Check boxes that choose the kinds of spans to draw.
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

class QCheckBox;

namespace dasgd::gui {

class KindChecks : public QWidget {
    Q_OBJECT

public:
    explicit KindChecks(QWidget* parent = nullptr);
    // Names of the kinds that are not drawn. Names without a check box are kept as they were set.
    void setHidden(const QStringList& hidden);
    [[nodiscard]] QStringList hidden() const;

signals:
    void changed();

private:
    std::vector<QCheckBox*> checks_;
    QStringList others_;
};

}  // namespace dasgd::gui
