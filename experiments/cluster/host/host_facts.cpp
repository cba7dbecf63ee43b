#include "experiments/cluster/host/host_facts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/comm/gloo/interface.h"
#include "experiments/base/build_id.h"
#include "experiments/cluster/host/host_messages.h"
#include "experiments/config/checked_experiment.h"
#include "storage/base/workspace.h"

namespace dasgd::experiments {

namespace {

constexpr int kReachMs = 3000;
constexpr Ns kOwnDoctorPatience = 90'000'000'000;
constexpr std::size_t kMostDoctorBytes = std::size_t{1} << 20;

Result<std::string> addressHere(const std::string& interface, const std::string& towards) {
    if (!interface.empty()) {
        DASGD_ASSIGN(const Interface named, interfaceNamed(interface));
        return named.address;
    }
    if (towards.empty()) return std::string("127.0.0.1");
    const auto found = interfaceTowards(towards);
    if (!found) return fail(found.error().message + "; name the network of the data: interface = \"eth1\"");
    return found->address;
}

Result<sockaddr_in> socketAddress(const std::string& address, int port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    if (::inet_pton(AF_INET, address.c_str(), &at.sin_addr) != 1) return fail("'" + address + "' is no IPv4 address");
    return at;
}

std::string hostName() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

}  // namespace

std::string withHome(const std::string& path) {
    const char* const home = std::getenv("HOME");
    return path.starts_with("~/") && home ? std::string(home) + path.substr(1) : path;
}

nlohmann::json hostFacts(const nlohmann::json& request) {
    nlohmann::json facts = {{"version", DASGD_VERSION},
                            {"protocol", kHostProtocol},
                            {"build", buildId()},
                            {"host", hostName()},
                            {"lacks", nlohmann::json::array()}};
    const auto address = addressHere(request.value("interface", ""), request.value("towards", ""));
    if (address) facts["address"] = *address;
    if (!address) facts["lacks"].push_back(address.error().message);
    const Status place = storage::checkPlace(std::filesystem::absolute(withHome(request.value("workspace", ""))));
    if (!place) facts["lacks"].push_back(place.error().message);
    return facts;
}

Result<ListeningPort> listenOn(const std::string& address, int port) {
    DASGD_ASSIGN(sockaddr_in at, socketAddress(address, port));
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    // The rendezvous sets the same option, because connections of an earlier run may linger at a named port.
    const int yes = 1;
    if (socket) ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    socklen_t size = sizeof at;
    if (!socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 ||
        ::listen(socket.get(), 16) != 0 || ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0) {
        const std::string what = port > 0 ? "port " + std::to_string(port) : "any port";
        return fail("cannot listen on " + what + " of " + address + ": " + ::strerror(errno) +
                    (port > 0 ? "; `port` in the profile names another" : ""));
    }
    return ListeningPort{std::move(socket), ntohs(at.sin_port)};
}

Result<double> reach(const std::string& address, int port) {
    DASGD_ASSIGN(const sockaddr_in at, socketAddress(address, port));
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto no = [&](const std::string& why) {
        return fail("cannot reach " + address + ":" + std::to_string(port) + ": " + why +
                    "; is `interface` the network that the hosts share, and does a firewall let its ports through?");
    };
    const Ns before = MonotonicClock::rawNow();
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) {
        if (errno != EINPROGRESS) return no(::strerror(errno));
        pollfd wait{socket.get(), POLLOUT, 0};
        if (::poll(&wait, 1, kReachMs) <= 0) return no("no answer within 3 s");
        int code = 0;
        socklen_t size = sizeof code;
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &size);
        if (code != 0) return no(::strerror(code));
    }
    return static_cast<double>(MonotonicClock::rawNow() - before) * 1e-6;
}

Result<nlohmann::json> ownDoctor(const std::string& workspace) {
    DASGD_ASSIGN(auto process, ChildProcess::start({.program = kOwnProgram,
                                                    .arguments = {"doctor", "--json", "--workspace", workspace}}));
    const auto exit = process.awaitEnd(kOwnDoctorPatience, kMostDoctorBytes);
    if (!exit) return fail("`dasgd doctor` did not end within 90 s");
    auto found = nlohmann::json::parse(process.report(), nullptr, false);
    if (!found.is_object() || !found["checks"].is_array()) {
        return fail("`dasgd doctor` ended by " + describeExit(*exit) + " and said nothing that can be read");
    }
    return found["checks"];
}

}  // namespace dasgd::experiments
