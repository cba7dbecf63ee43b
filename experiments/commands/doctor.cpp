// `dasgd doctor`: what a bug report needs, and whether anything here is broken.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/backends/layout.h"
#include "experiments/base/sockets.h"
#include "experiments/base/text.h"
#include "experiments/cluster/cluster_doctor.h"
#include "experiments/cluster/host/host_facts.h"
#include "experiments/commands/command.h"
#include "experiments/config/machine_check.h"
#include "experiments/ranks/meeting/rank_environment.h"
#include "experiments/run/host/hardware.h"
#include "experiments/run/record/provenance.h"
#include "experiments/tools/report/run_summary.h"
#include "storage/base/workspace.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

constexpr double kLittleDiskBytes = 1e9;
constexpr double kNoDiskBytes = 50e6;

struct Finding {
    std::string what;
    std::string verdict;  // ok, note, broken
    std::string text;
};

Finding versions() {
    const auto json = nlohmann::json::parse(versionsJson());
    std::string text = "dasgd " + json["dasgd"].get<std::string>();
    for (const auto& [name, version] : json.items()) {
        if (name != "dasgd") text += ", " + name + " " + version.get<std::string>();
    }
    return {"versions", "ok", text};
}

Finding machine() { return {"machine", "ok", machineInWords()}; }

// The GPUs that the driver lists, and for each backend that uses GPUs if it could run here.
std::vector<Finding> devices() {
    const std::string names = storage::hardwareText(gpus(), storage::kGpu);
    std::vector<Finding> findings{
        {"gpus", "ok", names.empty() ? "the driver knows of none: training is on the CPU" : names}};
    for (const std::string& backend : backendNames()) {
        if (!layoutOf(backend, 1)->onGpus) continue;
        Value cluster;
        cluster.set("backend", Value(backend));
        cluster.set("workers", Value(std::int64_t{1}));
        const Result<std::string> found = askAboutMachine(cluster);
        if (found) {
            findings.push_back({backend, "ok", "can train: " + *found});
        } else {
            // Nothing is amiss on a machine without GPUs.
            findings.push_back({backend, names.empty() ? "ok" : "note", "cannot train: " + found.error().message});
        }
    }
    return findings;
}

Finding links() {
    const std::string text = storage::hardwareText(networkInterfaces(), storage::kNic);
    return {"links", "ok", text.empty() ? "no network interface but loopback is up" : text};
}

Finding interfaces() {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return {"interfaces", "broken", "the kernel does not list them"};
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
    std::string text;
    bool loopback = false;
    for (const ifaddrs* each = list; each; each = each->ifa_next) {
        if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET || !(each->ifa_flags & IFF_UP)) continue;
        char address[INET_ADDRSTRLEN] = "";
        ::inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(each->ifa_addr)->sin_addr, address, sizeof address);
        loopback = loopback || std::string_view(address).starts_with("127.");
        text += (text.empty() ? "" : ", ") + std::string(each->ifa_name) + " " + address;
    }
    if (!loopback) return {"interfaces", "broken", "loopback is down, local ranks cannot meet: `ip link set lo up`"};
    return {"interfaces", "ok", text};
}

// The folder itself or, where it is still to be made, the nearest one above it.
fs::path nearestExisting(fs::path folder) {
    std::error_code code;
    folder = fs::absolute(folder, code);
    while (!fs::exists(folder, code) && folder.has_relative_path()) folder = folder.parent_path();
    return folder;
}

Finding workspaceFolder(const std::string& workspace) {
    const fs::path folder = nearestExisting(workspace);
    if (!fs::is_directory(folder)) return {"workspace", "broken", folder.string() + " is not a folder"};
    const fs::path probe = folder / (".dasgd-doctor-" + std::to_string(::getpid()));
    std::ofstream out(probe);
    out << "probe";
    out.close();
    const bool written = static_cast<bool>(out);
    std::error_code code;
    fs::remove(probe, code);
    if (!written) return {"workspace", "broken", folder.string() + " cannot be written; choose another --workspace"};
    const Status suits = storage::checkPlace(workspace);
    if (!suits) return {"workspace", "broken", suits.error().message};
    const bool there = fs::exists(workspace, code);
    return {"workspace", "ok", workspace + (there ? " can be written" : " does not exist yet and can be made")};
}

Finding disk(const std::string& workspace) {
    struct statvfs info {};
    if (::statvfs(nearestExisting(workspace).c_str(), &info) != 0) return {"disk", "broken", "cannot be asked"};
    const double free = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
    const std::string verdict = free < kNoDiskBytes ? "broken" : free < kLittleDiskBytes ? "note" : "ok";
    return {"disk", verdict, byteCount(free) + " free for the workspace"};
}

Finding database(const std::string& workspace) {
    std::error_code code;
    if (!fs::exists(fs::path(workspace) / "lab.db", code)) return {"database", "ok", "none yet"};
    auto reader = storage::WorkspaceReader::open(workspace);
    if (!reader) return {"database", "broken", reader.error().message};
    if (const Status sound = reader->checkIntegrity(); !sound) return {"database", "broken", sound.error().message};
    const auto rows = reader->runs().list();
    if (!rows) return {"database", "broken", rows.error().message};
    return {"database", "ok", std::to_string(rows->size()) + " runs, integrity ok"};
}

Finding sockets() {
    std::string text;
    bool everywhere = false;
    for (const ListeningSocket& socket : ownListeningSockets()) {
        everywhere = everywhere || socket.everywhere;
        text += (text.empty() ? "" : ", ") + socket.address + " (process " + std::to_string(socket.process) + ")";
    }
    if (text.empty()) return {"sockets", "ok", "no dasgd process listens"};
    return {"sockets", everywhere ? "broken" : "ok", text};
}

std::string column(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size() + 1), ' ');
    return text;
}

int examine(const std::string& workspace, bool json) {
    std::vector<Finding> findings{versions(), machine()};
    for (Finding& finding : devices()) findings.push_back(std::move(finding));
    for (Finding& finding : std::vector<Finding>{interfaces(), links(), workspaceFolder(workspace), disk(workspace),
                                                 database(workspace), sockets()}) {
        findings.push_back(std::move(finding));
    }
    bool broken = false;
    nlohmann::json all = nlohmann::json::array();
    std::string text;
    for (const Finding& finding : findings) {
        broken = broken || finding.verdict == "broken";
        all.push_back({{"check", finding.what}, {"verdict", finding.verdict}, {"text", finding.text}});
        text += column(finding.verdict, 8) + column(finding.what, 12) + printable(finding.text) + "\n";
    }
    if (json) text = dumpLine({{"ok", !broken}, {"checks", all}}) + "\n";
    std::fputs(text.c_str(), stdout);
    return broken ? kRunFailed : kFinished;
}

int examineCluster(const std::string& cluster, const std::string& workspace, bool json) {
    const auto profile = findClusterProfile(cluster, clusterFolders({}, processEnvironment));
    if (!profile) return refuse(profile.error());
    if (profile->kind == ClusterProfile::kLocal) {
        return examine(profile->workspace.empty() ? workspace : withHome(profile->workspace), json);
    }
    return reportFindings(profile->kind == ClusterProfile::kSsh ? examineHosts(*profile) : examineSlurm(*profile),
                          json);
}

struct DoctorOptions {
    std::string workspace, cluster;
    bool json = false;
};

Action declareDoctor(CLI::App& app) {
    auto options = std::make_shared<DoctorOptions>();
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "As one JSON object");
    app.add_option("--on", options->cluster,
                   "Ask the hosts of a cluster instead: NAME.toml here or in ~/.config/dasgd/clusters");
    app.footer("Exit status 1 where something is broken.");
    return [options] {
        if (!options->cluster.empty()) return examineCluster(options->cluster, options->workspace, options->json);
        return examine(options->workspace, options->json);
    };
}

const CommandRegistry::Add kDoctorEntry{
    {.order = 130, .name = "doctor", .summary = "Check this machine and the workspace", .declare = declareDoctor}};

}  // namespace

}  // namespace dasgd::experiments
