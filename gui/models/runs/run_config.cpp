#include "gui/models/runs/run_config.h"

#include <QRegularExpression>
#include <array>

#include "storage/scaling.h"

namespace dasgd::gui {

namespace {

struct Sign {
    const char* key;
    const char* sign;
};

// The order is that of the header line.
constexpr std::array<Sign, 14> kSigns{{{"algorithm.period", "τ"},
                                       {"algorithm.delay", "d"},
                                       {"algorithm.local_weight", "ξ"},
                                       {"algorithm.correction", "c"},
                                       {"algorithm.pull", "α"},
                                       {"algorithm.slow_momentum", "β"},
                                       {"algorithm.slow_learning_rate", "slow η"},
                                       {"algorithm.outer_learning_rate", "outer η"},
                                       {"algorithm.outer_momentum", "outer μ"},
                                       {"algorithm.sync_steps", "k₀"},
                                       {"algorithm.bucket_mb", "bucket"},
                                       {"optimizer.learning_rate", "η"},
                                       {"optimizer.momentum", "μ"},
                                       {"cluster.workers", "P"}}};
constexpr std::size_t kHeaderSigns = 10;  // bucket sizes and the rest tell nothing of the algorithm

// "0.250000" and "4.0" as people write them.
QString tidy(const std::string& value) {
    bool isNumber = false;
    const QString text = QString::fromStdString(value);
    const double number = text.toDouble(&isNumber);
    return isNumber ? QString::number(number, 'g', 6) : text;
}

}  // namespace

QString settingName(const std::string& key) {
    for (const Sign& sign : kSigns) {
        if (key == sign.key) return QString::fromUtf8(sign.sign);
    }
    const std::size_t dot = key.rfind('.');
    const std::string last = dot == std::string::npos ? key : key.substr(dot + 1);
    return last == "batch_size" ? QStringLiteral("batch") : QString::fromStdString(last);
}

QString settingText(const std::string& key, const std::string& value) {
    return settingName(key) + QChar(0x00a0) + tidy(value);
}

QString settingsInWords(const Settings& settings) {
    QStringList parts;
    for (std::size_t i = 0; i < kHeaderSigns; ++i) {
        const auto found = settings.find(kSigns[i].key);
        if (found == settings.end()) continue;
        // A correction of zero is the published rule; saying nothing is saying that.
        if (found->first == "algorithm.correction" && tidy(found->second) == QLatin1String("0")) continue;
        parts << settingText(found->first, found->second);
    }
    return parts.join(QStringLiteral("  "));
}

QString linkInWords(const std::string& link) {
    static const QRegularExpression numberThenUnit(QStringLiteral("([0-9])([A-Za-zµ])"));
    return QString::fromStdString(link).replace(numberThenUnit, QStringLiteral("\\1\u00a0\\2"));
}

QString runTitle(const storage::RunRow& row) {
    const QString settings = settingsInWords(storage::settingsOf(row));
    return QString::fromStdString(row.experiment) + QStringLiteral("  /  ") + QString::fromStdString(row.algorithm) +
           (settings.isEmpty() ? QString() : QStringLiteral("  ") + settings) + QStringLiteral("  ·  seed ") +
           QString::number(row.seed);
}

}  // namespace dasgd::gui
