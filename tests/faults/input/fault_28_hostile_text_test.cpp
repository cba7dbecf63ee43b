// Fault 28: names of experiments and notes hold HTML, formulas of spreadsheets, commands of LaTeX and quotes. In
// tables, CSV, JSON, LaTeX and pictures they are text.
#include <nlohmann/json.hpp>

#include "tests/faults/support/fault_case.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::test {
namespace {

const std::vector<std::string> kHostileNames{"=cmd()",
                                             "\\input{/etc/passwd}",
                                             "<img src=x onerror=alert(1)>",
                                             "a\"b'c,d;e",
                                             "@SUM(A1)",
                                             "\\write18{touch x}",
                                             "]]><script>x</script>",
                                             "%n%s${HOME}`id`",
                                             "+1+1",
                                             "$x^2$ 100 % #1",
                                             "<b>bold</b> &amp;",
                                             "a_b & c~d",
                                             "-1+1",
                                             "{\\catcode`\\%=12 }"};

// Fields of CSV (RFC 4180), row by row; nullopt where it is none.
std::optional<std::vector<std::vector<std::string>>> fieldsOf(const std::string& csv) {
    std::vector<std::vector<std::string>> rows{{""}};
    bool quoted = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        std::string& field = rows.back().back();
        if (quoted) {
            if (csv[i] != '"') {
                field += csv[i];
            } else if (i + 1 < csv.size() && csv[i + 1] == '"') {
                field += csv[++i];
            } else {
                quoted = false;
            }
        } else if (csv[i] == '"') {
            if (!field.empty()) return std::nullopt;
            quoted = true;
        } else if (csv[i] == ',') {
            rows.back().emplace_back();
        } else if (csv[i] == '\n') {
            rows.push_back({""});
        } else if (csv[i] != '\r') {
            field += csv[i];
        }
    }
    if (quoted) return std::nullopt;
    return rows;
}

bool isNumber(const std::string& field) {
    char* end = nullptr;
    std::strtod(field.c_str(), &end);
    return !field.empty() && *end == '\0';
}

// Nothing that a spreadsheet would run, and as many fields in each row.
bool isHarmlessCsv(const std::string& csv) {
    const auto rows = fieldsOf(csv);
    if (!rows || rows->size() < 2) return false;
    for (const auto& row : *rows) {
        if (row == std::vector<std::string>{""}) continue;
        if (row.size() != rows->front().size()) return false;
        for (const std::string& field : row) {
            const bool formula = !field.empty() && std::string("=+-@\t").find(field[0]) != std::string::npos;
            if (formula && !isNumber(field)) return false;
        }
    }
    return true;
}

// Bytes with which text steers a terminal, line breaks apart.
bool isPlainForTerminals(const std::string& text) {
    return std::ranges::none_of(text,
                                [](char c) { return (c >= 0 && c < 0x20 && c != '\n' && c != '\t') || c == 0x7F; }) &&
           text.find("\xE2\x80\xAE") == std::string::npos;
}

std::string inToml(const std::string& text) {
    return nlohmann::json(text).dump();  // escapes of a basic string are those of JSON
}

class HostileName {
public:
    explicit HostileName(const std::string& name) : name_(name) {
        std::string experiment = quickExperiment("threads");
        experiment.replace(experiment.find("\"quick\""), 7, inToml(name));
        folder_.write("e.toml", experiment);
        EXPECT_EQ(ask({"run", "e.toml", "-q"}).exit, 0) << name;
        run_ = folder_.firstRun();
    }
    // The control: it was recorded as it is.
    [[nodiscard]] bool isThere() const {
        const auto json = nlohmann::json::parse(ask({"list", "--json"}).out, nullptr, false);
        return json.is_object() && json["experiment"] == name_;
    }
    [[nodiscard]] bool isTextInTerminals() const {
        bool plain = true;
        for (const std::vector<std::string>& command :
             std::vector<std::vector<std::string>>{{"list"},
                                                   {"show", run_},
                                                   {"compare", run_},
                                                   {"queue", "add", "e.toml"},
                                                   {"queue"},
                                                   {"note", run_, "--text=" + name_}}) {
            const Ended ended = ask(command);
            EXPECT_EQ(ended.exit, 0) << command.front() << ": " << ended.err;
            EXPECT_TRUE(isPlainForTerminals(ended.out + ended.err)) << command.front() << ": " << ended.out;
            plain = plain && ended.exit == 0 && isPlainForTerminals(ended.out + ended.err);
        }
        return plain;
    }
    [[nodiscard]] bool isTextInFiles() const {
        bool text = nlohmann::json::accept(ask({"show", run_, "--json"}).out) &&
                    nlohmann::json::accept(ask({"compare", run_, "--json"}).out) &&
                    nlohmann::json::accept(ask({"note", run_, "--star", "--json"}).out);
        text = text && isHarmlessCsv(ask({"compare", run_, "--csv"}).out);
        const std::string csv = path("csv"), trace = path("trace.json");
        EXPECT_EQ(ask({"export", run_, "--csv", csv, "--trace", trace}).exit, 0);
        for (const auto& entry : std::filesystem::directory_iterator(csv)) {
            EXPECT_TRUE(isHarmlessCsv(contentOf(entry.path()))) << entry.path();
            text = text && isHarmlessCsv(contentOf(entry.path()));
        }
        return text && nlohmann::json::accept(contentOf(trace));
    }
    // Files that the window's program writes for papers, where curve, title and caption have that name.
    [[nodiscard]] bool isTextInFigures() const {
        if (*kLabProgram == '\0') return true;
        const nlohmann::json figure{
            {"version", 2}, {"runs", {run_}}, {"names", {{"dasgd", name_}}}, {"title", name_}, {"caption", name_}};
        folder_.write("loss.json", figure.dump());
        const Ended ended =
            StartedProgram(folder_.path(), {"figure", "loss.json", "--workspace", "w", "--out", "figures"},
                           {{"QT_QPA_PLATFORM", "offscreen"}}, kLabProgram)
                .wait();
        EXPECT_EQ(ended.exit, 0) << ended.err;
        if (ended.exit != 0) return false;
        // The control: it is in the numbers, as the name of the curve.
        const auto rows = fieldsOf(contentOf(folder_.path() / "figures/loss.csv"));
        bool text = rows && rows->size() > 1 && rows->at(1).front().ends_with(name_);
        EXPECT_TRUE(text) << name_;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "figures")) {
            const bool harmless = isHarmless(contentOf(entry.path()), entry.path().extension());
            EXPECT_TRUE(harmless) << name_ << ": " << entry.path();
            text = text && harmless;
        }
        return text;
    }

private:
    static bool isHarmless(const std::string& content, const std::string& type) {
        const auto has = [&](const char* part) { return content.find(part) != std::string::npos; };
        if (type == ".csv") return isHarmlessCsv(content);
        if (type == ".json") return nlohmann::json::accept(content);
        if (type == ".tex") return !has("\\input{/") && !has("\\write18") && !has("{\\catcode");
        if (type == ".svg") return !has("<script") && !has("<img") && !has("<b>");
        return true;
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    [[nodiscard]] Ended ask(std::vector<std::string> command) const {
        command.insert(command.end(), {"-w", "w"});
        return folder_.run(command);
    }

    std::string name_, run_;
    DasgdFolder folder_;
};

TEST(Fault28, NamesAreMarkupFormulasAndCommands) {
    int injected = 0, held = 0;
    const auto names = static_cast<std::size_t>(faultCount(1, static_cast<int>(kHostileNames.size())));
    for (std::size_t i = 0; i < names; ++i) {
        const HostileName name(kHostileNames[i]);
        const bool there = name.isThere();
        EXPECT_TRUE(there);
        injected += there;
        const bool text = name.isTextInTerminals() && name.isTextInFiles() && name.isTextInFigures();
        EXPECT_TRUE(text) << kHostileNames[i];
        held += text;
    }
    reportFault(28, "names and notes of HTML, formulas, LaTeX, quotes", "text in terminals, CSV, JSON, LaTeX and SVG",
                injected, held);
}

}  // namespace
}  // namespace dasgd::test
