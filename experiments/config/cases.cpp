#include "experiments/config/cases.h"

#include <utility>

namespace dasgd::experiments {

namespace {

constexpr int kDeepest = 8;
constexpr std::string_view kKey = "case";

void layOver(Value& base, const Value& above) {
    for (const auto& [key, value] : *above.as<Value::Table>()) {
        Value* below = base.find(key);
        if (below && below->isTable() && value.isTable()) {
            layOver(*below, value);
        } else {
            base.set(key, value);
        }
    }
}

std::string nameOf(const Value& one, std::size_t index) {
    const Value* name = one.find("name");
    const std::string* text = name ? name->as<std::string>() : nullptr;
    return text ? *text : std::to_string(index + 1);
}

Result<std::vector<Case>> lay(const Value& document, const std::string& label, int depth) {
    const Value* found = document.find(kKey);
    if (!found) return std::vector<Case>{{document, label}};
    const auto* cases = found->as<Value::Array>();
    if (!cases)
        return found->error("case must be an array of tables, as [[case]], found " + std::string(found->typeName()));
    if (cases->empty()) return found->error("case is empty; write at least one [[case]], or leave it out");
    if (depth == kDeepest) return found->error("cases nest more than " + std::to_string(kDeepest) + " deep");
    Value base = document;
    base.erase(kKey);
    std::vector<Case> laid;
    for (std::size_t i = 0; i < cases->size(); ++i) {
        const Value& one = (*cases)[i];
        if (!one.isTable())
            return one.error("a case must be a table, as [[case]], found " + std::string(one.typeName()));
        Value chosen = base;
        layOver(chosen, one);
        const std::string name = nameOf(one, i);
        DASGD_ASSIGN(auto inside, lay(chosen, label.empty() ? "case=" + name : label + "/" + name, depth + 1));
        for (Case& each : inside) laid.push_back(std::move(each));
    }
    return laid;
}

}  // namespace

Result<std::vector<Case>> expandCases(const Value& document) { return lay(document, "", 0); }

}  // namespace dasgd::experiments
