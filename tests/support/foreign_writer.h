// Another program, such as a shell, that writes to a database without our lock.
#pragma once

#include <unistd.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "core/base/check.h"
#include "tests/support/processes.h"

namespace dasgd::test {

// Made before anything that starts threads or opens the database: SQLite's connections do not outlive a fork.
class ForeignWriter {
public:
    ForeignWriter() : process_([this] { return serve(); }) {}

    // Returns once the process holds SQLite's write lock on `file`, which it gives back after `time`.
    [[nodiscard]] bool hold(const std::string& file, std::chrono::milliseconds time) {
        const std::string order = std::to_string(time.count()) + ' ' + file + '\n';
        return ::write(orders_[1], order.data(), order.size()) == static_cast<ssize_t>(order.size()) &&
               eventually([this] { return held_.get() == 1; });
    }
    [[nodiscard]] int id() const { return process_.id(); }
    void kill() { process_.kill(); }
    [[nodiscard]] int wait() { return process_.wait(); }

    ~ForeignWriter() {
        for (const int end : orders_) ::close(end);
    }
    ForeignWriter(const ForeignWriter&) = delete;
    ForeignWriter& operator=(const ForeignWriter&) = delete;

private:
    static std::array<int, 2> openPipe() {
        std::array<int, 2> ends{};
        DASGD_CHECK(::pipe(ends.data()) == 0);
        return ends;
    }

    int serve() {
        std::string order;
        for (char c = 0; ::read(orders_[0], &c, 1) == 1 && c != '\n';) order += c;
        const std::size_t blank = order.find(' ');
        SQLite::Database database(order.substr(blank + 1), SQLite::OPEN_READWRITE, 10'000);
        database.exec("BEGIN IMMEDIATE");
        held_.set(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(std::stoll(order)));
        database.exec("ROLLBACK");
        return 0;
    }

    SharedCounter held_;
    std::array<int, 2> orders_ = openPipe();
    ChildProcess process_;
};

}  // namespace dasgd::test
