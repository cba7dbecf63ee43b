#include "core/comm/gloo/rendezvous.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>

#include <cerrno>
#include <cstring>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>

#include "core/comm/completion.h"
#include "core/comm/gloo/interface.h"
#include "core/comm/gloo/store_handle.h"

namespace dasgd {

using std::chrono::milliseconds;

namespace {

Result<int> listenOn(const std::string& address, int port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return fail(std::string("cannot make a socket: ") + std::strerror(errno));
    const int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, address.c_str(), &own.sin_addr);
    if (bind(fd, reinterpret_cast<sockaddr*>(&own), sizeof own) != 0 || listen(fd, 1024) != 0) {
        const std::string why = std::strerror(errno);
        close(fd);
        return fail("rank 0 cannot listen on " + address + ":" + std::to_string(port) + ": " + why +
                    ". MASTER_ADDR must be an address of the host of rank 0 and MASTER_PORT a free port.");
    }
    return fd;
}

}  // namespace

Result<Rendezvous> Rendezvous::file(const std::filesystem::path& path, int size, milliseconds timeout) {
    try {
        auto store = c10::make_intrusive<c10d::FileStore>(path.string(), size);
        store->setTimeout(timeout);
        return Rendezvous(std::make_shared<StoreHandle>(StoreHandle{std::move(store)}));
    } catch (const std::exception& error) {
        return fail(path.string() + ": cannot meet the other ranks through this file: " + firstLine(error));
    }
}

Result<Rendezvous> Rendezvous::tcp(const std::string& host, int port, Rank rank, int size, milliseconds timeout,
                                   std::optional<int> servedAttempt) {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(port);
    options.isServer = rank.value() == 0 && !servedAttempt;
    options.numWorkers = static_cast<std::size_t>(size);
    options.waitWorkers = false;
    options.timeout = timeout;
    // c10d's server listens on every interface unless it is given a socket; its libuv variant takes none.
    options.useLibUV = false;
    if (options.isServer) {
        DASGD_ASSIGN(const std::string address, resolveHost(host));
        DASGD_ASSIGN(const int fd, listenOn(address, port));
        options.masterListenFd = fd;
    }
    try {
        c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::TCPStore>(host, options);
        if (servedAttempt) {
            const std::string prefix = "attempt-" + std::to_string(*servedAttempt);
            store = c10::make_intrusive<c10d::PrefixStore>(prefix, std::move(store));
        }
        return Rendezvous(std::make_shared<StoreHandle>(StoreHandle{std::move(store)}));
    } catch (const std::exception& error) {
        return fail(
            "rank " + std::to_string(rank.value()) + " cannot reach rank 0 at " + host + ":" + std::to_string(port) +
            ": " + firstLine(error) +
            ". Check MASTER_ADDR and MASTER_PORT, and that rank 0 is started; if it has a DASGD_SECRET, this rank "
            "needs the same.");
    }
}

Rendezvous Rendezvous::through(StoreHandle store) {
    return Rendezvous(std::make_shared<StoreHandle>(std::move(store)));
}

Status Rendezvous::set(const std::string& key, const std::string& value) {
    try {
        handle_->store->set("dasgd/" + key, std::vector<std::uint8_t>(value.begin(), value.end()));
        return {};
    } catch (const std::exception& error) {
        return fail("rendezvous: cannot set '" + key + "': " + firstLine(error));
    }
}

Result<std::string> Rendezvous::get(const std::string& key) {
    try {
        const std::vector<std::uint8_t> bytes = handle_->store->get("dasgd/" + key);
        return std::string(bytes.begin(), bytes.end());
    } catch (const std::exception& error) {
        return fail("rendezvous: '" + key + "' did not come in time: " + firstLine(error));
    }
}

Result<std::string> Rendezvous::get(const std::string& key, milliseconds timeout) {
    try {
        handle_->store->wait({"dasgd/" + key}, timeout);
    } catch (const std::exception& error) {
        return fail("rendezvous: '" + key + "' did not come in time: " + firstLine(error));
    }
    return get(key);
}

Result<std::int64_t> Rendezvous::count(const std::string& key) {
    try {
        return handle_->store->add("dasgd/count/" + key, 1);
    } catch (const std::exception& error) {
        return fail("rendezvous: cannot count '" + key + "': " + firstLine(error));
    }
}

Result<bool> Rendezvous::has(const std::string& key) {
    try {
        return handle_->store->check({"dasgd/" + key});
    } catch (const std::exception& error) {
        return fail("rendezvous: cannot look for '" + key + "': " + firstLine(error));
    }
}

Result<Rendezvous> Rendezvous::another() const {
    try {
        return Rendezvous(std::make_shared<StoreHandle>(StoreHandle{handle_->store->clone()}));
    } catch (const std::exception& error) {
        return fail("rendezvous: cannot connect again: " + firstLine(error));
    }
}

}  // namespace dasgd
