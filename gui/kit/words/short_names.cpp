#include "gui/kit/words/short_names.h"

#include <QHash>
#include <QMap>
#include <QSet>
#include <algorithm>
#include <numeric>
#include <vector>

namespace dasgd::gui {

namespace {

using Width = std::function<double(const QString&)>;
const QString kCut = QStringLiteral("…");
constexpr qsizetype kLeastPart = 4;  // letters below which a cut word says too little beside a whole first word
constexpr qsizetype kSymbol = 3;     // letters up to which a setting's word is kept: "τ", "lr"

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

// The words of a name; a number stays with the word before it.
QStringList partsOf(const QString& name) {
    QStringList parts;
    for (const QString& word : name.split(QLatin1Char(' '))) {
        if (!parts.isEmpty() && !word.isEmpty() && word.front().isDigit()) {
            parts.back() += QLatin1Char(' ') + word;
        } else {
            parts << word;
        }
    }
    return parts;
}

QString joined(const QStringList& parts, const std::vector<bool>& kept) {
    QStringList words;
    for (qsizetype i = 0; i < parts.size(); ++i) {
        if (kept[static_cast<std::size_t>(i)]) {
            words << parts[i];
        } else if (words.isEmpty() || words.back() != kCut) {
            words << kCut;
        }
    }
    return words.join(QLatin1Char(' '));
}

// Number of names that contain each word.
class Frequencies {
public:
    explicit Frequencies(const QStringList& names) {
        for (const QString& name : names) {
            const QStringList parts = partsOf(name);
            for (const QString& part : QSet<QString>(parts.begin(), parts.end())) ++of_[part];
        }
    }
    [[nodiscard]] int of(const QString& part) const { return of_.value(part); }

private:
    QHash<QString, int> of_;
};

// The first word, and of the others those that the fewest names have, as far as they fit.
QString inWords(const QString& name, const Frequencies& frequencies, double room, const Width& widthOf) {
    if (widthOf(name) <= room) return name;
    const QStringList parts = partsOf(name);
    std::vector<bool> kept(static_cast<std::size_t>(parts.size()), false);
    kept[0] = true;
    if (widthOf(joined(parts, kept)) > room) return withoutMiddle(name, room, widthOf);
    std::vector<qsizetype> order(kept.size() - 1);
    std::iota(order.begin(), order.end(), 1);
    std::ranges::stable_sort(order, {}, [&](qsizetype i) { return frequencies.of(parts[i]); });
    for (const qsizetype i : order) {
        kept[static_cast<std::size_t>(i)] = true;
        if (widthOf(joined(parts, kept)) > room) kept[static_cast<std::size_t>(i)] = false;
    }
    return joined(parts, kept);
}

// The first word, cut to the room there is, and the word that the fewest names have.
QString byItsRarest(const QString& name, const Frequencies& frequencies, double room, const Width& widthOf) {
    const QStringList parts = partsOf(name);
    if (parts.size() < 2) return withoutMiddle(name, room, widthOf);
    const QString& rarest = *std::min_element(parts.begin() + 1, parts.end(), [&](const QString& a, const QString& b) {
        return frequencies.of(a) < frequencies.of(b);
    });
    const double space = widthOf(QStringLiteral(" "));
    QString part = withoutMiddle(rarest, room - widthOf(parts[0]) - space, widthOf);
    if (part != rarest && part.size() < kLeastPart) {
        part = withoutMiddle(rarest, room - std::min(widthOf(parts[0]), room / 2) - space, widthOf);
    }
    const QString behind = QLatin1Char(' ') + part;
    const QString cut = withoutMiddle(parts[0], room - widthOf(behind), widthOf) + behind;
    return widthOf(cut) <= room ? cut : withoutMiddle(name, room, widthOf);
}

// Abbreviation of the differing words: none; words of settings cut; also symbols joined to their values ("τ4"); values
// without words.
enum class Brief { Whole, CutWords, CloseSymbols, ValuesAlone };

// The name without the words, first word included, that all `count` names have.
QString differing(const QString& name, const Frequencies& frequencies, qsizetype count, Brief brief) {
    QStringList words;
    const QStringList parts = partsOf(name);
    for (const QString& part : parts) {
        if (frequencies.of(part) == count) continue;
        qsizetype space = 0;
        while (space < part.size() && !part[space].isSpace()) ++space;
        // An experiment in parentheses is no setting, though its name may have spaces.
        if (brief == Brief::Whole || space == part.size() || part.startsWith(QLatin1Char('('))) {
            words << part;
        } else if (space <= kSymbol) {
            words << (brief == Brief::CutWords ? part : part.left(space) + part.mid(space + 1));
        } else if (brief != Brief::ValuesAlone) {
            words << part.left(kSymbol) + QLatin1Char('.') + part.mid(space);
        } else {
            words << part.mid(space + 1);
        }
    }
    return words.isEmpty() ? parts.front() : words.join(QLatin1Char(' '));
}

// The short form of each name, and the names whose short forms are equal.
class ShownNames {
public:
    explicit ShownNames(const QStringList& names) {
        for (const QString& name : names) {
            if (places_.contains(name)) continue;
            places_.insert(name, 0);
            all_ << name;
        }
        // Numbers follow the sorted order, so that each view of the same names gives them the same numbers.
        QStringList sorted = all_;
        sorted.sort();
        for (qsizetype i = 0; i < sorted.size(); ++i) places_[sorted[i]] = i;
    }
    [[nodiscard]] const QStringList& all() const { return all_; }
    [[nodiscard]] qsizetype numberOf(const QString& name) const { return places_.value(name) + 1; }
    [[nodiscard]] QString shown(const QString& name) const { return shown_.value(name); }
    void show(const QString& name, const QString& as) { shown_.insert(name, as); }
    [[nodiscard]] QList<QStringList> equal() const {
        QMap<QString, QStringList> originals;
        for (const QString& name : all_) originals[shown(name)] << name;
        QList<QStringList> out;
        for (const QStringList& same : originals) {
            if (same.size() > 1) out << same;
        }
        return out;
    }

private:
    QStringList all_;  // each once
    QHash<QString, qsizetype> places_;
    QHash<QString, QString> shown_;
};

// True if the short form of some name lacks a setting that not all names have.
bool losesSetting(const ShownNames& result, const Frequencies& frequencies) {
    const auto isLost = [&](const QString& name) {
        const QStringList parts = partsOf(name);
        return std::any_of(parts.begin(), parts.end(), [&](const QString& part) {
            const bool isSetting = std::any_of(part.begin(), part.end(), [](QChar one) { return one.isSpace(); });
            return isSetting && frequencies.of(part) < result.all().size() && !result.shown(name).contains(part);
        });
    };
    return std::any_of(result.all().begin(), result.all().end(), isLost);
}

// Reduces all long names to what differs, if they then fit, lose no differing setting and stay distinct.
void showDiffering(ShownNames& result, const Frequencies& frequencies, double room, const Width& widthOf) {
    for (const Brief brief : {Brief::Whole, Brief::CutWords, Brief::CloseSymbols, Brief::ValuesAlone}) {
        ShownNames tried = result;
        bool fits = true;
        for (const QString& name : result.all()) {
            if (widthOf(name) <= room) {
                tried.show(name, name);
                continue;
            }
            tried.show(name, differing(name, frequencies, result.all().size(), brief));
            fits = fits && widthOf(tried.shown(name)) <= room;
        }
        if (!fits || !tried.equal().isEmpty()) continue;
        result = tried;
        return;
    }
}

}  // namespace

QStringList namesThatFit(const QStringList& names, double room, const Width& widthOf) {
    ShownNames result(names);
    const Frequencies among(result.all());
    for (const QString& name : result.all()) result.show(name, inWords(name, among, room, widthOf));
    using Cut = QString (*)(const QString&, const Frequencies&, double, const Width&);
    for (const Cut cut : {&inWords, &byItsRarest}) {
        for (const QStringList& same : result.equal()) {
            const Frequencies amongThese(same);
            for (const QString& name : same) result.show(name, cut(name, amongThese, room, widthOf));
        }
    }
    const auto number = [&](const QStringList& some) {
        for (const QString& name : some) {
            const QString behind = QStringLiteral(" #%1").arg(result.numberOf(name));
            result.show(name, inWords(name, among, std::max(0.0, room - widthOf(behind)), widthOf) + behind);
        }
    };
    if (!result.equal().isEmpty() || losesSetting(result, among)) showDiffering(result, among, room, widthOf);
    for (const QStringList& same : result.equal()) number(same);
    // A numbered name can equal another that has that number of its own; then all are numbered.
    if (!result.equal().isEmpty()) number(result.all());
    QStringList out;
    for (const QString& name : names) out << result.shown(name);
    return out;
}

}  // namespace dasgd::gui
