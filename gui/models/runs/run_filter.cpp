#include "gui/models/runs/run_filter.h"

#include <QRegularExpression>
#include <array>
#include <utility>

namespace dasgd::gui {

namespace {

using Model = RunTableModel;

constexpr std::array<std::pair<const char*, Model::Column>, 18> kFields{{{"status", Model::Status},
                                                                         {"experiment", Model::Experiment},
                                                                         {"algorithm", Model::Algorithm},
                                                                         {"seed", Model::Seed},
                                                                         {"ranks", Model::Workers},
                                                                         {"workers", Model::Workers},
                                                                         {"backend", Model::Backend},
                                                                         {"wall", Model::Wall},
                                                                         {"steps", Model::Steps},
                                                                         {"loss", Model::FinalLoss},
                                                                         {"final_loss", Model::FinalLoss},
                                                                         {"accuracy", Model::BestAccuracy},
                                                                         {"best_accuracy", Model::BestAccuracy},
                                                                         {"hidden", Model::Hidden},
                                                                         {"blocked", Model::Blocked},
                                                                         {"samples/s", Model::SamplesPerS},
                                                                         {"samples_per_s", Model::SamplesPerS},
                                                                         {"settings", Model::Settings}}};

QString textOf(const RunItem& item, Model::Column column) {
    switch (column) {
        case Model::Status: return QString::fromStdString(item.row.status);
        case Model::Experiment: return QString::fromStdString(item.row.experiment);
        case Model::Algorithm: return QString::fromStdString(item.row.algorithm);
        case Model::Backend: return QString::fromStdString(item.row.backend);
        default: return item.settings;
    }
}

bool holds(const RunItem& item, const FilterComparison& term) {
    using Op = FilterComparison::Operator;
    const std::optional<double> value = Model::numberOf(item, term.column);
    if (!term.number || !value) {
        return term.op == Op::Equal && !value && textOf(item, term.column).compare(term.text, Qt::CaseInsensitive) == 0;
    }
    switch (term.op) {
        case Op::Less: return *value < *term.number;
        case Op::LessEqual: return *value <= *term.number;
        case Op::Equal: return *value == *term.number;
        case Op::GreaterEqual: return *value >= *term.number;
        case Op::Greater: return *value > *term.number;
    }
    return false;
}

FilterComparison::Operator operatorOf(const QString& text) {
    using Op = FilterComparison::Operator;
    if (text == QLatin1String("<")) return Op::Less;
    if (text == QLatin1String("<=")) return Op::LessEqual;
    if (text == QLatin1String(">")) return Op::Greater;
    if (text == QLatin1String(">=")) return Op::GreaterEqual;
    return Op::Equal;
}

}  // namespace

std::vector<FilterTerm> parseFilter(const QString& text) {
    static const QRegularExpression comparison(QStringLiteral("^([a-z_/]+)(<=|>=|<|>|=)(.+)$"));
    std::vector<FilterTerm> terms;
    for (const QString& word : text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const QRegularExpressionMatch match = comparison.match(word);
        const auto* field =
            match.hasMatch()
                ? std::find_if(kFields.begin(), kFields.end(),
                               [&](const auto& known) { return match.captured(1) == QLatin1String(known.first); })
                : kFields.end();
        if (field != kFields.end()) {
            bool isNumber = false;
            const QString value = match.captured(3);
            const double number = QString(value).remove(QLatin1Char('%')).toDouble(&isNumber);
            terms.emplace_back(FilterComparison{field->second, operatorOf(match.captured(2)), value,
                                                isNumber ? std::optional(number) : std::nullopt});
            continue;
        }
        const bool exclude = word.size() > 1 && word.startsWith(QLatin1Char('-'));
        terms.emplace_back(FilterWord{exclude ? word.mid(1) : word, exclude});
    }
    return terms;
}

bool matches(const RunItem& item, const std::vector<FilterTerm>& terms) {
    return std::all_of(terms.begin(), terms.end(), [&](const FilterTerm& term) {
        if (const auto* word = std::get_if<FilterWord>(&term))
            return item.haystack.contains(word->text) != word->exclude;
        return holds(item, std::get<FilterComparison>(term));
    });
}

RunFilter::RunFilter(RunTableModel* runs, QObject* parent) : QSortFilterProxyModel(parent), runs_(runs) {
    setSourceModel(runs);
    setSortRole(RunTableModel::SortRole);
    setDynamicSortFilter(true);
}

void RunFilter::setFilter(const QString& text) {
    terms_ = parseFilter(text);
    invalidateFilter();
}

bool RunFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    return !parent.isValid() && matches(*runs_->items()[static_cast<std::size_t>(row)], terms_);
}

}  // namespace dasgd::gui
