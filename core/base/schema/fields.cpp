#include "core/base/schema/fields.h"

#include <algorithm>
#include <cmath>

namespace dasgd::detail {

namespace {

std::string rangeText(const FieldSpec& spec, bool integer) {
    const auto number = [&](double v) {
        return integer ? std::to_string(static_cast<std::int64_t>(v)) : Value(v).toToml();
    };
    const bool low = std::isfinite(spec.min);
    const bool high = std::isfinite(spec.max);
    std::string text;
    if (low) text += (spec.minOpen ? "> " : ">= ") + number(spec.min);
    if (low && high) text += " and ";
    if (high) text += (spec.maxOpen ? "< " : "<= ") + number(spec.max);
    return spec.unit.empty() ? text : text + " " + spec.unit;
}

Status checkRange(const Value& value, const FieldSpec& spec, std::string_view name, double number, bool integer) {
    const bool low = spec.minOpen ? number > spec.min : number >= spec.min;
    const bool high = spec.maxOpen ? number < spec.max : number <= spec.max;
    if (low && high) return {};
    return value.error(std::string(name) + " is " + value.toToml() + "; allowed: " + rangeText(spec, integer));
}

tl::unexpected<Error> wrongType(const Value& value, std::string_view name, std::string_view wanted) {
    return value.error(std::string(name) + " must be " + std::string(wanted) + ", found " +
                       std::string(value.typeName()) + " (" + value.toToml() + ")");
}

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

Status readScalar(const Value& value, const FieldSpec&, std::string_view name, bool& out) {
    const bool* flag = value.as<bool>();
    if (!flag) return wrongType(value, name, "true or false");
    out = *flag;
    return {};
}

Status readScalar(const Value& value, const FieldSpec& spec, std::string_view name, std::int64_t& out) {
    const std::int64_t* number = value.as<std::int64_t>();
    if (!number) return wrongType(value, name, "an integer");
    DASGD_TRY(checkRange(value, spec, name, static_cast<double>(*number), true));
    out = *number;
    return {};
}

Status readScalar(const Value& value, const FieldSpec& spec, std::string_view name, double& out) {
    double number = 0;
    if (const double* real = value.as<double>()) {
        number = *real;
    } else if (const std::int64_t* integer = value.as<std::int64_t>()) {
        number = static_cast<double>(*integer);
    } else {
        return wrongType(value, name, "a number");
    }
    if (!std::isfinite(number)) return value.error(std::string(name) + " must be finite, found " + value.toToml());
    DASGD_TRY(checkRange(value, spec, name, number, false));
    out = number;
    return {};
}

Status readScalar(const Value& value, const FieldSpec& spec, std::string_view name, std::string& out) {
    const std::string* text = value.as<std::string>();
    if (!text) return wrongType(value, name, "a string");
    if (!spec.choices.empty() && std::find(spec.choices.begin(), spec.choices.end(), *text) == spec.choices.end()) {
        std::string known;
        for (const std::string& choice : spec.choices) known += (known.empty() ? "" : ", ") + choice;
        return value.error(std::string(name) + " is \"" + *text + "\"; allowed: " + known);
    }
    out = *text;
    return {};
}

const std::string* nearestName(std::string_view name, const std::vector<std::string>& known) {
    const std::string* nearest = nullptr;
    std::size_t best = 3;
    for (const std::string& candidate : known) {
        const std::size_t distance = editDistance(name, candidate);
        if (distance >= best) continue;
        best = distance;
        nearest = &candidate;
    }
    return nearest;
}

tl::unexpected<Error> unknownKey(const Value& at, std::string_view key, const std::vector<std::string>& known) {
    std::string message = "unknown key '" + std::string(key) + "'";
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
    const std::string* nearest = nearestName(key, known);
    message += nearest ? "; did you mean '" + *nearest + "'?" : ".";
    message += all.empty() ? " No keys are known here." : " Known here: " + all;
    return fail(at.keyPosition().prefix() + message);
}

}  // namespace dasgd::detail
