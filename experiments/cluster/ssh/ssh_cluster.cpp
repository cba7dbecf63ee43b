#include "experiments/cluster/ssh/ssh_cluster.h"

#include <algorithm>

#include "core/base/log.h"
#include "experiments/base/text.h"
#include "experiments/cluster/host/host_messages.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kCheckPatience{120}, kTimePatience{5};

HostedExperiment hosted(const nlohmann::json& one) {
    return {one.value("title", ""),
            one.value("text", ""),
            one.value("workers", 1),
            one.value("timeout_s", 60.0),
            one.value("steps", std::int64_t{0}),
            one.value("rank_bytes", -1.0)};
}

Status oneVersion(const HostConnection& host, const nlohmann::json& facts) {
    const std::string version = facts.value("version", "another version");
    const bool same = version == DASGD_VERSION;
    if (same && facts.value("protocol", 0) == kHostProtocol) return {};
    return fail(host.name() + ": has " + (same ? "another build of dasgd " : "dasgd ") + version +
                (same ? "" : ", here is " DASGD_VERSION) +
                "; put the same build on all hosts (./lab bundle makes one)");
}

}  // namespace

Status SshCluster::connect(std::size_t count) {
    DASGD_ASSIGN(const std::vector<Status> each, connectMissing(count));
    std::string wrong;
    for (const Status& one : each) {
        if (!one) wrong += (wrong.empty() ? "" : "\n") + one.error().message;
    }
    return wrong.empty() ? Status() : fail(wrong);
}

Result<std::vector<Status>> SshCluster::connectMissing(std::size_t count) {
    hosts_.resize(std::max(count, hosts_.size()));
    facts_.resize(hosts_.size());
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < count; ++i) {
        if (hosts_[i]) continue;
        DASGD_ASSIGN(hosts_[i], HostConnection::open(profile_, i));
        hosts_[i]->setWaitCallbacks(stopped_, [this] { tellAlive(); });
        missing.push_back(i);
    }
    std::vector<Status> each(count);
    for (const std::size_t i : missing) each[i] = hosts_[i]->tell(kHello, helloTo(i));
    // One deadline for all: hosts that hang are waited for together, and those that answered stay with us.
    const auto until = std::chrono::steady_clock::now() + kHelloPatience;
    for (const std::size_t i : missing) {
        const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
        if (each[i]) each[i] = accept(i, hosts_[i]->answer(kHello, std::max(left, milliseconds(0))));
        if (!each[i]) hosts_[i].reset();
    }
    return each;
}

void SshCluster::tellAlive() {
    if (std::chrono::steady_clock::now() - told_ < kAliveEvery) return;
    told_ = std::chrono::steady_clock::now();
    eachHost([](HostConnection& host) { host.tellAlive(); });
}

std::vector<std::size_t> SshCluster::answeringHosts() {
    for (auto& host : hosts_) {
        if (host && !host->tell(kTime)) host.reset();
    }
    const auto until = std::chrono::steady_clock::now() + kTimePatience;
    for (auto& host : hosts_) {
        const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
        if (host && !host->answer(kTime, std::max(left, milliseconds(0)))) host.reset();
    }
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        if (hosts_[i]) there.push_back(i);
    }
    return there;
}

std::vector<std::size_t> SshCluster::reconnect() {
    static_cast<void>(answeringHosts());
    const auto each = connectMissing(profile_.hosts.size());
    if (!each) logLine(LogLevel::Warning, printable(each.error().message));
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        if (hosts_[i]) there.push_back(i);
        if (each && !(*each)[i]) logLine(LogLevel::Warning, printable((*each)[i].error().message));
    }
    return there;
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
    return fail(host.name() + ": has another build of dasgd than " + profile_.hosts.front() +
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
        // An error in the file is the same on every host, so the message names none.
        const std::string ofHost = hosts_.front()->name() + ": ";
        std::string& message = answered.error().message;
        if (message.starts_with(ofHost + source + ":")) message.erase(0, ofHost.size());
        return tl::unexpected(answered.error());
    }
    const nlohmann::json& answer = *answered;
    std::vector<HostedExperiment> all;
    for (const auto& one : answer.at("experiments")) all.push_back(hosted(one));
    return all;
}

Result<ResumePlan> SshCluster::planResume(nlohmann::json what) {
    what["workspace"] = profile_.workspaceThere();
    DASGD_ASSIGN(const nlohmann::json answer, hosts_.front()->ask(kPlanResume, std::move(what), kCheckPatience));
    if (answer.contains("finished")) return ResumePlan{.finished = answer.at("finished")};
    return ResumePlan{.experiment = hosted(answer.at("experiment")),
                      .from = answer.value("from", ""),
                      .step = answer.value("step", std::int64_t{0})};
}

}  // namespace dasgd::experiments
