// Loads the schema from the program once, without waiting.
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>

#include "core/base/schema/experiment_schema.h"

namespace dasgd::gui {

class SchemaLoader : public QObject {
    Q_OBJECT

public:
    // `program`: path of `dasgd`, "" where there is none.
    explicit SchemaLoader(QString program, QObject* parent = nullptr);
    // Starts `dasgd describe --json`. Does nothing while it runs, or once it has succeeded.
    void load();
    [[nodiscard]] const ExperimentSchema& schema() const { return schema_; }  // empty until loaded()

signals:
    void loaded();
    void failed(const QString& message);  // with the remedy

private:
    void finish(int status);

    QString program_;
    QProcess process_;
    ExperimentSchema schema_;
};

}  // namespace dasgd::gui
