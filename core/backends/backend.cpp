#include "core/backends/backend.h"

#include <numeric>

#include "core/backends/simulated_sections.h"
#include "core/comm/emulated_link.h"

namespace dasgd {

bool Layout::isProcessARank() const {
    for (const auto& ranks : processes) {
        if (ranks.size() != 1) return false;
    }
    return true;
}

std::vector<int> Layout::journals() const {
    std::vector<int> own;
    for (const auto& ranks : processes) {
        if (sharedJournal) {
            own.push_back(ranks.front());
        } else {
            own.insert(own.end(), ranks.begin(), ranks.end());
        }
    }
    return own;
}

Layout Layout::processARank(int ranks) {
    Layout layout;
    for (int rank = 0; rank < ranks; ++rank) layout.processes.push_back({rank});
    return layout;
}

Layout Layout::oneProcess(int ranks) {
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    Layout layout;
    layout.processes.push_back(std::move(all));
    return layout;
}

std::vector<std::string> backendNames() { return BackendRegistry::names(); }

std::vector<std::string> backendsWithSimulatedTime() {
    std::vector<std::string> names = backendNames();
    std::erase_if(names, [](const std::string& name) { return !layoutOf(name, 1)->timeSimulated; });
    return names;
}

std::string backendSummaries() {
    std::string text;
    for (const auto& [name, entry] : BackendRegistry::entries()) {
        text += (text.empty() ? "" : "; ") + name + ": " + entry.summary;
    }
    return text;
}

Result<Layout> layoutOf(const std::string& backend, int ranks) {
    const BackendRegistry::Entry* entry = BackendRegistry::find(backend);
    if (!entry) return fail("unknown backend '" + backend + "'. Available: " + backendSummaries());
    DASGD_ASSIGN(const auto plugin, entry->create(Value(), {}));
    return plugin->layout(ranks);
}

std::vector<std::string> ownFieldsOf(const std::string& backend) {
    std::vector<std::string> names;
    if (const BackendRegistry::Entry* entry = BackendRegistry::find(backend)) {
        for (const FieldInfo& field : entry->fields) names.push_back(field.name);
    }
    return names;
}

Status refuseSimulatedSections(const Value& document, const ClusterParams& cluster) {
    for (const char* section : kSimulatedSections) {
        const Value* found = document.find(section);
        if (!found) continue;
        std::string names;
        for (const std::string& name : backendsWithSimulatedTime())
            names += (names.empty() ? "\"" : " or \"") + name + "\"";
        return fail(found->keyPosition().prefix() + "[" + section +
                    "] describes a virtual cluster, but the backend is '" + cluster.backend +
                    "': remove it, or set backend = " + names + " in [cluster]");
    }
    return {};
}

std::unique_ptr<Communicator> withLink(std::unique_ptr<Communicator> comm, const ClusterParams& cluster, Clock& clock) {
    if (!cluster.link) return comm;
    return emulateLink(std::move(comm),
                       {.alpha = cluster.link->latencySeconds(), .beta = 1 / cluster.link->bytesPerSecond()}, clock);
}

}  // namespace dasgd
