#include "gui/kit/words/words.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <cmath>

namespace dasgd::gui {

namespace {

const QChar kThinSpace(0x2009);

QString groupDigits(QString text) {
    const qsizetype point = text.indexOf(QLatin1Char('.'));
    const qsizetype first = text.startsWith(QLatin1Char('-')) ? 1 : 0;
    const qsizetype end = point < 0 ? text.size() : point;
    if (end - first < 5) return text;
    for (qsizetype at = end - 3; at > first; at -= 3) text.insert(at, kThinSpace);
    return text;
}

}  // namespace

QString shortNumber(double value, int digits) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    const double size = std::abs(value);
    if (size == 0) return QStringLiteral("0");
    if (size < 1e-4 || size >= 1e12) return QString::number(value, 'e', std::max(0, digits - 2));
    if (digits == 0) return groupDigits(QString::number(value, 'f', 0));
    // The exponent is taken after rounding: 9.9996 shows two digits before the point.
    const int power = QString::number(size, 'e', digits - 1).section(QLatin1Char('e'), 1).toInt();
    return groupDigits(QString::number(value, 'f', std::max(0, digits - 1 - power)));
}

QString fixedNumber(double value, int decimals) {
    return std::isfinite(value) ? groupDigits(QString::number(value, 'f', decimals)) : shortNumber(value);
}

QString grouped(qint64 value) { return groupDigits(QString::number(value)); }

QString counted(qint64 count, const char* noun) {
    return grouped(count) + QLatin1Char(' ') + QString::fromUtf8(noun) + (count == 1 ? QString() : QStringLiteral("s"));
}

Quantity bytesInWords(double bytes) {
    static const std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
    std::size_t at = 0;
    while (bytes >= 999.5 && at + 1 < units.size()) {
        bytes /= 1000;
        ++at;
    }
    return {shortNumber(bytes, at == 0 || bytes >= 100 ? 0 : 3), QString::fromLatin1(units[at])};
}

Quantity durationInWords(Ns duration) {
    const double ns = static_cast<double>(duration);
    const double size = std::abs(ns);
    if (size < 1e3) return {shortNumber(ns, 3), QStringLiteral("ns")};
    if (size < 1e6) return {shortNumber(ns / 1e3, 3), QStringLiteral("µs")};
    if (size < 1e9) return {shortNumber(ns / 1e6, size < 1e7 ? 3 : 4), QStringLiteral("ms")};
    return {shortNumber(ns / 1e9, 4), QStringLiteral("s")};
}

QString asTip(const QString& plain) {
    return QStringLiteral("<p style=\"white-space: pre-wrap\">") +
           plain.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")) + QStringLiteral("</p>");
}

QString clockText(double seconds) {
    // 9.95 would be rounded to "10.0 s".
    if (seconds < 9.95) return QString::number(std::max(0.0, seconds), 'f', 1) + QChar(0x00a0) + QLatin1Char('s');
    const auto whole = static_cast<qint64>(std::max(0.0, seconds));
    const auto two = [](qint64 part) { return QStringLiteral("%1").arg(part, 2, 10, QLatin1Char('0')); };
    const QString tail = two(whole / 60 % 60) + QLatin1Char(':') + two(whole % 60);
    return whole < 3600 ? tail : QString::number(whole / 3600) + QLatin1Char(':') + tail;
}

QString timeText(double seconds) {
    const QChar space(0x00a0);
    const auto with = [space](const QString& number, const char* unit) {
        return number + space + QString::fromLatin1(unit);
    };
    // 59.95 would be rounded to "60.0 s".
    if (seconds < 59.95) return with(QString::number(std::max(0.0, seconds), 'f', 1), "s");
    const auto whole = static_cast<qint64>(std::round(seconds));
    const auto two = [](qint64 part) { return QStringLiteral("%1").arg(part, 2, 10, QLatin1Char('0')); };
    if (whole < 3600) return with(QString::number(whole / 60), "min") + space + with(two(whole % 60), "s");
    return with(grouped(whole / 3600), "h") + space + with(two(whole / 60 % 60), "min");
}

QString percent(std::optional<double> fraction) {
    if (!fraction || std::isnan(*fraction)) return kAbsent;
    return QString::number(*fraction * 100, 'f', 1);
}

QString fileStem(const QString& name) {
    static const QRegularExpression other(QStringLiteral("[^A-Za-z0-9_.]+"));
    QString stem = name;
    stem.replace(other, QStringLiteral("-"));
    while (stem.startsWith(u'-') || stem.startsWith(u'.')) stem.remove(0, 1);
    while (stem.endsWith(u'-')) stem.chop(1);
    return stem.isEmpty() ? QStringLiteral("experiment") : stem;
}

}  // namespace dasgd::gui
