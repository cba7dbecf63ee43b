#include "experiments/cluster/ssh_cluster.h"

#include "experiments/cluster/host_messages.h"

namespace dasgd::experiments {

namespace {

using std::chrono::seconds;

constexpr seconds kCheckPatience{120};

Status oneVersion(const HostConnection& host, const nlohmann::json& facts) {
    const std::string version = facts.value("version", "another version");
    if (version == DASGD_VERSION && facts.value("protocol", 0) == kHostProtocol) return {};
    return fail(host.name() + ": has dasgd " + version +
                ", here is " DASGD_VERSION "; put the same build on all hosts (./lab bundle makes one)");
}

}  // namespace

Status SshCluster::connect(std::size_t count) {
    const std::size_t from = hosts_.size();
    for (std::size_t i = from; i < count; ++i) {
        DASGD_ASSIGN(auto host, HostConnection::open(profile_, i));
        hosts_.push_back(std::move(host));
        facts_.emplace_back();
    }
    std::vector<Status> told;
    for (std::size_t i = from; i < count; ++i) told.push_back(hosts_[i]->tell(kHello, helloTo(i)));
    std::string wrong;
    // One deadline for all: hosts that hang are waited for together, and those that answered stay with us.
    const auto until = std::chrono::steady_clock::now() + kHelloPatience;
    for (std::size_t i = from; i < count; ++i) {
        Status good = told[i - from];
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (good) good = accept(i, hosts_[i]->answer(kHello, std::max(left, std::chrono::milliseconds(0))));
        if (!good) wrong += (wrong.empty() ? "" : "\n") + good.error().message;
    }
    return wrong.empty() ? Status() : fail(wrong);
}

// A rank's own address is the one towards rank 0's host, and rank 0's towards any other.
nlohmann::json SshCluster::helloTo(std::size_t index) const {
    const std::vector<SshHost> hosts = profile_.sshHosts();
    const std::string towards = hosts.size() < 2 ? "" : index == 0 ? hosts[1].address() : hosts[0].address();
    return {{"workspace", profile_.workspaceThere()}, {"interface", profile_.interface}, {"towards", towards}};
}

Status SshCluster::accept(std::size_t index, const Result<nlohmann::json>& answer) {
    const HostConnection& host = *hosts_[index];
    if (!answer) return tl::unexpected(answer.error());
    DASGD_TRY(oneVersion(host, *answer));
    std::string lacks;
    for (const auto& what : (*answer)["lacks"]) {
        lacks += (lacks.empty() ? "" : "; ") + what.get<std::string>();
    }
    if (!lacks.empty()) return fail(host.name() + ": " + lacks);
    facts_[index] = *answer;
    const std::string build = answer->value("build", "");
    const std::string first = facts_.front().is_object() ? facts_.front().value("build", "") : build;
    if (build == first) return {};
    return fail(host.name() + ": has another build of dasgd than " + hosts_.front()->name() +
                "; copy one build to all hosts");
}

std::string SshCluster::masterAddress() const { return facts_.front().value("address", ""); }

Result<std::vector<HostedExperiment>> SshCluster::check(const std::string& text, const std::string& source,
                                                        const Overrides& overrides) {
    std::vector<std::string> set;
    if (profile_.threads > 0) set.push_back("cluster.threads_per_worker=" + std::to_string(profile_.threads));
    set.insert(set.end(), overrides.set.begin(), overrides.set.end());
    const nlohmann::json request = {{"text", text},
                                    {"source", source},
                                    {"set", set},
                                    {"sweep", overrides.sweep},
                                    {"drop_unknown", overrides.dropUnknown}};
    auto answered = hosts_.front()->ask(kCheck, request, kCheckPatience);
    if (!answered) {
        // What is wrong with the file is so on every host.
        const std::string ofHost = hosts_.front()->name() + ": ";
        std::string& message = answered.error().message;
        if (message.starts_with(ofHost + source + ":")) message.erase(0, ofHost.size());
        return tl::unexpected(answered.error());
    }
    const nlohmann::json& answer = *answered;
    std::vector<HostedExperiment> all;
    for (const auto& one : answer.at("experiments")) {
        all.push_back({one.value("title", ""), one.value("text", ""), one.value("workers", 1),
                       one.value("timeout_s", 60.0), one.value("steps", std::int64_t{0})});
    }
    return all;
}

}  // namespace dasgd::experiments
