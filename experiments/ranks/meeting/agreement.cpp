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

Result<Settings> identityFrom(Decision& decision, const Seat& seat, int rank) {
    const auto text = decision.saidBy(rank);
    if (text) return parseIdentity(*text, rank);
    if (seat.store.has(kTwice).value_or(false)) return tl::unexpected<Error>(text.error());
    return fail("rank " + std::to_string(rank) + " did not say in time what it runs: " + text.error().message);
}

std::string valueOn(const Settings& settings, const std::string& key) {
    const auto found = settings.find(key);
    return found == settings.end() ? "absent" : found->second;
}

// "", or an error.
Result<std::string> verdict(Decision& decision, const Seat& seat, const Settings& own) {
    std::string different;
    for (int rank = 1; rank < seat.size; ++rank) {
        const auto theirs = identityFrom(decision, seat, rank);
        if (!theirs) return different.empty() ? tl::unexpected<Error>(theirs.error()) : fail(different);
        if (different.empty()) different = disagreement(own, *theirs, rank);
        // A rank with another world size may wait for ranks that do not exist: answer now, without the remaining ranks.
        if (valueOn(own, "cluster.workers") != valueOn(*theirs, "cluster.workers")) break;
    }
    if (!different.empty()) return fail(different);
    return "";
}

// A rank whose number was given twice is missing under its own: the others would wait for it.
Status claimNumber(const Seat& seat) {
    DASGD_ASSIGN(const std::int64_t processes, seat.store.count("identity/" + std::to_string(seat.rank)));
    if (processes == 1) return {};
    const std::string why = "two processes came as rank " + std::to_string(seat.rank) + " of " +
                            std::to_string(seat.size) + ", the second on " + hostName() + " (process " +
                            std::to_string(::getpid()) + "): give each a RANK of its own, from 0 to " +
                            std::to_string(seat.size - 1);
    DASGD_TRY(seat.store.set(kTwice, why));
    return fail(why);
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

Status agreeOnIdentity(const Seat& seat, const Settings& own) {
    DASGD_TRY(claimNumber(seat));
    Decision decision(seat, "identity", {.refusal = kTwice});
    DASGD_TRY(decision.reach(nlohmann::json(own).dump(), [&] { return verdict(decision, seat, own); }));
    return {};
}

}  // namespace dasgd::experiments
