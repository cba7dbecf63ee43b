#include "experiments/config/calibrated_cluster.h"

#include <algorithm>
#include <array>

#include "core/backends/layout.h"

namespace dasgd::experiments {

namespace {

// Cases are laid over the document afterwards, and would be laid over the calibration.
Status checkCases(const Value& document) {
    const Value* found = document.find("case");
    const auto* cases = found ? found->as<Value::Array>() : nullptr;
    if (!cases) return {};
    for (const Value& one : *cases) {
        if (!one.isTable()) continue;
        for (const auto& [name, section] : *one.as<Value::Table>()) {
            const bool ofCalibration =
                name == "network" || name == "compute" ||
                (name == "cluster" && section.isTable() && (section.find("backend") || section.find("link")));
            if (!ofCalibration) continue;
            return fail(section.keyPosition().prefix() + "this case has a " + name +
                        " of its own, and --calibration puts every case onto one cluster: take it out of the case, or "
                        "leave --calibration out");
        }
        DASGD_TRY(checkCases(one));
    }
    return {};
}

}  // namespace

bool timeIsSimulated(const std::string& backend) {
    const auto layout = layoutOf(backend, 1);
    return layout && layout->timeSimulated;
}

Status applyCalibration(Value& document, const Value& calibration) {
    constexpr std::array<std::string_view, 3> kSections{"cluster", "network", "compute"};
    for (const auto& [name, section] : *calibration.as<Value::Table>()) {
        if (std::ranges::find(kSections, name) != kSections.end() && section.isTable()) continue;
        return fail(section.keyPosition().prefix() + "'" + name +
                    "' has no place in a calibration, which has the tables cluster, network and compute");
    }
    DASGD_TRY(checkCases(document));
    Value cluster = document.find("cluster") ? *document.find("cluster") : Value();
    if (!cluster.isTable()) return cluster.error("cluster must be a table");
    cluster.erase("link");
    if (const Value* before = cluster.find("backend")) {
        const auto* name = before->as<std::string>();
        for (const std::string& field : ownFieldsOf(name ? *name : "")) cluster.erase(field);
    }
    if (const Value* given = calibration.find("cluster")) {
        const Value* backend = given->find("backend");
        const auto* name = backend ? backend->as<std::string>() : nullptr;
        if (name && !timeIsSimulated(*name)) {
            return backend->error("a calibration is a virtual cluster; its backend is \"" + *name + "\"");
        }
        const Value* workers = given->find("workers");
        if (workers && !cluster.find("workers")) cluster.set("workers", *workers);
    }
    if (!calibration.find("network")) {
        return calibration.error(
            "a calibration needs a [network]; write one, or take the calibration of a run that communicates: dasgd "
            "calibrate FILE -o calibration.toml");
    }
    cluster.set("backend", Value(std::string("virtual")));
    document.set("cluster", std::move(cluster));
    for (const char* section : {"network", "compute"}) {
        if (const Value* given = calibration.find(section)) document.set(section, *given);
    }
    return {};
}

}  // namespace dasgd::experiments
