#include "core/models/script/script_source.h"

#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/tree_views.h>

#include <algorithm>
#include <string>

namespace dasgd {

namespace {

class SourceCheck {
public:
    explicit SourceCheck(const std::shared_ptr<torch::jit::Source>& source) : parser_(source) {}

    // Goes through the text as torch::jit::SourceImporter does, so that both see the same classes and functions.
    void run() {
        torch::jit::Lexer& lexer = parser_.lexer();
        // PyTorch 1.3 and before begin with op_version_set = 1 and imports.
        if (lexer.cur().kind == TK_IDENT && lexer.cur().text() == "op_version_set") {
            lexer.next();
            lexer.expect('=');
            lexer.expect(TK_NUMBER);
            lexer.expect(TK_NEWLINE);
        }
        while (lexer.cur().kind != TK_EOF) {
            if (lexer.nextIf(TK_IMPORT)) {
                while (lexer.cur().kind != TK_NEWLINE && lexer.cur().kind != TK_EOF) lexer.next();
                lexer.expect(TK_NEWLINE);
            } else if (lexer.cur().kind == TK_CLASS_DEF) {
                checkClass(torch::jit::ClassDef(parser_.parseClass()));
            } else {
                checkDefaults(parser_.parseFunction(/*is_method=*/false));
            }
        }
    }

private:
    using enum torch::jit::TokenKind;
    using TreeRef = torch::jit::TreeRef;
    using Expr = torch::jit::Expr;
    using Select = torch::jit::Select;

    static bool isName(const TreeRef& tree, const std::string& name) {
        return tree->kind() == TK_VAR && torch::jit::Var(tree).name().name() == name;
    }

    // True for numbers as LibTorch writes them: -1, inf, 1.-2.j.
    static bool isNumber(const TreeRef& tree) {
        switch (tree->kind()) {
            case TK_CONST: return true;
            case TK_VAR:
                return isName(tree, "inf") || isName(tree, "nan") || isName(tree, "infj") || isName(tree, "nanj");
            case TK_UNARY_MINUS:
            case '+':
            case '-': return std::ranges::all_of(tree->trees(), isNumber);
            default: return false;
        }
    }

    // True for CONSTANTS.c0 and __torch__.Color.RED. Reading a name under __torch__ compiles what it names and calls
    // nothing; reading an attribute of a constant could.
    static bool isNamedValue(const Select& name) {
        Expr base = name.value();
        if (isName(base, "CONSTANTS")) return true;
        while (base.kind() == '.') base = Select(base).value();
        return isName(base, "__torch__");
    }

    // True for the two calls among plain values: annotate(List[int], []) and torch.device("cpu").
    static bool isPlainCall(const torch::jit::Apply& call) {
        const Expr callee = call.callee();
        const torch::jit::List<Expr> inputs = call.inputs();
        if (!call.attributes().empty()) return false;
        if (isName(callee, "annotate")) return inputs.size() == 2 && isPlain(inputs[1]);
        const bool isDevice = callee.kind() == '.' && isName(Select(callee).value(), "torch") &&
                              Select(callee).selector().name() == "device";
        return isDevice && inputs.size() == 1 && inputs[0].kind() == TK_STRINGLITERAL;
    }

    static bool isPlain(const TreeRef& tree) {
        switch (tree->kind()) {
            case TK_STRINGLITERAL:
            case TK_TRUE:
            case TK_FALSE:
            case TK_NONE: return true;
            case TK_LIST:
            case TK_LIST_LITERAL:
            case TK_TUPLE_LITERAL:
            case TK_DICT_LITERAL: return std::ranges::all_of(tree->trees(), isPlain);
            case '.': return isNamedValue(Select(tree));
            case TK_APPLY: return isPlainCall(torch::jit::Apply(tree));
            default: return isNumber(tree);
        }
    }

    [[noreturn]] static void refuse(const torch::jit::SourceRange& range, const std::string& what) {
        std::string place;
        if (const auto found = range.file_line_col()) {
            const auto& [file, line, column] = *found;
            place = file + ":" + std::to_string(line) + ":" + std::to_string(column + 1) + ": ";
        }
        throw RefusedCode(place + what +
                          " is code, which would run while the file is read. Only numbers, text, True, False, None and "
                          "lists of them may stand there: compute the value in forward, and save the network again");
    }

    // Looks at the defaults of the functions in `tree`, wherever they are defined: in another function too.
    static void checkDefaults(const TreeRef& tree) {
        if (tree->kind() == TK_PARAM) {
            const torch::jit::Param parameter(tree);
            const torch::jit::Maybe<Expr> value = parameter.defaultValue();
            if (value.present() && !isPlain(value.get())) {
                refuse(value.get().range(), "the default value of " + parameter.ident().name());
            }
        }
        for (const TreeRef& part : tree->trees()) checkDefaults(part);
    }

    static void checkClass(const torch::jit::ClassDef& definition) {
        // LibTorch exchanges the type and the default of a field, so that it runs the type. PyTorch writes no defaults
        // of fields.
        const bool isTuple = definition.superclass().present() && isName(definition.superclass().get(), "NamedTuple");
        for (const torch::jit::Stmt& statement : definition.body()) {
            if (statement.kind() != TK_ASSIGN) continue;
            const torch::jit::Assign assignment(statement);
            if (!assignment.rhs().present()) continue;
            // __annotations__["0"] = T: a type, which is read and not run.
            if (!isTuple && assignment.lhs().kind() == TK_SUBSCRIPT) continue;
            if (!isTuple && isPlain(assignment.rhs().get())) continue;
            refuse(assignment.range(), "a value in class " + definition.name().name());
        }
        checkDefaults(definition);
    }

    torch::jit::Parser parser_;
};

}  // namespace

void checkSource(const std::shared_ptr<torch::jit::Source>& source) { SourceCheck(source).run(); }

}  // namespace dasgd
