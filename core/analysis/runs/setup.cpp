#include "core/analysis/runs/setup.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace dasgd {

namespace {

constexpr std::size_t kMostValues = 6;
constexpr std::size_t kLongestDetail = 40;

std::string settingText(const Settings& settings, const std::string& key) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::string() : found->second;
}

// Settings below `prefix`, without seeds and those in `said`.
Settings below(const Settings& settings, std::string_view prefix, const std::set<std::string>& said) {
    Settings found;
    for (const auto& [key, value] : settings) {
        if (key.starts_with(prefix) && !seedKeys().contains(key) && !said.contains(key)) found[key] = value;
    }
    return found;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

SetupPart batchOf(const Settings& settings) {
    std::string text = settingText(settings, "train.batch_size");
    const std::string times = settingText(settings, "train.accumulate");
    if (!times.empty() && times != "1") text += " × " + times;
    return {"batch", text.empty() ? text : text + " a worker", {}};
}

SetupPart linkOf(const Settings& settings, TimeSource time) {
    if (time == TimeSource::Simulated) {
        return {"link",
                joined({settingText(settings, "network.name"), settingText(settings, "network.bandwidth"),
                        settingText(settings, "network.latency"), "simulated"}),
                below(settings, "network.", {"network.name", "network.bandwidth", "network.latency"})};
    }
    if (time == TimeSource::Imported) return {"link", "", {}};
    const std::string bandwidth = settingText(settings, "cluster.link.bandwidth");
    // The number of hosts is a part of its own, which not every record has.
    if (bandwidth.empty()) return {"link", "not emulated", {}};
    return {"link", joined({bandwidth, settingText(settings, "cluster.link.latency"), "emulated"}), {}};
}

SetupPart computingOf(const Settings& settings, TimeSource time) {
    if (time != TimeSource::Simulated) return {"computing", "", {}};
    const std::string device = settingText(settings, "compute.device"),
                      step = settingText(settings, "compute.step_time");
    return {"computing", device.empty() || device == "none" ? step + (step.empty() ? "" : " a step") : device,
            below(settings, "compute.", {"compute.device", "compute.step_time", "compute.mode"})};
}

// Settings of reading: they change no sample, and where samples lie is no property of them.
const std::set<std::string>& kindsOfReading() {
    static const std::set<std::string> kKeys{"data.name", "data.path", "data.threads", "data.prefetch",
                                             "data.device_data"};
    return kKeys;
}

using Setups = std::vector<const RunSetup*>;
using Parts = std::vector<const SetupPart*>;

Setups pointersTo(const std::vector<RunSetup>& setups) {
    Setups pointers;
    pointers.reserve(setups.size());
    for (const RunSetup& setup : setups) pointers.push_back(&setup);
    return pointers;
}

// The parts named `what`, each once, in their order. There may be as many as runs.
Parts partsOf(const Setups& setups, const std::string& what) {
    const auto before = [](const SetupPart* a, const SetupPart* b) {
        return std::tie(a->text, a->detail) < std::tie(b->text, b->detail);
    };
    std::set<const SetupPart*, decltype(before)> known;
    Parts parts;
    for (const RunSetup* setup : setups) {
        const auto own = std::ranges::find(*setup, what, &SetupPart::what);
        if (own != setup->end() && known.insert(&*own).second) parts.push_back(&*own);
    }
    return parts;
}

// The settings that are the same in all of them.
Settings commonDetail(const Parts& parts) {
    Settings common = parts.front()->detail;
    for (const SetupPart* part : parts)
        std::erase_if(common,
                      [&](const auto& entry) { return settingText(part->detail, entry.first) != entry.second; });
    return common;
}

std::string detailInWords(const SetupPart& part, const Settings& common) {
    std::string words;
    for (const auto& [key, value] : part.detail) {
        if (common.contains(key)) continue;
        words += (words.empty() ? "" : ", ") + key + "=" + (value.size() > kLongestDetail ? "…" : value);
    }
    return words.empty() ? words : " (" + words + ")";
}

std::vector<std::string> namesOfParts(const Setups& setups) {
    std::vector<std::string> names;
    for (const RunSetup* setup : setups) {
        for (const SetupPart& part : *setup) {
            if (std::ranges::find(names, part.what) == names.end()) names.push_back(part.what);
        }
    }
    return names;
}

}  // namespace

const char* timeInWords(TimeSource source) {
    switch (source) {
        case TimeSource::Measured: return "measured";
        case TimeSource::EmulatedLink: return "measured, emulated link";
        case TimeSource::Simulated: return "simulated";
        case TimeSource::Imported: return "imported";
    }
    return "";
}

RunMachine machineOf(const std::string& host, const std::string& cpu, std::size_t hosts) {
    RunMachine machine{.host = host, .processor = cpu, .cores = {}, .allCores = false, .hosts = hosts};
    const auto end = cpu.find(" cores to use");
    const auto comma = end == std::string::npos ? end : cpu.rfind(", ", end);
    if (comma == std::string::npos) return machine;
    machine.processor = cpu.substr(0, comma);
    // Only newer runs record how many other cores the host has: "8 of 64".
    machine.cores = cpu.substr(comma + 2, end - comma - 2);
    const auto others = machine.cores.find(" of ");
    machine.allCores = others == std::string::npos;
    machine.cores = machine.cores.substr(0, others);
    constexpr std::string_view kTime = " cores to use for the time of ";
    if (cpu.compare(end, kTime.size(), kTime) == 0) {
        const auto time = end + kTime.size();
        machine.time = cpu.substr(time, cpu.find(", ", time) - time);
    }
    return machine;
}

RunSetup setupOf(const Settings& settings, TimeSource time, const RunMachine& machine) {
    const bool ofMachine = time == TimeSource::Measured || time == TimeSource::EmulatedLink;
    const auto known = [&](const std::string& text) { return ofMachine ? text : std::string(); };
    // Each is a part of its own, so that a fact that one of two runs did not record is no difference between them.
    RunSetup setup{{"model", settingText(settings, "model.name"), below(settings, "model.", {"model.name"})},
                   {"data", settingText(settings, "data.name"), below(settings, "data.", kindsOfReading())},
                   {"workers", settingText(settings, "cluster.workers"), {}},
                   {"hosts", known(machine.hosts > 0 ? std::to_string(machine.hosts) : ""), {}},
                   batchOf(settings),
                   {"backend", settingText(settings, "cluster.backend"), {}},
                   linkOf(settings, time),
                   computingOf(settings, time),
                   {"machine", known(machine.host), {}},
                   {"processor", known(machine.processor), {}},
                   {"cores", known(machine.time.empty() ? machine.cores : machine.time + " of " + machine.cores), {}}};
    std::erase_if(setup, [](const SetupPart& part) { return part.text.empty(); });
    return setup;
}

std::vector<SetupDifference> setupDifferences(const std::vector<RunSetup>& setups) {
    return setupDifferences(pointersTo(setups));
}

std::vector<SetupDifference> setupDifferences(const std::vector<const RunSetup*>& setups) {
    std::vector<SetupDifference> differences;
    for (const std::string& what : namesOfParts(setups)) {
        const Parts parts = partsOf(setups, what);
        if (parts.size() < 2) continue;
        std::map<std::string_view, int> sameTexts;
        for (const SetupPart* part : parts) ++sameTexts[part->text];
        const Settings common = commonDetail(parts);
        SetupDifference difference{what, {}};
        for (const SetupPart* part : parts) {
            const bool named = sameTexts[part->text] == 1;
            difference.values.push_back(part->text + (named ? "" : detailInWords(*part, common)));
        }
        differences.push_back(std::move(difference));
    }
    return differences;
}

RunSetup commonSetup(const std::vector<RunSetup>& setups) {
    RunSetup common;
    const Setups each = pointersTo(setups);
    for (const std::string& what : namesOfParts(each)) {
        const bool all = std::ranges::all_of(setups, [&](const RunSetup& setup) {
            return std::ranges::find(setup, what, &SetupPart::what) != setup.end();
        });
        const Parts parts = partsOf(each, what);
        if (all && parts.size() == 1) common.push_back(*parts.front());
    }
    return common;
}

std::string setupInWords(const std::vector<SetupDifference>& differences) {
    std::string text;
    for (const auto& [what, values] : differences) {
        text += (text.empty() ? "" : "; ") + what + " ";
        for (std::size_t i = 0; i < std::min(values.size(), kMostValues); ++i) text += (i > 0 ? " / " : "") + values[i];
        if (values.size() > kMostValues) text += " and " + std::to_string(values.size() - kMostValues) + " more";
    }
    return text;
}

std::string setupInWords(const RunSetup& setup) {
    std::string text;
    bool afterModel = false;
    for (const auto& [what, own, detail] : setup) {
        const std::string words = what == "workers"   ? own + (own == "1" ? " worker" : " workers")
                                  : what == "hosts"   ? own + (own == "1" ? " host" : " hosts")
                                  : what == "cores"   ? own + (own == "1" ? " core" : " cores")
                                  : what == "data"    ? (afterModel ? "on " + own : "data " + own)
                                  : what == "model"   ? own
                                  : what == "backend" ? own
                                                      : what + " " + own;
        text += (text.empty() ? "" : what == "data" && afterModel ? " " : ", ") + words;
        afterModel = what == "model";
    }
    return text;
}

}  // namespace dasgd
