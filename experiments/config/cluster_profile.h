// The description of a cluster, shared by all experiments that run on it: a file NAME.toml that `dasgd run FILE --on
// NAME` reads.
//
//   kind = "ssh"
//   hosts = ["node1", "ada@node2:2222"]
//   ranks_per_host = 2
//   interface = "eth1"
//   workspace = "/local/dasgd"
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/fields.h"
#include "experiments/base/ssh_command.h"

namespace dasgd::experiments {

// How ssh is called. Numbers and addresses of hosts are rather in the user's own ssh configuration.
struct SshOptions {
    std::vector<std::string> options;
    void visit(auto&& f) {
        f(options, "options", {.help = "Arguments of ssh, in front of those of dasgd, as [\"-J\", \"gate\"]"});
    }
};

struct ClusterProfile {
    static constexpr const char* kLocal = "local";
    static constexpr const char* kSsh = "ssh";
    static constexpr const char* kSlurm = "slurm";

    std::string kind = kLocal;
    std::vector<std::string> hosts;
    std::int64_t ranksPerHost = 0;
    std::int64_t threads = 0;
    std::int64_t gpus = 0;
    std::string interface;
    std::int64_t port = 0;
    std::string workspace;
    std::string jobs;
    std::string dasgd = "dasgd";
    SshOptions ssh;
    void visit(auto&& f) {
        f(kind, "kind", {.help = "How ranks are started", .choices = {kLocal, kSsh, kSlurm}});
        f(hosts, "hosts", {.help = "Where ranks are started over ssh, as \"ada@node1:2222\"; the first has rank 0"});
        f(ranksPerHost, "ranks_per_host",
          {.min = 0, .max = 4096, .help = "How many there are room for; 0: as many as are needed, or as SLURM places"});
        f(threads, "threads",
          {.min = 0, .max = 4096, .help = "Of each rank, in place of cluster.threads_per_worker; 0: as the file says"});
        f(gpus, "gpus", {.min = 0, .max = 64, .help = "Of each host, for its ranks; 0: as there are"});
        f(interface, "interface", {.help = "Network interface of the data on every host, as \"eth1\""});
        f(port, "port", {.min = 0, .max = 65535, .help = "Where rank 0 listens for the others; 0: a free one"});
        f(workspace, "workspace", {.help = "Folder of runs and records on each host, on a disk of its own"});
        f(jobs, "jobs",
          {.help = "SLURM: folder that this host and all nodes see, for scripts, experiments and output"});
        f(dasgd, "dasgd", {.help = "Path of this program there"});
        f(ssh, "ssh", {.help = "How ssh is called"});
    }
    [[nodiscard]] std::optional<FieldError> check() const;

    // Tables with keys of their own, in the order of the file.
    using Words = std::vector<std::pair<std::string, std::string>>;
    Words environment;  // [environment]: of the ranks
    Words slurm;        // [slurm]: options of sbatch without "--"; "": one without a value

    std::string name;  // name of the file, without ".toml"
    std::filesystem::path file;

    // The hosts as ssh takes them; check() has read each already.
    [[nodiscard]] std::vector<SshHost> sshHosts() const;
    // The folder of runs and records on each of them.
    [[nodiscard]] std::string workspaceThere() const { return workspace.empty() ? "dasgd-workspace" : workspace; }
};

// Errors: with file:line:column, as those of an experiment.
[[nodiscard]] Result<ClusterProfile> readClusterProfile(const std::filesystem::path& file);

// Where profiles are looked for, the first place first: beside the experiment, then `dasgd/clusters` in
// $XDG_CONFIG_HOME, which is ~/.config where it is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;
[[nodiscard]] std::vector<std::filesystem::path> clusterFolders(const std::filesystem::path& besideExperiment,
                                                                const EnvironmentLookup& environment);

// Errors: there is none of that name, with those there are; those of readClusterProfile().
[[nodiscard]] Result<ClusterProfile> findClusterProfile(const std::string& name,
                                                        const std::vector<std::filesystem::path>& folders);

// A host and the ranks that run on it.
struct RanksPlace {
    std::size_t host = 0;  // index in ClusterProfile::hosts
    int first = 0, count = 0;
};
// Ranks in their order onto the hosts in theirs; hosts that get none are left out. Errors: there is no room.
[[nodiscard]] Result<std::vector<RanksPlace>> placeRanks(const ClusterProfile& profile, int ranks);
// placeRanks() on some of the hosts, at least one.
[[nodiscard]] Result<std::vector<RanksPlace>> placeRanks(const ClusterProfile& profile, int ranks,
                                                         const std::vector<std::size_t>& on);
// "ranks 0 to 1 on node1, rank 2 on node2".
[[nodiscard]] std::string placementText(const ClusterProfile& profile, const std::vector<RanksPlace>& places);

}  // namespace dasgd::experiments
