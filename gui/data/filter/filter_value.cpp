#include "gui/data/filter/filter_value.h"

#include <QDateTime>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/schema/units.h"

namespace dasgd::gui {

namespace {

constexpr double kPercent = 0.01;
// Tolerance for numbers that print alike, such as 90 % and 0.9.
constexpr double kNearlyEqual = 1e-12;

constexpr int kDayLength = 10;

struct Split {
    double number = 0;
    QString unit;
};

// Splits "1.5ms" into 1.5 and "ms".
std::optional<Split> splitNumber(const QString& text) {
    static const QRegularExpression form(
        QStringLiteral("^([-+]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:e[-+]?[0-9]+)?)\\s*(\\D*)$"),
        QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch()) return std::nullopt;
    return Split{match.captured(1).toDouble(), match.captured(2)};
}

std::optional<double> eitherOf(Result<double> first, Result<double> second) {
    if (first) return *first;
    if (second) return *second;
    return std::nullopt;
}

std::string asciiUnit(QString text) { return text.replace(QChar(0x00b5), QLatin1Char('u')).toStdString(); }
std::optional<double> timeOf(const std::string& text) { return eitherOf(parseLatency(text), parseDuration(text)); }
std::optional<double> rateOf(const std::string& text) { return eitherOf(parseBandwidth(text), parseRate(text)); }
std::optional<double> bytesOf(const std::string& text) {
    const auto bytes = parseBytes(text);
    return bytes ? std::optional(*bytes) : std::nullopt;
}

QString isoInUtc(const QDateTime& local) { return local.toUTC().toString(Qt::ISODateWithMs); }

QString notANumber(const QString& field, const QString& value, const QString& units) {
    return QStringLiteral("%1 is a number%2; “%3” is none")
        .arg(field, units.isEmpty() ? QString() : QStringLiteral(" (units: %1)").arg(units), value);
}

QString unitsOf(FieldKind kind) {
    switch (kind) {
        case FieldKind::Fraction: return QStringLiteral("%");
        case FieldKind::Time: return QStringLiteral("ns us ms s min h");
        case FieldKind::Bytes: return QStringLiteral("B kB MB GB");
        default: return {};
    }
}

}  // namespace

QString operatorText(FilterOperator op) {
    constexpr std::array<const char*, 7> kTexts{"=", "!=", "<", "<=", ">", ">=", "~"};
    return QString::fromLatin1(kTexts[static_cast<std::size_t>(op)]);
}

bool isUnit(const QString& word) {
    if (word == QLatin1String("%")) return true;
    const std::string one = asciiUnit(QLatin1Char('1') + word);
    return !word.isEmpty() && (timeOf(one) || bytesOf(one) || rateOf(one));
}

tl::expected<FilterComparison, QString> FilterComparison::make(const RunField& field, FilterOperator op,
                                                               const QString& value, bool quoted) {
    FilterComparison made(field, op);
    made.text_ = value.toLower();
    const bool ordered =
        op != FilterOperator::Equal && op != FilterOperator::NotEqual && op != FilterOperator::Contains;
    const auto error = [](const QString& message) { return tl::unexpected<QString>(message); };
    switch (field.kind) {
        case FieldKind::Text:
            if (ordered) {
                return error(QStringLiteral("%1 is text: use = != or ~, not %2").arg(field.name, operatorText(op)));
            }
            if (op != FilterOperator::Contains && !field.values.isEmpty() && !field.values.contains(made.text_)) {
                return error(QStringLiteral("%1 is one of %2, not “%3”")
                                 .arg(field.name, field.values.join(QStringLiteral(", ")), value));
            }
            break;
        case FieldKind::Instant:
            if (op == FilterOperator::Contains)
                return error(QStringLiteral("%1 is a time: use = != < <= > >=").arg(field.name));
            if (const auto wrong = made.takeInstant(value)) return error(*wrong);
            break;
        case FieldKind::Tags:
            if (ordered) {
                return error(QStringLiteral("%1 is text: use = != or ~, not %2").arg(field.name, operatorText(op)));
            }
            break;
        case FieldKind::Flag:
            if (ordered || op == FilterOperator::Contains) {
                return error(QStringLiteral("%1 is true or false: use = or !=, or write it alone").arg(field.name));
            }
            if (const auto wrong = made.takeFlag(value)) return error(*wrong);
            break;
        case FieldKind::Setting:
            if (const auto wrong = made.takeSetting(value, quoted)) return error(*wrong);
            if (ordered && !made.number_) {
                return error(QStringLiteral("%1 compares numbers; “%2” is none").arg(operatorText(op), value));
            }
            break;
        default:
            if (op == FilterOperator::Contains)
                return error(QStringLiteral("%1 is a number: use = != < <= > >=").arg(field.name));
            if (const auto wrong = made.takeNumber(value)) return error(*wrong);
    }
    return made;
}

// Returns the error in the value, if any.
std::optional<QString> FilterComparison::takeNumber(const QString& value) {
    const QString wrong = notANumber(field_.name, value, unitsOf(field_.kind));
    if (value.compare(QLatin1String("nan"), Qt::CaseInsensitive) == 0) {
        number_ = std::numeric_limits<double>::quiet_NaN();
        if (op_ == FilterOperator::Equal || op_ == FilterOperator::NotEqual) return std::nullopt;
        return QStringLiteral("NaN is neither more nor less: use = or !=");
    }
    if (value == QStringLiteral("∞") || value.compare(QLatin1String("inf"), Qt::CaseInsensitive) == 0) {
        number_ = std::numeric_limits<double>::infinity();
        return std::nullopt;
    }
    const auto split = splitNumber(value);
    if (!split) return wrong;
    const std::string whole = asciiUnit(value);
    if (split->unit.isEmpty()) {
        const bool isPercentage = field_.kind == FieldKind::Fraction && std::abs(split->number) > 1;
        number_ = split->number * (isPercentage ? kPercent : field_.bareUnit);
    } else if (field_.kind == FieldKind::Fraction && split->unit == QLatin1String("%")) {
        number_ = split->number * kPercent;
    } else if (field_.kind == FieldKind::Time) {
        number_ = timeOf(whole);
    } else if (field_.kind == FieldKind::Bytes) {
        number_ = bytesOf(whole);
    }
    if (number_) return std::nullopt;
    const QString units = unitsOf(field_.kind);
    return units.isEmpty() ? QStringLiteral("%1 has no unit; leave out “%2”").arg(field_.name, split->unit)
                           : QStringLiteral("%1 is given in %2, not in “%3”").arg(field_.name, units, split->unit);
}

// A day or a minute of local time stands for all instants in it.
std::optional<QString> FilterComparison::takeInstant(const QString& value) {
    QDateTime from;
    qint64 seconds = 86'400;
    if (value.compare(QLatin1String("today"), Qt::CaseInsensitive) == 0) {
        from = QDate::currentDate().startOfDay();
    } else if (value.compare(QLatin1String("yesterday"), Qt::CaseInsensitive) == 0) {
        from = QDate::currentDate().addDays(-1).startOfDay();
    } else if (value.size() == kDayLength && QDate::fromString(value, Qt::ISODate).isValid()) {
        from = QDate::fromString(value, Qt::ISODate).startOfDay();
    } else {
        seconds = value.count(QLatin1Char(':')) > 1 ? 1 : 60;
        const QTime time = QTime::fromString(value, seconds == 1 ? QStringLiteral("H:mm:ss") : QStringLiteral("H:mm"));
        from = time.isValid()
                   ? QDateTime(QDate::currentDate(), time)
                   : QDateTime::fromString(QString(value).replace(QLatin1Char(' '), QLatin1Char('T')), Qt::ISODate);
    }
    if (!from.isValid()) {
        return QStringLiteral("%1 is a time: write it as 2026-11-20, \"2026-11-20 14:30\", 14:30, today or yesterday")
            .arg(field_.name);
    }
    from_ = isoInUtc(from).toStdString();
    until_ = isoInUtc(seconds == 86'400 ? from.date().addDays(1).startOfDay() : from.addSecs(seconds)).toStdString();
    return std::nullopt;
}

std::optional<QString> FilterComparison::takeSetting(const QString& value, bool quoted) {
    const auto split = quoted ? std::nullopt : splitNumber(value);
    if (!split) return std::nullopt;
    if (split->unit == QLatin1String("%")) {
        number_ = split->number * kPercent;
        return std::nullopt;
    }
    // A number may be written here in forms that a setting cannot have: "+3", ".5".
    const auto read = split->unit.isEmpty() ? std::optional(SettingNumber{split->number, Dimension::Plain})
                                            : settingNumber(asciiUnit(value));
    if (!read) return std::nullopt;
    number_ = read->value;
    dimension_ = read->dimension;
    const bool lacksUnit = dimension_ == Dimension::Plain && !field_.example.empty() && op_ != FilterOperator::Contains;
    if (!lacksUnit) return std::nullopt;
    return QStringLiteral("%1 has a unit, as in %2").arg(field_.name, QString::fromStdString(field_.example));
}

std::optional<QString> FilterComparison::takeFlag(const QString& value) {
    const QString word = value.toLower();
    const bool yes = word == QLatin1String("true") || word == QLatin1String("yes") || word == QLatin1String("1");
    const bool no = word == QLatin1String("false") || word == QLatin1String("no") || word == QLatin1String("0");
    if (!yes && !no) return QStringLiteral("%1 is true or false, not “%2”").arg(field_.name, value);
    flag_ = yes;
    return std::nullopt;
}

bool FilterComparison::holdsNumber(double value) const {
    const double other = *number_;
    if (std::isnan(other)) return std::isnan(value) == (op_ == FilterOperator::Equal);
    if (std::isnan(value)) return false;
    const bool equal =
        value == other || (std::isfinite(value) && std::isfinite(other) &&
                           std::abs(value - other) <= kNearlyEqual * std::max(std::abs(value), std::abs(other)));
    switch (op_) {
        case FilterOperator::Equal: return equal;
        case FilterOperator::NotEqual: return !equal;
        case FilterOperator::Less: return value < other && !equal;
        case FilterOperator::LessEqual: return value < other || equal;
        case FilterOperator::Greater: return value > other && !equal;
        case FilterOperator::GreaterEqual: return value > other || equal;
        case FilterOperator::Contains: break;
    }
    return false;
}

bool FilterComparison::holdsText(const QString& value) const {
    if (op_ == FilterOperator::Contains) return value.contains(text_, Qt::CaseInsensitive);
    const bool equal = value.compare(text_, Qt::CaseInsensitive) == 0;
    return equal == (op_ == FilterOperator::Equal);
}

bool FilterComparison::holdsInstant(const std::string& at) const {
    if (at.empty()) return false;
    switch (op_) {
        case FilterOperator::Equal: return at >= from_ && at < until_;
        case FilterOperator::NotEqual: return at < from_ || at >= until_;
        case FilterOperator::Less: return at < from_;
        case FilterOperator::LessEqual: return at < until_;
        case FilterOperator::Greater: return at >= until_;
        case FilterOperator::GreaterEqual: return at >= from_;
        case FilterOperator::Contains: break;
    }
    return false;
}

bool FilterComparison::holdsSetting(const RunItem& run) const {
    if (keys_ != run.config.keys()) {
        keys_ = run.config.keys();
        place_ = run.config.placeOf(field_.key);
    }
    if (!place_) return false;
    const std::string& value = run.config.at(*place_);
    if (!number_ || op_ == FilterOperator::Contains) return holdsText(QString::fromStdString(value));
    const auto number = settingNumber(value);
    // "auto" differs from every number and is neither more nor less.
    if (!number) return op_ == FilterOperator::NotEqual;
    return number->dimension == dimension_ && holdsNumber(number->value);
}

bool FilterComparison::holdsTags(const RunItem& run) const {
    const auto is = [this](const std::string& tag) {
        const QString text = QString::fromStdString(tag);
        return op_ == FilterOperator::Contains ? text.contains(text_, Qt::CaseInsensitive)
                                               : text.compare(text_, Qt::CaseInsensitive) == 0;
    };
    const bool any = std::any_of(run.notes.tags.begin(), run.notes.tags.end(), is);
    return any == (op_ != FilterOperator::NotEqual);
}

bool FilterComparison::holds(const RunItem& run) const {
    switch (field_.kind) {
        case FieldKind::Text: return holdsText(field_.text(run));
        case FieldKind::Instant: return holdsInstant(run.row.startedAt);
        case FieldKind::Setting: return holdsSetting(run);
        case FieldKind::Tags: return holdsTags(run);
        case FieldKind::Flag: return field_.flag(run) == (flag_ == (op_ == FilterOperator::Equal));
        default: break;
    }
    const std::optional<double> number = field_.number(run);
    return number && holdsNumber(*number);
}

}  // namespace dasgd::gui
