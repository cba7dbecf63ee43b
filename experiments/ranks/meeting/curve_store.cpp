#include "experiments/ranks/meeting/curve_store.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/comm/gloo/interface.h"
#include "core/comm/gloo/store_handle.h"
#include "experiments/transport/curve/curve_client.h"
#include "experiments/transport/store/words.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstPause{5}, kLongestPause{100};
constexpr milliseconds kAnswer{1000};  // of rank 0, however little is left to wait for a word

std::string textOf(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }
std::vector<std::uint8_t> bytesOf(const std::string& text) { return {text.begin(), text.end()}; }
Parts requestOf(char operation, std::vector<std::string> operands) {
    operands.insert(operands.begin(), std::string(1, operation));
    return operands;
}

// nullopt: the key is not there. Errors: no answer within `timeout`; the server knows another secret; it refuses.
Result<std::optional<std::string>> ask(CurveClient& client, const Parts& request, milliseconds timeout) {
    const auto answer = client.ask(request, timeout, [&client] { return client.isStranger(); });
    const std::string place = "rank 0 at " + client.endpoint().substr(std::string_view("tcp://").size());
    if (answer) {
        const char kind = answer->front().front();
        if (kind == kYes) return std::optional((*answer)[1]);
        if (kind == kNo) return std::optional<std::string>();
        return fail(place + " refuses '" + request.front() + "': " + (*answer)[1]);
    }
    if (client.isStranger()) {
        return fail(place + " does not know the " + RunSecret::kVariable + " of this rank, whose fingerprint is " +
                    client.secret().fingerprint() + ": give all ranks the same one, or none of them any");
    }
    return fail(place + " did not answer for " + std::to_string(timeout.count() / 1000) +
                " s. Check MASTER_ADDR and MASTER_PORT, and that rank 0 is started, with the same " +
                RunSecret::kVariable);
}

// c10d's interface, which throws. Any thread; one request at a time.
class CurveStore final : public c10d::Store {
public:
    CurveStore(CurveClient client, milliseconds timeout) : c10d::Store(timeout), client_(std::move(client)) {}

    c10::intrusive_ptr<c10d::Store> clone() override {
        const std::lock_guard guard(mutex_);
        return c10::make_intrusive<CurveStore>(client_.another(), timeout_);
    }
    void set(const std::string& key, const std::vector<std::uint8_t>& value) override {
        ask(requestOf(Words::kSet, {key, textOf(value)}), timeout_);
    }
    std::vector<std::uint8_t> compareSet(const std::string& key, const std::vector<std::uint8_t>& expected,
                                         const std::vector<std::uint8_t>& wanted) override {
        return bytesOf(*ask(requestOf(Words::kCompareSet, {key, textOf(expected), textOf(wanted)}), timeout_));
    }
    std::vector<std::uint8_t> get(const std::string& key) override {
        wait({key}, timeout_);
        const auto value = ask(requestOf(Words::kGet, {key}), timeout_);
        if (!value) throw std::runtime_error("'" + key + "' was taken away");
        return bytesOf(*value);
    }
    std::int64_t add(const std::string& key, std::int64_t value) override {
        return std::stoll(*ask(requestOf(Words::kAdd, {key, std::to_string(value)}), timeout_));
    }
    bool deleteKey(const std::string& key) override {
        return ask(requestOf(Words::kDelete, {key}), timeout_).has_value();
    }
    bool check(const std::vector<std::string>& keys) override {
        return ask(requestOf(Words::kHas, keys), timeout_).has_value();
    }
    std::int64_t getNumKeys() override { return std::stoll(*ask(requestOf(Words::kCount, {}), timeout_)); }
    void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
    void wait(const std::vector<std::string>& keys, const milliseconds& timeout) override {
        const auto until = steady_clock::now() + timeout;
        for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
            const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
            if (left <= milliseconds(0)) {
                throw std::runtime_error("no rank set it for " + std::to_string(timeout.count()) + " ms");
            }
            if (ask(requestOf(Words::kHas, keys), std::max(left, kAnswer))) return;
            std::this_thread::sleep_for(std::min(pause, left));
        }
    }

private:
    // nullopt: it is not there.
    std::optional<std::string> ask(const Parts& request, milliseconds timeout) {
        const std::lock_guard guard(mutex_);
        auto answer = experiments::ask(client_, request, timeout);
        if (!answer) throw std::runtime_error(answer.error().message);
        return std::move(*answer);
    }

    std::mutex mutex_;
    CurveClient client_;  // guarded by mutex_
};

Result<std::unique_ptr<CurveServer>> serveWords(const std::string& address, int port, const RunSecret& secret) {
    auto server = CurveServer::start(
        {.address = address, .port = port}, secret,
        [words = std::make_shared<Words>()](const Parts& request) { return words->answer(request); });
    if (server) return server;
    return fail("rank 0 cannot listen on " + address + ":" + std::to_string(port) + ": " + server.error().message +
                ". MASTER_ADDR must be an address of the host of rank 0 and MASTER_PORT a free port.");
}

Result<RankMeeting> meetInSecret(const RankEnvironment& environment, const RunSecret& secret, milliseconds timeout) {
    DASGD_ASSIGN(const std::string address, resolveHost(environment.masterAddress));
    std::unique_ptr<CurveServer> server;
    if (environment.rank == 0) {
        DASGD_ASSIGN(server, serveWords(address, environment.masterPort, secret));
    }
    CurveClient client(tcpEndpoint(address, environment.masterPort), secret);
    // So that what keeps this rank away is said here.
    DASGD_ASSIGN([[maybe_unused]] const auto there, ask(client, requestOf(Words::kCount, {}), timeout));
    auto store = c10::make_intrusive<CurveStore>(std::move(client), timeout);
    return RankMeeting{std::move(server), Rendezvous::through(StoreHandle{std::move(store)})};
}

}  // namespace

std::string RankMeeting::rejectedPeersNote() const {
    if (!server || server->turnedAway() == 0) return "";
    return std::string("; somebody came with another ") + RunSecret::kVariable +
           ", or without one, and was not let in: all ranks need the same";
}

Result<RankMeeting> meetRanks(const RankEnvironment& environment, const std::optional<RunSecret>& secret,
                              milliseconds timeout) {
    if (secret && !environment.servedAttempt) return meetInSecret(environment, *secret, timeout);
    DASGD_ASSIGN(Rendezvous rendezvous,
                 Rendezvous::tcp(environment.masterAddress, environment.masterPort, Rank(environment.rank),
                                 environment.size, timeout, environment.servedAttempt));
    return RankMeeting{nullptr, std::move(rendezvous)};
}

}  // namespace dasgd::experiments
