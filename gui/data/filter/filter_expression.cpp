#include "gui/data/filter/filter_expression.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dasgd::gui {

namespace {

using Node = FilterExpression::Node;
using Kind = FilterExpression::Kind;
template <class T>
using Parsed = tl::expected<T, FilterError>;

constexpr int kDeepestNesting = 64;

struct Token {
    enum class Kind { Word, Quoted, Operator, Open, Close, End };
    Kind kind = Kind::End;
    qsizetype at = 0;
    QString text;
    FilterOperator op{};
};

tl::unexpected<FilterError> failAt(qsizetype at, const QString& message) {
    return tl::unexpected<FilterError>(FilterError{at, message});
}

bool isOperatorChar(QChar c) { return QStringLiteral("=!<>~").contains(c); }
bool endsWord(QChar c) { return c.isSpace() || isOperatorChar(c) || c == u'(' || c == u')' || c == u'"'; }

std::optional<FilterOperator> operatorOf(const QString& text) {
    using Op = FilterOperator;
    static const std::array<std::pair<const char*, Op>, 9> kOperators{{{"=", Op::Equal},
                                                                       {"==", Op::Equal},
                                                                       {"!=", Op::NotEqual},
                                                                       {"<", Op::Less},
                                                                       {"<=", Op::LessEqual},
                                                                       {">", Op::Greater},
                                                                       {">=", Op::GreaterEqual},
                                                                       {"~", Op::Contains},
                                                                       {"<>", Op::NotEqual}}};
    for (const auto& [known, op] : kOperators) {
        if (text == QLatin1String(known)) return op;
    }
    return std::nullopt;
}

class Lexer {
public:
    explicit Lexer(const QString& text) : text_(text) {}

    Parsed<std::vector<Token>> tokens() {
        std::vector<Token> out;
        for (;;) {
            while (at_ < text_.size() && text_[at_].isSpace()) ++at_;
            auto token = next();
            if (!token) return tl::unexpected<FilterError>(token.error());
            out.push_back(std::move(*token));
            if (out.back().kind == Token::Kind::End) return out;
        }
    }

private:
    Parsed<Token> next() {
        const qsizetype begin = at_;
        if (at_ == text_.size()) return Token{.kind = Token::Kind::End, .at = begin};
        const QChar c = text_[at_];
        if (c == u'(' || c == u')') {
            ++at_;
            return Token{.kind = c == u'(' ? Token::Kind::Open : Token::Kind::Close, .at = begin, .text = c};
        }
        if (c == u'"') return quoted();
        const bool isOperator = isOperatorChar(c);
        while (at_ < text_.size() && (isOperator ? isOperatorChar(text_[at_]) : !endsWord(text_[at_]))) ++at_;
        const QString word = text_.mid(begin, at_ - begin);
        if (!isOperator) return Token{.kind = Token::Kind::Word, .at = begin, .text = word};
        const auto op = operatorOf(word);
        if (!op) return failAt(begin, QStringLiteral("“%1” is no operator: = != < <= > >= ~").arg(word));
        return Token{.kind = Token::Kind::Operator, .at = begin, .text = word, .op = *op};
    }

    Parsed<Token> quoted() {
        const qsizetype begin = at_++;
        const qsizetype end = text_.indexOf(u'"', at_);
        if (end < 0) return failAt(begin, QStringLiteral("the quotation mark is not closed"));
        at_ = end + 1;
        return Token{.kind = Token::Kind::Quoted, .at = begin, .text = text_.mid(begin + 1, end - begin - 1)};
    }

    const QString& text_;
    qsizetype at_ = 0;
};

class Parser {
public:
    Parser(std::vector<Token> tokens, qsizetype textSize, const FilterFields& fields)
        : tokens_(std::move(tokens)), textSize_(textSize), fields_(fields) {}

    Parsed<Node> whole() {
        if (peek().kind == Token::Kind::End) return Node{};
        auto node = expression(0);
        if (node && peek().kind != Token::Kind::End) return failAt(peek().at, QStringLiteral("“)” closes nothing"));
        return node;
    }

    [[nodiscard]] const QString& unfinished() const { return unfinished_; }
    [[nodiscard]] bool namesArchived() const { return namesArchived_; }

private:
    Parsed<Node> expression(int depth) {
        return list(
            Kind::Any, [&] { return conjunction(depth); }, [&] { return takeKeyword("or"); });
    }

    Parsed<Node> conjunction(int depth) {
        return list(
            Kind::All, [&] { return term(depth); },
            [&] { return takeKeyword("and") || (!isEnd(peek()) && !isKeyword(peek(), "or")); });
    }

    template <class Part, class More>
    Parsed<Node> list(Kind kind, const Part& part, const More& more) {
        Node node{.kind = kind};
        do {
            auto one = part();
            if (!one) return one;
            if (one->kind != Kind::Unfinished) node.parts.push_back(std::move(*one));
        } while (more());
        if (node.parts.empty()) return Node{.kind = Kind::Unfinished};
        return node.parts.size() == 1 ? std::move(node.parts.front()) : node;
    }

    Parsed<Node> term(int depth) {
        if (depth > kDeepestNesting)
            return failAt(peek().at, QStringLiteral("more than %1 levels").arg(kDeepestNesting));
        if (takeKeyword("not")) {
            auto inner = term(depth + 1);
            if (inner) return negated(std::move(*inner));
            return inner;
        }
        const Token token = peek();
        if (token.kind == Token::Kind::Open) return group(depth);
        if (!isValue(token) || isKeyword(token, "and") || isKeyword(token, "or")) {
            return failAt(token.at, expectedTerm(token));
        }
        ++next_;
        if (peek().kind == Token::Kind::Operator) return comparison(token);
        const bool without = isKeyword(peek(), "not");
        const std::size_t in = next_ + (without ? 1 : 0);
        if (!isKeyword(tokens_[in], "in") || tokens_[in + 1].kind != Token::Kind::Open) return word(token);
        next_ = in + 2;
        auto any = anyOf(token);
        return any && without ? negated(std::move(*any)) : any;
    }

    // Reads the values of a list up to ")" as comparisons with "=", joined by "or".
    Parsed<Node> anyOf(const Token& name) {
        const qsizetype open = tokens_[next_ - 1].at;
        std::vector<Token> values;
        for (; isValue(peek()); ++next_) {
            if (peek().kind == Token::Kind::Quoted) values.push_back(peek());
            if (peek().kind != Token::Kind::Word) continue;
            for (const QString& part : peek().text.split(u',', Qt::SkipEmptyParts)) {
                if (!values.empty() && takesUnit(values.back(), part)) {
                    values.back().text += part;
                } else {
                    values.push_back({.kind = Token::Kind::Word, .at = peek().at, .text = part});
                }
            }
        }
        if (peek().kind == Token::Kind::End) return failAt(open, QStringLiteral("“(” is not closed"));
        if (values.empty() || peek().kind != Token::Kind::Close) {
            return failAt(peek().at, QStringLiteral("expected values after “in (”"));
        }
        ++next_;
        Node any{.kind = Kind::Any};
        for (const Token& value : values) {
            auto one = compare(name, FilterOperator::Equal, value);
            if (!one) return one;
            any.parts.push_back(std::move(*one));
        }
        return any;
    }

    Parsed<Node> group(int depth) {
        const qsizetype at = tokens_[next_++].at;
        auto inner = expression(depth + 1);
        if (!inner) return inner;
        if (peek().kind != Token::Kind::Close) return failAt(at, QStringLiteral("“(” is not closed"));
        ++next_;
        return inner;
    }

    static Node negated(Node inner) {
        if (inner.kind == Kind::Unfinished) return inner;
        Node node{.kind = Kind::Not};
        node.parts.push_back(std::move(inner));
        return node;
    }

    [[nodiscard]] Node word(const Token& token) {
        const bool isLast = token.kind == Token::Kind::Word && token.at + token.text.size() == textSize_;
        if (isLast && compared_ && beginsName(token.text) && !isFlag(token)) {
            unfinished_ = token.text;
            return {.kind = Kind::Unfinished};
        }
        const bool without = token.kind == Token::Kind::Word && token.text.size() > 1 && token.text[0] == u'-';
        const Token bare{.kind = token.kind, .at = token.at, .text = without ? token.text.mid(1) : token.text};
        Node node{.kind = Kind::Word, .word = bare.text.toLower()};
        if (isFlag(bare)) {
            const RunField flag = *fields_.find(bare.text).field;
            node = compared(flag, *FilterComparison::make(flag, FilterOperator::Equal, QStringLiteral("true"), false));
        }
        return without ? negated(std::move(node)) : node;
    }

    Parsed<Node> comparison(const Token& name) {
        const Token op = tokens_[next_++];
        Token value = peek();
        if (!isValue(value)) return failAt(value.at, QStringLiteral("expected a value after “%1”").arg(op.text));
        ++next_;
        if (peek().kind == Token::Kind::Word && takesUnit(value, peek().text)) value.text += tokens_[next_++].text;
        return compare(name, op.op, value);
    }

    Parsed<Node> compare(const Token& name, FilterOperator op, const Token& value) {
        compared_ = true;
        const FilterFields::Answer answer = fields_.find(name.text);
        if (!answer.field) return failAt(name.at, unknownField(name.text, answer));
        auto made = FilterComparison::make(*answer.field, op, value.text, value.kind == Token::Kind::Quoted);
        if (!made) return failAt(value.at, made.error());
        return compared(*answer.field, std::move(*made));
    }

    Node compared(const RunField& field, FilterComparison comparison) {
        namesArchived_ = namesArchived_ || field.name == QLatin1String("archived");
        return Node{.kind = Kind::Comparison, .comparison = std::move(comparison)};
    }

    [[nodiscard]] bool isFlag(const Token& token) const {
        if (token.kind != Token::Kind::Word) return false;
        const FilterFields::Answer answer = fields_.find(token.text);
        return answer.field && answer.field->kind == FieldKind::Flag;
    }

    [[nodiscard]] bool beginsName(const QString& word) const {
        for (const char* keyword : {"and", "or", "not"}) {
            if (QString::fromLatin1(keyword).startsWith(word, Qt::CaseInsensitive)) return true;
        }
        return fields_.hasNameThatBegins(word);
    }

    [[nodiscard]] QString unknownField(const QString& name, const FilterFields::Answer& answer) const {
        const QString names = answer.candidates.join(QStringLiteral(", "));
        if (answer.ambiguous) return QStringLiteral("“%1” may be %2: write one of them").arg(name, names);
        const QString unknown = fields_.unknownField(name);
        return names.isEmpty() ? unknown : unknown + QStringLiteral("; near it: %1").arg(names);
    }

    static QString expectedTerm(const Token& found) {
        const QString wanted = QStringLiteral("expected a word, a comparison or “(”");
        if (found.kind == Token::Kind::End) return wanted;
        return wanted + QStringLiteral(", found “%1”").arg(found.text);
    }

    static bool isKeyword(const Token& token, const char* word) {
        return token.kind == Token::Kind::Word && token.text.compare(QLatin1String(word), Qt::CaseInsensitive) == 0;
    }
    static bool isValue(const Token& token) {
        return token.kind == Token::Kind::Word || token.kind == Token::Kind::Quoted;
    }
    static bool takesUnit(const Token& number, const QString& word) {
        return number.kind == Token::Kind::Word && number.text.back().isDigit() && isUnit(word);
    }
    static bool isEnd(const Token& token) { return token.kind == Token::Kind::End || token.kind == Token::Kind::Close; }
    bool takeKeyword(const char* word) {
        if (!isKeyword(peek(), word)) return false;
        ++next_;
        return true;
    }
    [[nodiscard]] const Token& peek() const { return tokens_[next_]; }

    std::vector<Token> tokens_;
    std::size_t next_ = 0;
    const qsizetype textSize_;
    bool compared_ = false;
    QString unfinished_;
    bool namesArchived_ = false;
    const FilterFields& fields_;
};

}  // namespace

tl::expected<FilterExpression, FilterError> FilterExpression::parse(const QString& text, const FilterFields& fields) {
    auto tokens = Lexer(text).tokens();
    if (!tokens) return tl::unexpected<FilterError>(tokens.error());
    Parser parser(std::move(*tokens), text.size(), fields);
    auto root = parser.whole();
    if (!root) return tl::unexpected<FilterError>(root.error());
    FilterExpression expression;
    expression.root_ = std::move(*root);
    expression.unfinished_ = parser.unfinished();
    expression.namesArchived_ = parser.namesArchived();
    return expression;
}

bool FilterExpression::holds(const Node& node, const RunItem& run) {
    const auto part = [&](const Node& one) { return holds(one, run); };
    switch (node.kind) {
        case Kind::All: return std::all_of(node.parts.begin(), node.parts.end(), part);
        case Kind::Any: return std::any_of(node.parts.begin(), node.parts.end(), part);
        case Kind::Not: return !holds(node.parts.front(), run);
        case Kind::Word: return run.haystack.contains(node.word);
        case Kind::Comparison: return node.comparison->holds(run);
        case Kind::Unfinished: return true;
    }
    return false;
}

QString experimentFilter(const QString& experiment) {
    return QStringLiteral("experiment = \"%1\"").arg(QString(experiment).remove(QLatin1Char('"')));
}

ExperimentRuns comparedWith(const RunItem& run, std::span<const RunItemPtr> all) {
    ExperimentRuns out{.filter = experimentFilter(QString::fromStdString(run.row.experiment))};
    bool others = false;
    for (const RunItemPtr& one : all) {
        if (one->row.experiment != run.row.experiment) continue;
        const bool belongs = isProbe(one->row) == isProbe(run.row);
        if (belongs) out.runs.push_back(one);
        others = others || !belongs;
    }
    if (others)
        out.filter += QStringLiteral(" and algorithm %1 probe").arg(QLatin1String(isProbe(run.row) ? "=" : "!="));
    return out;
}

}  // namespace dasgd::gui
