#include "gui/experiment/model/document/presets.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <algorithm>

#include "gui/experiment/model/document/experiment_document.h"

namespace dasgd::gui {

namespace {

// Default experiment of `./lab run`, shown first.
const QString kFirstPreset = QStringLiteral("first-light.toml");

// First sentence of the comment that begins the file; "et al." is not its end.
QString firstSentence(const QString& toml) {
    QStringList words;
    for (const QString& line : toml.split(u'\n')) {
        if (!line.startsWith(u'#')) break;
        words << line.mid(1).trimmed();
    }
    static const QRegularExpression end(QStringLiteral("(?<!\\bal|\\bvs|e\\.g|i\\.e)[.?!](?=\\s|$)"));
    const QString comment = words.join(u' ');
    const qsizetype at = comment.indexOf(end);
    return at < 0 ? comment : comment.left(at + 1);
}

}  // namespace

std::vector<Preset> presetsIn(const QString& folder) {
    std::vector<Preset> presets;
    QFileInfoList files = QDir(folder).entryInfoList({QStringLiteral("*.toml")}, QDir::Files, QDir::Name);
    std::ranges::stable_sort(files, {}, [](const QFileInfo& file) { return file.fileName() != kFirstPreset; });
    for (const QFileInfo& info : files) {
        QFile file(info.filePath());
        if (!file.open(QIODevice::ReadOnly)) continue;
        const QString text = QString::fromUtf8(file.readAll());
        const QString name = ExperimentDocument(text).name();
        presets.push_back(
            {info.filePath(), name.isEmpty() ? info.completeBaseName() : name, firstSentence(text), text});
    }
    return presets;
}

}  // namespace dasgd::gui
