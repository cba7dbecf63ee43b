// Logs of ranks, as a launcher leaves them in the folder of a run.
#pragma once

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <filesystem>

namespace dasgd::gui {

inline void writeLog(const std::filesystem::path& workspace, const QString& run, const QString& name,
                     const QByteArray& text) {
    const QDir folder(QString::fromStdString((workspace / "runs" / run.toStdString() / "logs").string()));
    ASSERT_TRUE(folder.mkpath(QStringLiteral(".")));
    QFile file(folder.filePath(name));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text);
}

}  // namespace dasgd::gui
