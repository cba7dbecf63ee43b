// The hosts of a profile of kind "ssh", connected and looked at before any rank starts.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/cluster/host_connection.h"
#include "experiments/config/sweep.h"

namespace dasgd::experiments {

// One of the experiments that a file makes, as the first host has checked it.
struct HostedExperiment {
    std::string title;
    std::string text;  // resolved
    int workers = 1;
    double timeoutS = 60;
    std::int64_t steps = 0;
};

// Owner: one thread.
class SshCluster {
public:
    // `stopped`: whether the user has given up; asked while hosts are waited for.
    explicit SshCluster(ClusterProfile profile) : profile_(std::move(profile)) {}

    // The first `count` hosts, those that are not connected yet at the same time. Errors: of every host that cannot be
    // reached, lacks something or has another program than the first, a line each.
    Status connect(std::size_t count);

    // The experiments of a file's text, checked by the first host with the data that are there. Errors: as of a file
    // here, with its name, line and column.
    Result<std::vector<HostedExperiment>> check(const std::string& text, const std::string& source,
                                                const Overrides& overrides);

    [[nodiscard]] const ClusterProfile& profile() const { return profile_; }
    [[nodiscard]] HostConnection& host(std::size_t index) { return *hosts_[index]; }
    [[nodiscard]] std::size_t connected() const { return hosts_.size(); }
    // What hostFacts() answered there.
    [[nodiscard]] const nlohmann::json& facts(std::size_t index) const { return facts_[index]; }
    // Of rank 0's host, towards the others.
    [[nodiscard]] std::string masterAddress() const;

private:
    [[nodiscard]] nlohmann::json helloTo(std::size_t index) const;
    [[nodiscard]] Status accept(std::size_t index, const Result<nlohmann::json>& answer);

    ClusterProfile profile_;
    std::vector<std::unique_ptr<HostConnection>> hosts_;
    std::vector<nlohmann::json> facts_;
};

}  // namespace dasgd::experiments
