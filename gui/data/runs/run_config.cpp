#include "gui/data/runs/run_config.h"

#include <QRegularExpression>
#include <cmath>
#include <string_view>

#include "storage/compare/scaling.h"

namespace dasgd::gui {

namespace {

constexpr double kExactInFull = 1e15;  // smaller whole numbers are exact as doubles
constexpr int kUsualDigits = 6, kAllDigits = 17;

// Six significant digits, or as many as are needed to read back the same number.
QString exactNumber(double number) {
    for (int digits = kUsualDigits;; ++digits) {
        QString text = QString::number(number, 'g', digits);
        if (digits == kAllDigits || text.toDouble() == number) return text;
    }
}

}  // namespace

QString settingValue(const std::string& value) {
    bool isNumber = false;
    const QString text = QString::fromStdString(value);
    static_cast<void>(text.toLongLong(&isNumber));
    if (isNumber) return text;
    const double number = text.toDouble(&isNumber);
    if (!isNumber) return text;
    const bool inFull = std::abs(number) < kExactInFull && number == std::floor(number);
    return inFull ? QString::number(number, 'f', 0) : exactNumber(number);
}

std::map<std::string, QString> settingValues(const std::set<std::string>& values) {
    std::map<QString, int> alike;
    for (const std::string& value : values) ++alike[settingValue(value)];
    std::map<std::string, QString> shown;
    for (const std::string& value : values) {
        const QString text = settingValue(value);
        shown[value] = alike[text] == 1 ? text : QString::fromStdString(value);
    }
    return shown;
}

QString settingName(const std::string& key, const RunSchema& schema) {
    if (const Setting* setting = findSetting(schema, key); setting && !setting->symbol.isEmpty()) {
        return setting->symbol;
    }
    // The name of a plug-in is labelled with its section.
    constexpr std::string_view kName = ".name";
    if (key.ends_with(kName)) return settingName(key.substr(0, key.size() - kName.size()), {});
    const std::size_t dot = key.rfind('.');
    const QString last = QString::fromStdString(dot == std::string::npos ? key : key.substr(dot + 1));
    return last.endsWith(QLatin1String("_size")) ? last.chopped(5) : last;
}

QString settingText(const std::string& key, const std::string& value, const RunSchema& schema) {
    return settingName(key, schema) + QChar(0x00a0) + settingValue(value);
}

QString settingsInWords(const Settings& settings, const RunSchema& schema) {
    // Cluster and network are shown in other columns.
    const auto isOfCluster = [](const std::string& key) {
        return key.starts_with("cluster.") || key.starts_with("network.") || key.starts_with("compute.");
    };
    QStringList parts;
    for (const Setting& setting : schema) {
        const auto found = settings.find(setting.key);
        if (found == settings.end() || isOfCluster(setting.key)) continue;
        const QString value = settingValue(found->second), usual = settingValue(setting.defaultText.toStdString());
        const bool ofAlgorithm = setting.key.starts_with("algorithm.") || setting.key.starts_with("graph.") ||
                                 setting.key.starts_with("compression."),
                   hasSymbol = !setting.symbol.isEmpty();
        // A term that is zero, and zero by default, does not appear in the update rule.
        const bool inRule = ofAlgorithm && hasSymbol && !(value == usual && value == QLatin1String("0"));
        const bool chosen = value != usual && (ofAlgorithm || hasSymbol);
        if (inRule || chosen) parts << settingText(found->first, found->second, schema);
    }
    return parts.join(QStringLiteral("  "));
}

QString linkInWords(const std::string& link) {
    static const QRegularExpression numberThenUnit(QStringLiteral("([0-9])([A-Za-zµ])"));
    return QString::fromStdString(link).replace(numberThenUnit, QStringLiteral("\\1\u00a0\\2"));
}

QString runTitle(const storage::RunRow& row) {
    if (row.imported()) {
        QString title = QString::fromStdString(row.experiment) + QStringLiteral("  ·  imported");
        if (row.algorithm != "imported") title += QStringLiteral(", of ") + QString::fromStdString(row.algorithm);
        return title;
    }
    const QString settings = settingsInWords(storage::settingsOf(row), schemaOf(row));
    return QString::fromStdString(row.experiment) + QStringLiteral("  /  ") + QString::fromStdString(row.algorithm) +
           (settings.isEmpty() ? QString() : QStringLiteral("  ") + settings) + QStringLiteral("  ·  seed ") +
           QString::number(row.seed);
}

}  // namespace dasgd::gui
