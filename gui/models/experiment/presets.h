// The experiments that ship with the program, embedded in it.
#pragma once

#include <QString>
#include <vector>

namespace dasgd::gui {

struct Preset {
    QString file;    // ":/suites/delay-sweep.toml"
    QString title;   // the file's `name`, or its stem
    QString remark;  // first sentence of the comment that it begins with, "" where there is none
    QString text;
};

// What `./lab run` trains first, the others by file. `folder`: of the .toml files, by default those that are embedded.
[[nodiscard]] std::vector<Preset> presetsIn(const QString& folder = QStringLiteral(":/suites"));

}  // namespace dasgd::gui
