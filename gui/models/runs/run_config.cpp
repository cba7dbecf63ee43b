#include "gui/models/runs/run_config.h"

#include <toml++/toml.h>
#include <QRegularExpression>
#include <array>
#include <sstream>

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

std::string valueText(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    std::ostringstream out;
    node.visit([&out](const auto& value) { out << value; });
    return out.str();
}

void flatten(const toml::table& table, const std::string& path, FlatConfig& out) {
    for (const auto& [key, node] : table) {
        const std::string full = path.empty() ? std::string(key.str()) : path + "." + std::string(key.str());
        if (const auto* child = node.as_table()) {
            flatten(*child, full, out);
        } else {
            out[full] = valueText(node);
        }
    }
}

// "0.250000" and "4.0" as people write them.
QString tidy(const std::string& value) {
    bool isNumber = false;
    const QString text = QString::fromStdString(value);
    const double number = text.toDouble(&isNumber);
    return isNumber ? QString::number(number, 'g', 6) : text;
}

}  // namespace

FlatConfig flattenToml(const std::string& toml) {
    FlatConfig out;
    try {
        flatten(toml::parse(toml), "", out);
    } catch (const toml::parse_error&) {
        out.clear();
    }
    return out;
}

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

QString settingsInWords(const FlatConfig& config) {
    QStringList parts;
    for (std::size_t i = 0; i < kHeaderSigns; ++i) {
        const auto found = config.find(kSigns[i].key);
        if (found == config.end()) continue;
        // A correction of zero is the published rule; saying nothing is saying that.
        if (found->first == "algorithm.correction" && tidy(found->second) == QLatin1String("0")) continue;
        parts << settingText(found->first, found->second);
    }
    return parts.join(QStringLiteral("  "));
}

std::string groupKey(const storage::RunRow& row) {
    FlatConfig config = flattenToml(row.config);
    config.erase("train.seed");
    config.erase("name");
    std::string key = row.algorithm + "/" + row.backend + "/" + std::to_string(row.workers);
    for (const auto& [name, value] : config) key.append("\n").append(name).append("=").append(value);
    return key;
}

QString linkInWords(const std::string& link) {
    static const QRegularExpression numberThenUnit(QStringLiteral("([0-9])([A-Za-zµ])"));
    return QString::fromStdString(link).replace(numberThenUnit, QStringLiteral("\\1\u00a0\\2"));
}

QString runTitle(const storage::RunRow& row) {
    const QString settings = settingsInWords(flattenToml(row.config));
    return QString::fromStdString(row.experiment) + QStringLiteral("  /  ") + QString::fromStdString(row.algorithm) +
           (settings.isEmpty() ? QString() : QStringLiteral("  ") + settings) + QStringLiteral("  ·  seed ") +
           QString::number(row.seed);
}

}  // namespace dasgd::gui
