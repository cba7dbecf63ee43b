#include "experiments/cluster/cluster_doctor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/utc.h"
#include "experiments/base/errors.h"
#include "experiments/base/ssh_command.h"
#include "experiments/base/text.h"
#include "experiments/cluster/host/host_messages.h"
#include "experiments/cluster/slurm/slurm_job.h"
#include "experiments/cluster/ssh/host_connection.h"

namespace dasgd::experiments {

namespace {

using std::chrono::seconds;

constexpr seconds kAnswerPatience{30}, kDoctorPatience{120};
constexpr int kClockExchanges = 5;
constexpr double kNotedClockS = 1, kBrokenClockS = 60;
constexpr const char* kOk = "ok";
constexpr const char* kNote = "note";
constexpr const char* kBroken = "broken";

class HostExamination {
public:
    explicit HostExamination(const ClusterProfile& profile) : profile_(profile), hosts_(profile.hosts.size()) {}

    std::vector<ClusterFinding> run() {
        meet();
        askForTime();
        tryNetwork();
        askDoctors();
        std::ranges::stable_sort(findings_, {}, [&](const ClusterFinding& finding) {
            return std::ranges::find(profile_.hosts, finding.host) - profile_.hosts.begin();
        });
        return std::move(findings_);
    }

private:
    struct Host {
        std::unique_ptr<HostConnection> connection;  // null: cannot be asked
        nlohmann::json facts;
        std::optional<ClockOffset> clock;
    };

    void find(std::size_t host, const char* what, const char* verdict, const std::string& text) {
        findings_.push_back({profile_.hosts[host], what, verdict, text});
    }
    // Without the name of the host, which stands in front of it.
    void broken(std::size_t host, const char* what, const Error& error) {
        const std::string name = profile_.hosts[host] + ": ";
        const std::string& text = error.message;
        find(host, what, kBroken, text.starts_with(name) ? text.substr(name.size()) : text);
    }
    [[nodiscard]] std::string addressOf(std::size_t host) const { return hosts_[host].facts.value("address", ""); }

    void meet() {
        const std::vector<SshHost> named = profile_.sshHosts();
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            auto opened = HostConnection::open(profile_, i);
            if (!opened) {
                broken(i, "reachable", opened.error());
                continue;
            }
            hosts_[i].connection = std::move(*opened);
            const std::string towards = named.size() < 2 ? "" : named[i == 0 ? 1 : 0].address();
            static_cast<void>(hosts_[i].connection->tell(
                kHello,
                {{"workspace", profile_.workspaceThere()}, {"interface", profile_.interface}, {"towards", towards}}));
        }
        // One deadline for all: hosts that hang are waited for together, and those that answered stay with us.
        const auto until = std::chrono::steady_clock::now() + kHelloPatience;
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
            if (hosts_[i].connection) takeHello(i, std::max(left, std::chrono::milliseconds(0)));
        }
    }

    void takeHello(std::size_t i, std::chrono::milliseconds patience) {
        Host& host = hosts_[i];
        const auto answer = host.connection->answer(kHello, patience);
        if (!answer) {
            broken(i, "reachable", answer.error());
            host.connection.reset();
            return;
        }
        host.facts = *answer;
        find(i, "reachable", kOk, "by ssh, as " + host.facts.value("host", ""));
        const std::string version = host.facts.value("version", "another version");
        const std::string build = host.facts.value("build", "");
        const auto first = std::ranges::find_if(hosts_, [](const Host& one) { return one.facts.is_object(); });
        const bool sameBuild = build == first->facts.value("build", "");
        if (version != DASGD_VERSION) {
            find(i, "version", kBroken, version + ", here is " DASGD_VERSION "; put the same build on all hosts");
        } else if (!sameBuild) {
            find(i, "version", kBroken, "another build than on the first host; copy one build to all hosts");
        } else {
            find(i, "version", kOk, version + ", build " + build.substr(0, 12));
        }
        for (const auto& lack : host.facts["lacks"]) find(i, "lacks", kBroken, lack.get<std::string>());
        if (!addressOf(i).empty()) find(i, "interface", kOk, addressOf(i));
    }

    void askForTime() {
        std::optional<ClockOffset> first;
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            if (!hosts_[i].connection) continue;
            std::vector<ClockExchange> exchanges;
            for (int k = 0; k < kClockExchanges; ++k) {
                const Ns sent = calendarNow();
                const auto answer = hosts_[i].connection->ask(kTime, nlohmann::json::object(), kAnswerPatience);
                if (!answer) break;
                exchanges.push_back({sent, answer->value("now", Ns{0}), calendarNow()});
            }
            if (exchanges.empty()) continue;
            const ClockOffset own = clockOffsetOf(exchanges);
            if (!first) first = own;
            findings_.push_back(clockFinding(profile_.hosts[i], own, *first));
        }
    }

    // Each with the first host, in both directions: a mesh needs either.
    void tryNetwork() {
        for (std::size_t i = 1; i < hosts_.size(); ++i) {
            tryToReach(i, 0);
            tryToReach(0, i);
        }
    }
    void tryToReach(std::size_t from, std::size_t to) {
        if (!hosts_[from].connection || !hosts_[to].connection || addressOf(to).empty()) return;
        const std::string address = addressOf(to);
        const auto open = hosts_[to].connection->ask(kListen, {{"address", address}}, kAnswerPatience);
        if (!open) return broken(to, "network", open.error());
        const auto reached = hosts_[from].connection->ask(
            kReach, {{"address", address}, {"port", open->value("port", 0)}}, kAnswerPatience);
        if (!reached) return broken(from, "network", reached.error());
        char text[64];
        std::snprintf(text, sizeof text, " in %.2f ms", reached->value("ms", 0.0));
        find(from, "network", kOk, "reaches " + profile_.hosts[to] + " at " + address + text);
    }

    void askDoctors() {
        for (const Host& host : hosts_) {
            if (host.connection)
                static_cast<void>(host.connection->tell(kDoctor, {{"workspace", profile_.workspaceThere()}}));
        }
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            if (!hosts_[i].connection) continue;
            const auto answer = hosts_[i].connection->answer(kDoctor, kDoctorPatience);
            if (!answer) {
                broken(i, "doctor", answer.error());
                continue;
            }
            for (const auto& check : (*answer)["checks"]) {
                findings_.push_back({profile_.hosts[i], check.value("check", ""), check.value("verdict", kBroken),
                                     check.value("text", "")});
            }
        }
    }

    const ClusterProfile& profile_;
    std::vector<Host> hosts_;
    std::vector<ClusterFinding> findings_;
};

ClusterFinding slurmFinding(const char* what, const Result<std::string>& said) {
    if (!said) return {"slurm", what, kBroken, said.error().message};
    std::string text = *said;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    std::ranges::replace(text, '\n', ' ');
    return {"slurm", what, kOk, text};
}

// Asks one node, if one is free.
std::vector<ClusterFinding> askNode(const ClusterProfile& profile) {
    std::vector<std::string> arguments{"--ntasks=1", "--time=5", "--immediate=20"};
    for (const auto& [name, value] : profile.slurm) {
        if (name == "partition" || name == "account" || name == "qos" || name == "constraint") {
            arguments.push_back("--" + name + "=" + value);
        }
    }
    // By a shell there, whose home "~/" is.
    arguments.insert(
        arguments.end(),
        {"sh", "-c", shellWord(profile.dasgd) + " doctor --json --workspace " + shellWord(profile.workspaceThere())});
    const auto said = outputOfSlurm("srun", arguments);
    const auto found = said ? nlohmann::json::parse(*said, nullptr, false) : nlohmann::json();
    if (!found.is_object() || !found.contains("checks")) {
        return {{"a node", "dasgd", kNote,
                 "could not be asked: " + (said ? "it said nothing that can be read" : said.error().message)}};
    }
    std::vector<ClusterFinding> findings;
    for (const auto& check : found["checks"]) {
        findings.push_back(
            {"a node", check.value("check", ""), check.value("verdict", kBroken), check.value("text", "")});
    }
    return findings;
}

}  // namespace

ClockOffset clockOffsetOf(const std::vector<ClockExchange>& exchanges) {
    const auto shortest = std::ranges::min_element(
        exchanges, {}, [](const ClockExchange& exchange) { return exchange.taken - exchange.sent; });
    const Ns half = (shortest->taken - shortest->sent) / 2;
    return {shortest->there - (shortest->sent + half), half};
}

ClusterFinding clockFinding(const std::string& host, const ClockOffset& own, const ClockOffset& first) {
    const double apart = static_cast<double>(own.offset - first.offset) * 1e-9;
    const double bound = static_cast<double>(own.bound + first.bound) * 1e-9;
    // Only what is surely so counts against it.
    const double least = std::max(0.0, std::fabs(apart) - bound);
    char text[128];
    std::snprintf(text, sizeof text, "%+.3f s from the first host, give or take %.3f s", apart, bound);
    const bool isFirst = own.offset == first.offset && own.bound == first.bound;
    std::string words = isFirst ? "the first host's" : text;
    if (least >= kNotedClockS) words += "; let chrony or systemd-timesyncd keep it";
    return {host, "clock", least >= kBrokenClockS ? kBroken : least >= kNotedClockS ? kNote : kOk, words};
}

std::vector<ClusterFinding> examineHosts(const ClusterProfile& profile) { return HostExamination(profile).run(); }

std::vector<ClusterFinding> examineSlurm(const ClusterProfile& profile) {
    std::vector<ClusterFinding> findings;
    const auto version = outputOfSlurm("sbatch", {"--version"});
    findings.push_back(slurmFinding("sbatch", version));
    if (!version) return findings;
    const auto answers = outputOfSlurm("scontrol", {"ping"});
    findings.push_back(slurmFinding("controller", answers));
    for (const auto& [name, value] : profile.slurm) {
        if (name != "partition") continue;
        findings.push_back(slurmFinding(
            "partition", outputOfSlurm("sinfo", {"--noheader", "--format=%P %a, %D nodes", "--partition=" + value})));
    }
    if (!answers) return findings;
    for (ClusterFinding& finding : askNode(profile)) findings.push_back(std::move(finding));
    return findings;
}

int reportFindings(const std::vector<ClusterFinding>& findings, bool json) {
    const bool broken = std::ranges::any_of(findings, [](const auto& finding) { return finding.verdict == kBroken; });
    if (json) {
        nlohmann::json all = nlohmann::json::array();
        for (const ClusterFinding& finding : findings) {
            all.push_back({{"host", finding.host},
                           {"check", finding.what},
                           {"verdict", finding.verdict},
                           {"text", finding.text}});
        }
        std::printf("%s\n", dumpLine({{"ok", !broken}, {"checks", all}}).c_str());
    } else {
        TextTable table({"host", "verdict", "check", "what"});
        for (const std::size_t column : {1U, 2U, 3U}) table.leftAlign(column);
        for (const ClusterFinding& finding : findings) {
            table.add({printable(finding.host), finding.verdict, finding.what, printable(finding.text)});
        }
        std::fputs(table.toString().c_str(), stdout);
    }
    return broken ? kRunFailed : kFinished;
}

}  // namespace dasgd::experiments
