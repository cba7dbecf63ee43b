// Which kinds of spans are drawn, as a check for each.
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
    // Names of the kinds that are not drawn; of those without a check what was set.
    void setHidden(const QStringList& hidden);
    [[nodiscard]] QStringList hidden() const;

signals:
    void changed();

private:
    std::vector<QCheckBox*> checks_;
    QStringList others_;
};

}  // namespace dasgd::gui
