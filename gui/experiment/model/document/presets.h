// The experiments that ship with the program, embedded in it.
#pragma once

#include <QString>
#include <vector>

namespace dasgd::gui {

struct Preset {
    QString file;    // ":/suites/delay-sweep.toml"
    QString title;   // the file's `name`, or its stem
    QString remark;  // first sentence of the comment that begins the file; "" where there is none
    QString text;
};

// kFirstPreset first, the others by file name. `folder`: folder of the .toml files, by default the embedded ones.
[[nodiscard]] std::vector<Preset> presetsIn(const QString& folder = QStringLiteral(":/suites"));

}  // namespace dasgd::gui
