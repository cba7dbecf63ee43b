#include "experiments/ranks/meeting/rank_environment.h"

#include <cstdlib>
#include <fstream>

#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

constexpr int kDefaultPort = 29500;  // torch's own
constexpr int kFirstJobPort = 20000;
constexpr int kJobPorts = 10000;

// The variables of one launcher; "" where it has none for this.
struct Family {
    const char* rank;
    const char* size;
    const char* localRank;
    const char* localSize;
};

constexpr Family kFamilies[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"},
};

Result<int> number(const Lookup& lookup, const std::string& name, int least, int most) {
    const std::string text = lookup(name).value_or("");
    const auto value = decimalOf(text);
    if (value && *value >= least && *value <= most) return static_cast<int>(*value);
    const std::string found = text.empty() ? "is not set" : "is '" + text + "'";
    return fail("environment: " + name + " " + found + "; a number from " + std::to_string(least) + " to " +
                std::to_string(most) + " is needed");
}

Result<std::string> masterAddress(const Lookup& lookup, bool allLocal) {
    if (const auto given = lookup("MASTER_ADDR"); given && !given->empty()) return *given;
    for (const char* list : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
        if (const auto nodes = lookup(list); nodes && !nodes->empty()) return firstHostOf(*nodes);
    }
    if (allLocal) return "127.0.0.1";
    return fail("environment: MASTER_ADDR is not set; give the address of the host of rank 0");
}

Result<int> masterPort(const Lookup& lookup) {
    if (lookup("MASTER_PORT")) return number(lookup, "MASTER_PORT", 1, 65535);
    if (!lookup("SLURM_JOB_ID")) return kDefaultPort;
    // Jobs that share a host must not meet on one port.
    DASGD_ASSIGN(const int job, number(lookup, "SLURM_JOB_ID", 0, INT32_MAX));
    return kFirstJobPort + job % kJobPorts;
}

}  // namespace

std::optional<std::string> processEnvironment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
}

void leaveSignalMark(const Lookup& lookup) {
    const auto file = lookup("DASGD_SIGNALLED");
    if (file && !file->empty()) std::ofstream(*file, std::ios::app).flush();
}

std::string firstHostOf(const std::string& nodeList) {
    std::string host;
    bool inBrackets = false, taken = false;  // taken: the first number of these brackets is
    for (const char c : nodeList) {
        if (c == ',' && !inBrackets) break;
        if (c == '[' || c == ']') {
            inBrackets = c == '[';
            taken = false;
        } else if (inBrackets && (c == ',' || c == '-')) {
            taken = true;
        } else if (!taken) {
            host += c;
        }
    }
    return host;
}

Result<RankEnvironment> readRankEnvironment(const Lookup& lookup) {
    const Family* family = nullptr;
    for (const Family& candidate : kFamilies) {
        if (lookup(candidate.rank)) {
            family = &candidate;
            break;
        }
    }
    if (!family) {
        return fail(
            "environment: this process does not know its rank. Set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or "
            "start it with torchrun, srun or mpirun; `dasgd run` starts all ranks of one host by itself");
    }
    RankEnvironment out;
    DASGD_ASSIGN(out.size, number(lookup, family->size, 1, 4096));
    DASGD_ASSIGN(out.rank, number(lookup, family->rank, 0, out.size - 1));
    if (lookup(family->localRank)) {
        DASGD_ASSIGN(out.localRank, number(lookup, family->localRank, 0, out.size - 1));
    }
    const bool allLocal = out.size == 1 || lookup(family->localSize) == std::to_string(out.size);
    DASGD_ASSIGN(out.masterAddress, masterAddress(lookup, allLocal));
    DASGD_ASSIGN(out.masterPort, masterPort(lookup));
    out.interface = lookup("DASGD_INTERFACE").value_or("");
    if (lookup("TORCHELASTIC_USE_AGENT_STORE") == "True") {
        out.servedAttempt = 0;
        if (lookup("TORCHELASTIC_RESTART_COUNT")) {
            DASGD_ASSIGN(out.servedAttempt, number(lookup, "TORCHELASTIC_RESTART_COUNT", 0, INT32_MAX));
        }
    }
    return out;
}

}  // namespace dasgd::experiments
