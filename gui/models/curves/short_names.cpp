#include "gui/models/curves/short_names.h"

#include <QHash>
#include <QMap>
#include <QSet>
#include <algorithm>

namespace dasgd::gui {

namespace {

using Width = std::function<double(const QString&)>;
const QString kCut = QStringLiteral("…");

QString withoutMiddle(const QString& name, double room, const Width& widthOf) {
    if (widthOf(name) <= room) return name;
    const auto cut = [&name](qsizetype kept) { return name.left((kept + 1) / 2) + kCut + name.right(kept / 2); };
    qsizetype low = 0, high = name.size() - 1;
    while (low < high) {
        const qsizetype middle = (low + high + 1) / 2;
        (widthOf(cut(middle)) <= room ? low : high) = widthOf(cut(middle)) <= room ? middle : middle - 1;
    }
    return cut(low);
}

// How many characters all of them begin with, up to the beginning of a word.
qsizetype sharedBeginning(const QStringList& names) {
    qsizetype shared = names.front().size();
    for (const QString& name : names) {
        const auto differs = std::mismatch(name.begin(), name.end(), names.front().begin(), names.front().end());
        shared = std::min(shared, static_cast<qsizetype>(differs.first - name.begin()));
    }
    while (shared > 0 && !names.front()[shared - 1].isSpace()) --shared;
    return shared;
}

// Names that became one and the same. `places`: among all names, what they are numbered by.
QStringList apart(const QStringList& names, const QHash<QString, qsizetype>& places, double room,
                  const Width& widthOf) {
    const qsizetype shared = sharedBeginning(names);
    QStringList cut;
    QSet<QString> different;
    for (const QString& name : names) {
        cut << withoutMiddle(shared > 0 ? kCut + name.mid(shared) : name, room, widthOf);
        different.insert(cut.back());
    }
    if (different.size() == names.size()) return cut;
    for (qsizetype i = 0; i < names.size(); ++i) {
        const QString number = QStringLiteral(" #%1").arg(places[names[i]] + 1);
        cut[i] = withoutMiddle(names[i], std::max(0.0, room - widthOf(number)), widthOf) + number;
    }
    return cut;
}

}  // namespace

QStringList namesThatFit(const QStringList& names, double room, const Width& widthOf) {
    QStringList out;
    QMap<QString, QStringList> originals;
    QHash<QString, qsizetype> places;
    for (const QString& name : names) {
        if (!places.contains(name)) places.insert(name, places.size());
        out << withoutMiddle(name, room, widthOf);
        QStringList& same = originals[out.back()];
        if (!same.contains(name)) same << name;
    }
    QHash<QString, QString> better;
    for (const QStringList& same : originals) {
        if (same.size() < 2) continue;
        const QStringList cut = apart(same, places, room, widthOf);
        for (qsizetype i = 0; i < same.size(); ++i) better[same[i]] = cut[i];
    }
    for (qsizetype i = 0; i < names.size(); ++i) out[i] = better.value(names[i], out[i]);
    return out;
}

}  // namespace dasgd::gui
