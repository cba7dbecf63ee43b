#include "experiments/ranks/meeting/agreement.h"

#include <torch/headeronly/version.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/host_name.h"
#include "experiments/base/build_id.h"

namespace dasgd::experiments {

namespace {

constexpr std::size_t kKeysToName = 8;

constexpr const char* kTwice = "twice";  // set by a rank whose number another process has

std::string identityKey(int rank) { return "identity/" + std::to_string(rank); }
std::string refusedKey(int rank) { return "refused/" + std::to_string(rank); }

Result<Settings> parseIdentity(const std::string& text, int rank) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_object()) {
        Settings identity;
        for (const auto& [key, value] : json.items()) {
            if (value.is_string()) identity[key] = value.get<std::string>();
        }
        return identity;
    }
    return fail("rank " + std::to_string(rank) + " sent something that is no identity; are all ranks of one version?");
}

Result<Settings> identityFrom(Rendezvous& rendezvous, int rank) {
    const auto text = rendezvous.getUnless(identityKey(rank), kTwice);
    if (text) return parseIdentity(*text, rank);
    if (rendezvous.has(kTwice).value_or(false)) return tl::unexpected<Error>(text.error());
    return fail("rank " + std::to_string(rank) + " did not say in time what it runs: " + text.error().message);
}

std::string valueOn(const Settings& settings, const std::string& key) {
    const auto found = settings.find(key);
    return found == settings.end() ? "absent" : found->second;
}

// "" or why not. `known`: the ranks from which something came, which wait for the verdict.
std::string verdictOver(Rendezvous& rendezvous, int size, const Settings& own, std::vector<int>& known) {
    std::string verdict;
    for (int rank = 1; rank < size; ++rank) {
        const auto theirs = identityFrom(rendezvous, rank);
        if (!theirs) return verdict.empty() ? theirs.error().message : verdict;
        known.push_back(rank);
        const std::string different = disagreement(own, *theirs, rank);
        if (verdict.empty()) verdict = different;
        // A rank with another world size may wait for ranks that do not exist: answer now, without the remaining ranks.
        if (valueOn(own, "cluster.workers") != valueOn(*theirs, "cluster.workers")) return verdict;
    }
    return verdict;
}

Status decide(Rendezvous& rendezvous, int size, const Settings& own) {
    std::vector<int> known;
    const std::string verdict = verdictOver(rendezvous, size, own, known);
    DASGD_TRY(rendezvous.set("verdict", nlohmann::json{{"error", verdict}}.dump()));
    if (verdict.empty()) return {};
    // This process may serve the meeting point: the others have read the verdict before it ends.
    for (const int rank : known) {
        if (!rendezvous.get(refusedKey(rank))) break;
    }
    return fail(verdict);
}

// A rank whose number was given twice is missing under its own: the others would wait for it.
Status claimNumber(Rendezvous& rendezvous, int rank, int size) {
    DASGD_ASSIGN(const std::int64_t processes, rendezvous.count(identityKey(rank)));
    if (processes == 1) return {};
    const std::string why = "two processes came as rank " + std::to_string(rank) + " of " + std::to_string(size) +
                            ", the second on " + hostName() + " (process " + std::to_string(::getpid()) +
                            "): give each a RANK of its own, from 0 to " + std::to_string(size - 1);
    DASGD_TRY(rendezvous.set(kTwice, why));
    return fail(why);
}

// "" or why not.
Result<std::string> verdictOf(Rendezvous& rendezvous, int rank, const Settings& own) {
    DASGD_ASSIGN(const Settings first, identityFrom(rendezvous, 0));
    std::string different = disagreement(first, own, rank);
    if (!different.empty()) return different;
    DASGD_ASSIGN(const std::string text, rendezvous.getUnless("verdict", kTwice));
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return fail("rank 0 sent something that is no verdict; are all ranks of one version?");
    return json.value("error", "");
}

Status follow(Rendezvous& rendezvous, int rank, const Settings& own) {
    const auto verdict = verdictOf(rendezvous, rank, own);
    if (verdict && verdict->empty()) return {};
    // Also where a number was given twice: rank 0 stays until all that came have heard.
    DASGD_TRY(rendezvous.set(refusedKey(rank), "1"));
    return fail(verdict ? *verdict : verdict.error().message);
}

}  // namespace

Settings identityOf(const CheckedExperiment& experiment) {
    Settings identity = settingsOf(experiment.resolved);
    identity.erase("data.path");
    identity["plan.steps"] = std::to_string(experiment.totalSteps);
    identity["plan.steps_per_epoch"] = std::to_string(experiment.stepsPerEpoch);
    identity["plan.parameters"] = std::to_string(experiment.parameters);
    identity["program.version"] = DASGD_VERSION;
    identity["program.LibTorch"] = TORCH_VERSION;
    identity["program.build"] = buildId();
    return identity;
}

std::string disagreement(const Settings& ofRank0, const Settings& own, int rank) {
    std::set<std::string> keys;
    for (const Settings* settings : {&ofRank0, &own}) {
        for (const auto& [key, value] : *settings) keys.insert(key);
    }
    std::string text;
    std::size_t differing = 0;
    for (const std::string& key : keys) {
        const std::string first = valueOn(ofRank0, key), theirs = valueOn(own, key);
        if (first == theirs || ++differing > kKeysToName) continue;
        text += (text.empty() ? "" : "; ") + key + " is " + first + " on rank 0 and " + theirs + " on rank " +
                std::to_string(rank);
    }
    if (differing == 0) return {};
    if (differing > kKeysToName) text += "; and " + std::to_string(differing - kKeysToName) + " more";
    return "the ranks do not run the same: " + text +
           ". Start all of them with the same experiment, the same options and copies of one program";
}

Status agreeOnIdentity(Rendezvous& rendezvous, int rank, int size, const Settings& own) {
    DASGD_TRY(claimNumber(rendezvous, rank, size));
    DASGD_TRY(rendezvous.set(identityKey(rank), nlohmann::json(own).dump()));
    return rank == 0 ? decide(rendezvous, size, own) : follow(rendezvous, rank, own);
}

}  // namespace dasgd::experiments
