#include "gui/timeline/model/find/span_filter.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace dasgd::gui {

namespace {

enum class Subject { LengthOfKind, Kind, Lane, Rank, Step, Duration, Bytes, Name, Word };
constexpr double kNsOfSecond = 1e9, kMillisecondInS = 1e-3;
using LaneSet = std::bitset<kLaneNames.size()>;

struct NamedField {
    const char* name;
    Subject subject;
    FieldKind kind;
};
constexpr std::array<NamedField, 7> kSpanFields{{{"kind", Subject::Kind, FieldKind::Text},
                                                 {"lane", Subject::Lane, FieldKind::Text},
                                                 {"name", Subject::Name, FieldKind::Text},
                                                 {"rank", Subject::Rank, FieldKind::Number},
                                                 {"step", Subject::Step, FieldKind::Number},
                                                 {"duration", Subject::Duration, FieldKind::Time},
                                                 {"bytes", Subject::Bytes, FieldKind::Bytes}}};

QString nameOfKind(std::size_t kind) {
    return QString::fromUtf8(kSpanKindNames[kind].data(), static_cast<qsizetype>(kSpanKindNames[kind].size()));
}

// The kinds of spans that the name of a kind matches.
KindSet kindsCalled(const QString& name) {
    KindSet kinds;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        kinds.set(kind, name.compare(nameOfKind(kind), Qt::CaseInsensitive) == 0);
    }
    if (contains(kinds, SpanKind::Reduce)) kinds.set(static_cast<std::size_t>(SpanKind::Transfer));
    return kinds;
}

class SpanFields final : public FilterFields {
public:
    [[nodiscard]] Answer find(const QString& name) const override {
        for (const NamedField& known : kSpanFields) {
            if (name.compare(QLatin1String(known.name), Qt::CaseInsensitive) == 0) {
                return {.field = fieldOf(QString::fromLatin1(known.name), known.kind)};
            }
        }
        if (kindsCalled(name).any()) return {.field = fieldOf(name.toLower(), FieldKind::Time)};
        return {.candidates = namesLike(name)};
    }
    // A search starts when it is confirmed, not while it is typed, so there are no unfinished names.
    [[nodiscard]] bool hasNameThatBegins(const QString&) const override { return false; }
    [[nodiscard]] QString unknownField(const QString& name) const override {
        return QStringLiteral("spans have no field “%1”").arg(name);
    }

private:
    static RunField fieldOf(const QString& name, FieldKind kind) {
        return {.name = name, .kind = kind, .bareUnit = kind == FieldKind::Time ? kMillisecondInS : 1};
    }
    // Names with the same first two letters, else all of them, as there are few.
    static QStringList namesLike(const QString& name) {
        QStringList all, alike;
        for (const NamedField& known : kSpanFields) all << QString::fromLatin1(known.name);
        for (std::size_t kind = 0; kind < kSpanKindNames.size(); ++kind) {
            if (kind != static_cast<std::size_t>(SpanKind::Window)) all << nameOfKind(kind);
        }
        for (const QString& known : std::as_const(all)) {
            if (known.startsWith(name.left(2), Qt::CaseInsensitive)) alike << known;
        }
        return alike.isEmpty() ? all : alike;
    }
};

// Three-valued result: `may` if it holds for some values of the unknown properties, `must` if for all.
struct Truth {
    bool may = true, must = false;
};
constexpr Truth sure(bool holds) { return {holds, holds}; }

struct Facts {
    int rank = 0;
    SpanKind kind = SpanKind::Data;
    Lane lane = Lane::Compute;
    double shortest = 0, longest = 0;  // seconds
    const Span* span = nullptr;        // null: stands for several spans
    const QString* name = nullptr;     // null: not known
};

Truth numberTruth(const FilterComparison& test, double low, double high) {
    const bool atLow = test.holdsNumber(low);
    if (low == high) return sure(atLow);
    if (test.op() == FilterOperator::Equal || test.op() == FilterOperator::NotEqual) return {};
    const bool atHigh = test.holdsNumber(high);
    return {atLow || atHigh, atLow && atHigh};
}

}  // namespace

struct SpanFilter::Test {
    FilterExpression::Kind kind = FilterExpression::Kind::All;
    std::vector<Test> parts;
    Subject subject = Subject::Word;
    KindSet kinds;
    LaneSet lanes;
    QString word;
    std::optional<FilterComparison> comparison;
};

namespace {

using SpanTest = SpanFilter::Test;
using NodeKind = FilterExpression::Kind;

Subject subjectOf(const QString& field) {
    for (const NamedField& known : kSpanFields) {
        if (field == QLatin1String(known.name)) return known.subject;
    }
    return Subject::LengthOfKind;
}

KindSet kindsThatHold(const FilterComparison& test) {
    KindSet kinds;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) kinds.set(kind, test.holdsText(nameOfKind(kind)));
    // A transfer also matches as "reduce".
    const bool asReduce = kinds.test(static_cast<std::size_t>(SpanKind::Reduce));
    const auto transfer = static_cast<std::size_t>(SpanKind::Transfer);
    const bool asItself = kinds.test(transfer);
    kinds.set(transfer, test.op() == FilterOperator::NotEqual ? asReduce && asItself : asReduce || asItself);
    return kinds;
}

// Returns the error in the value, else "".
QString compileComparison(const FilterComparison& comparison, SpanTest& test) {
    test.comparison = comparison;
    test.subject = subjectOf(comparison.field().name);
    const bool mustExist = comparison.op() != FilterOperator::NotEqual;
    if (test.subject == Subject::LengthOfKind) test.kinds = kindsCalled(comparison.field().name);
    if (test.subject == Subject::Kind) {
        test.kinds = kindsThatHold(comparison);
        if (mustExist && test.kinds.none()) return QStringLiteral("no kind of span is “%1”").arg(comparison.value());
    }
    if (test.subject == Subject::Lane) {
        for (std::size_t lane = 0; lane < kLaneNames.size(); ++lane) {
            test.lanes.set(lane, comparison.holdsText(QString::fromLatin1(kLaneNames[lane].data())));
        }
        if (mustExist && test.lanes.none()) return QStringLiteral("the lanes are compute, comm and io");
    }
    return {};
}

QString compileNode(const FilterExpression::Node& node, SpanTest& test) {
    test.kind = node.kind;
    test.word = node.word;
    if (node.kind == NodeKind::Word) test.kinds = kindsCalled(node.word);
    if (node.kind == NodeKind::Comparison) return compileComparison(*node.comparison, test);
    test.parts.resize(node.parts.size());
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
        if (QString wrong = compileNode(node.parts[i], test.parts[i]); !wrong.isEmpty()) return wrong;
    }
    return {};
}

bool namesAsked(const SpanTest& test) {
    if (test.kind == NodeKind::Word) return test.kinds.none();
    if (test.kind == NodeKind::Comparison) return test.subject == Subject::Name;
    return std::ranges::any_of(test.parts, namesAsked);
}

Truth wordTruth(const SpanTest& test, const Facts& facts) {
    if (test.kinds.any()) return sure(contains(test.kinds, facts.kind));
    if (!facts.name) return {};
    return sure(facts.name->contains(test.word, Qt::CaseInsensitive));
}

Truth comparisonTruth(const SpanTest& test, const Facts& facts) {
    switch (test.subject) {
        case Subject::LengthOfKind:
            if (!contains(test.kinds, facts.kind)) return sure(false);
            [[fallthrough]];
        case Subject::Duration: return numberTruth(*test.comparison, facts.shortest, facts.longest);
        case Subject::Kind: return sure(contains(test.kinds, facts.kind));
        case Subject::Lane: return sure(test.lanes.test(static_cast<std::size_t>(facts.lane)));
        case Subject::Rank: return sure(test.comparison->holdsNumber(facts.rank));
        case Subject::Step:
            return facts.span ? sure(test.comparison->holdsNumber(static_cast<double>(facts.span->step))) : Truth{};
        case Subject::Bytes:
            return facts.span ? sure(test.comparison->holdsNumber(static_cast<double>(facts.span->bytes))) : Truth{};
        case Subject::Name: return facts.name ? sure(test.comparison->holdsText(*facts.name)) : Truth{};
        case Subject::Word: break;
    }
    return {};
}

Truth truthOf(const SpanTest& test, const Facts& facts) {
    Truth all{true, true}, any{false, false};
    for (const SpanTest& part : test.parts) {
        const Truth one = truthOf(part, facts);
        all = {all.may && one.may, all.must && one.must};
        any = {any.may || one.may, any.must || one.must};
    }
    switch (test.kind) {
        case NodeKind::Any: return any;
        case NodeKind::Not: return {!all.must, !all.may};
        case NodeKind::Word: return wordTruth(test, facts);
        case NodeKind::Comparison: return comparisonTruth(test, facts);
        case NodeKind::All:
        case NodeKind::Unfinished: break;
    }
    return all;
}

}  // namespace

tl::expected<SpanFilter, FilterError> SpanFilter::parse(const QString& text) {
    if (text.trimmed().isEmpty()) {
        return tl::unexpected<FilterError>(FilterError{0, QStringLiteral("write what to find, such as wait > 20 ms")});
    }
    const auto expression = FilterExpression::parse(text, SpanFields());
    if (!expression) return tl::unexpected<FilterError>(expression.error());
    if (const QString cut = expression->unfinished(); !cut.isEmpty()) {
        return tl::unexpected<FilterError>(
            FilterError{text.lastIndexOf(cut), QStringLiteral("“%1” is not finished; quote what is a name").arg(cut)});
    }
    auto test = std::make_shared<Test>();
    if (const QString wrong = compileNode(expression->root(), *test); !wrong.isEmpty()) {
        const QString value = wrong.section(u'“', 1).section(u'”', 0, 0);
        return tl::unexpected<FilterError>(
            FilterError{std::max<qsizetype>(0, text.indexOf(value, 0, Qt::CaseInsensitive)), wrong});
    }
    SpanFilter filter;
    filter.asksForNames_ = namesAsked(*test);
    filter.test_ = std::move(test);
    return filter;
}

bool SpanFilter::accepts(const RankSpan& span, const QString& name) const {
    if (span.span.kind == SpanKind::Window) return false;
    const double seconds = static_cast<double>(span.span.end - span.span.start) / kNsOfSecond;
    return truthOf(*test_, {.rank = span.rank,
                            .kind = span.span.kind,
                            .lane = span.span.lane,
                            .shortest = seconds,
                            .longest = seconds,
                            .span = &span.span,
                            .name = &name})
        .must;
}

bool SpanFilter::mayAccept(int rank, Lane lane, SpanKind kind, Ns longest) const {
    if (kind == SpanKind::Window) return false;
    const double seconds = static_cast<double>(longest) / kNsOfSecond;
    return truthOf(*test_, {.rank = rank, .kind = kind, .lane = lane, .shortest = 0, .longest = seconds}).may;
}

QString spanFilterHelp() {
    return QStringLiteral(
        "wait > 20 ms   reduce > 5 ms or merge   kind = transfer and rank >= 128\n"
        "kinds: forward backward update snapshot skew transfer reduce wait merge data eval checkpoint compute other\n"
        "fields: kind lane rank step duration bytes, and name of imported spans\n"
        "= != < <= > >= and ~ for “contains”, with and, or, not and parentheses; a number alone is in milliseconds");
}

}  // namespace dasgd::gui
