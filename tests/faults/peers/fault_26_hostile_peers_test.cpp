// Fault 26: strangers connect to the sockets of a run whose ranks are on several hosts: with another key, with garbage
// in place of ZeroMQ's frames, and with the right key but never reading what they are sent. They are dropped, the
// memory of rank 0 stays bounded, and the run trains on and loses no record.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <random>
#include <set>

#include "experiments/transport/curve/curve_server.h"
#include "experiments/transport/curve/curve_socket.h"
#include "experiments/transport/curve/handshake_monitor.h"
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"
#include "tests/support/free_port.h"

namespace dasgd::test {
namespace {

using experiments::Parts;
using experiments::RunSecret;

// A connection to a port of loopback that speaks bytes.
class RawPeer {
public:
    explicit RawPeer(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(static_cast<std::uint16_t>(port))};
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
        const timeval patience{.tv_sec = 0, .tv_usec = 500'000};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    }
    ~RawPeer() { ::close(socket_); }
    RawPeer(const RawPeer&) = delete;
    RawPeer& operator=(const RawPeer&) = delete;

    // A server of ZeroMQ greets whoever connects.
    [[nodiscard]] bool isGreeted() const {
        unsigned char first = 0;
        return connected_ && ::recv(socket_, &first, 1, 0) == 1 && first == 0xFF;
    }
    [[nodiscard]] bool send(const std::string& bytes) const {
        return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
    }
    // The other end closes the connection, whatever it still says before.
    [[nodiscard]] bool isDropped() const {
        std::string rest(4096, '\0');
        for (int tries = 0; tries < 40; ++tries) {
            const ssize_t got = ::recv(socket_, rest.data(), rest.size(), 0);
            if (got == 0 || (got < 0 && errno == ECONNRESET)) return true;
        }
        return false;
    }

private:
    int socket_;
    bool connected_ = false;
};

// ZMTP 3.0 with this mechanism, as RFC 23 has it.
std::string greetingOf(const std::string& mechanism) {
    std::string greeting("\xFF\0\0\0\0\0\0\0\x01\x7F\x03\0", 12);
    greeting += mechanism + std::string(20 - mechanism.size(), '\0');
    return greeting + std::string(32, '\0');
}

long residentKiBOf(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string word; status >> word;) {
        long kib = 0;
        if (word == "VmRSS:" && status >> kib) return kib;
    }
    return 0;
}

// A run of two hosts, each with a workspace of its own, whose ranks meet on loopback.
class AttackedRun {
public:
    AttackedRun() {
        folder_.write("e.toml", quickExperiment("gloo", 100'000'000));
        for (const char* workspace : {"w", "away"}) {
            const std::string rank = std::to_string(workers_.size());
            workers_.push_back(
                folder_.start({"worker", "e.toml", "-w", workspace}, {{"RANK", rank},
                                                                      {"WORLD_SIZE", "2"},
                                                                      {"LOCAL_RANK", "0"},
                                                                      {"MASTER_ADDR", "127.0.0.1"},
                                                                      {"MASTER_PORT", std::to_string(port_)},
                                                                      {RunSecret::kVariable, secret_.hex()}}));
        }
        EXPECT_TRUE(newestRunTrains(folder_.workspace()));
        before_ = residentKiBOf(workers_[0].id());
    }
    [[nodiscard]] const RunSecret& secret() const { return secret_; }
    [[nodiscard]] std::string meeting() const { return "tcp://127.0.0.1:" + std::to_string(port_); }

    // Ports of rank 0 on which ZeroMQ listens: where the ranks meet, of records with files.
    [[nodiscard]] std::vector<int> zmqPorts() const {
        std::set<std::string> own;
        const std::string process = "/proc/" + std::to_string(workers_[0].id());
        for (const auto& entry : std::filesystem::directory_iterator(process + "/fd")) {
            std::error_code gone;
            own.insert(std::filesystem::read_symlink(entry.path(), gone).string());
        }
        std::vector<int> ports;
        std::istringstream lines(contentOf(process + "/net/tcp"));
        std::string line;
        std::getline(lines, line);
        while (std::getline(lines, line)) {
            std::istringstream fields(line);
            std::string number, local, remote, state, skipped, inode;
            fields >> number >> local >> remote >> state;
            for (int i = 0; i < 5; ++i) fields >> skipped;
            fields >> inode;
            if (state != "0A" || !own.contains("socket:[" + inode + "]")) continue;
            const int port = std::stoi(local.substr(local.find(':') + 1), nullptr, 16);
            if (RawPeer(port).isGreeted()) ports.push_back(port);
        }
        return ports;
    }
    // Since it began to train, at most this was added.
    [[nodiscard]] bool hasBoundedMemory() const {
        constexpr long kMostKiB = 100 << 10;
        const long grown = residentKiBOf(workers_[0].id()) - before_;
        EXPECT_LT(grown, kMostKiB);
        return grown < kMostKiB;
    }
    [[nodiscard]] bool trainsOn() const {
        const auto steps = [&] { return storage::RunReader::open(folder_.workspace())->list()->front().steps; };
        const std::int64_t seen = steps();
        const bool more = eventually([&] { return steps() > seen + 100; });
        EXPECT_TRUE(more);
        return more;
    }
    bool endsWhole() {
        workers_[0].signal(SIGTERM);
        for (StartedProgram& worker : workers_) {
            const Ended ended = worker.wait();
            EXPECT_EQ(ended.exit, 130) << ended.err;
        }
        auto reader = storage::WorkspaceReader::open(folder_.workspace());
        const storage::RunRow row = reader->runs().list()->front();
        bool whole = row.status == "stopped" && reader->checkIntegrity();
        for (int rank = 0; rank < 2; ++rank) {
            const auto losses = reader->metrics().samples({.runId = row.runId, .name = "train/loss", .rank = rank});
            whole = whole && static_cast<std::int64_t>(losses->samples.size()) == row.steps;
        }
        EXPECT_TRUE(whole) << row.status << ", " << row.error;
        return whole;
    }

private:
    DasgdFolder folder_;
    const int port_ = freePort();
    const RunSecret secret_ = RunSecret::make().value();
    std::vector<StartedProgram> workers_;
    long before_ = 0;
};

// Handshakes that failed: of peers that know this run's server with a key that is not let in, and of those of another
// run.
int comeWithAnotherKey(const AttackedRun& run, int times) {
    const RunSecret other = RunSecret::make().value();
    int failed = 0;
    for (int i = 0; i < times; ++i) {
        zmq::context_t context(1);
        zmq::socket_t stranger(context, zmq::socket_type::dealer);
        experiments::HandshakeMonitor handshakes(context, stranger);
        experiments::setLimits(stranger);
        const RunSecret& server = i % 2 == 0 ? run.secret() : other;
        experiments::connectWith(stranger, server.serverKeys().publicKey, other.memberKeys());
        stranger.connect(run.meeting());
        experiments::sendNow(stranger, {"hello"});
        failed += eventually([&] { return handshakes.failures() > 0; });
        EXPECT_FALSE(experiments::receiveNow(stranger));
    }
    EXPECT_EQ(failed, times);
    return failed;
}

// Frames that were sent on connections which the run then dropped.
int sendGarbage(const std::vector<int>& ports, int frames) {
    constexpr int kFrames = 100;  // of a connection
    std::mt19937 random(26);
    int sent = 0;
    for (int turn = 0; sent < frames; ++turn) {
        const RawPeer peer(ports[static_cast<std::size_t>(turn) % ports.size()]);
        const std::string mechanism = turn % 3 == 0 ? "NULL" : "CURVE";
        static_cast<void>(peer.send(turn % 4 == 3 ? std::string(64, 'x') : greetingOf(mechanism)));
        int ofThis = 0;
        for (; ofThis < kFrames; ++ofThis) {
            std::string frame(2 + random() % 200, '\0');
            for (char& byte : frame) byte = static_cast<char>(random());
            // A frame of ZMTP whose length is that of what follows, or an enormous one.
            if (turn % 2 == 0) frame[0] = 0, frame[1] = static_cast<char>(frame.size() - 2);
            if (!peer.send(frame)) break;
        }
        // Bytes that follow the end of a connection arrive nowhere, but were sent.
        const bool dropped = peer.isDropped();
        EXPECT_TRUE(dropped) << "turn " << turn;
        if (!dropped) return sent;
        sent += std::max(ofThis, 1);
    }
    return sent;
}

// Requests of a peer with the right key whose answers it never reads.
int neverRead(const AttackedRun& run, int requests) {
    zmq::context_t context(1);
    zmq::socket_t peer(context, zmq::socket_type::dealer);
    experiments::setLimits(peer);
    experiments::connectWith(peer, run.secret().serverKeys().publicKey, run.secret().memberKeys());
    peer.connect(run.meeting());
    const std::string name(experiments::request_name::kBytes, '\x01');
    int sent = 0;
    const auto send = [&](const Parts& request) {
        sent += eventually([&] { return experiments::sendNow(peer, request); });
    };
    send({name, "S", "large", std::string(16 << 10, 'x')});
    for (int i = 0; i < requests; ++i) send({name, "G", "large"});
    return sent;
}

TEST(Fault26, StrangersAndPeersThatDoNotReadConnect) {
    AttackedRun run;
    const std::vector<int> ports = run.zmqPorts();
    EXPECT_EQ(ports.size(), 2U) << "where the ranks meet, and what takes in records and files";
    int injected = 0, held = 0;
    const auto note = [&](int attacks) {
        const bool holds = run.trainsOn() && run.hasBoundedMemory();
        injected += attacks;
        held += holds ? attacks : 0;
    };
    note(comeWithAnotherKey(run, faultCount(20, 1000)));
    note(sendGarbage(ports, faultCount(20'000, 100'000)));
    note(neverRead(run, faultCount(20'000, 100'000)));
    const bool whole = run.endsWhole();
    reportFault(26, "another CURVE key, garbage in place of frames, a peer with the key that never reads",
                "dropped, memory bounded, training goes on, no record is lost", injected, whole ? held : 0);
}

}  // namespace
}  // namespace dasgd::test
