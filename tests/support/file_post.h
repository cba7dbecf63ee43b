// A FileServer of a test, on loopback.
#pragma once

#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "experiments/transport/files/file_client.h"
#include "experiments/transport/files/file_server.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

class FilePost : public ::testing::Test {
protected:
    // Takes files of ranks 1 and 2; `answer`: what follows from each.
    void serve(std::function<Status(const std::string&)> answer = {}) {
        std::filesystem::create_directory(dir_ / "run");
        server_ = experiments::FileServer::start({.address = "127.0.0.1",
                                                  .ranks = {1, 2},
                                                  .folder = dir_ / "run",
                                                  .goesFrom = dir_ / "from",
                                                  .arrived = [this, answer](const std::string& name) -> Status {
                                                      {
                                                          const std::lock_guard guard(mutex_);
                                                          arrived_.push_back(name);
                                                      }
                                                      return answer ? answer(name) : Status{};
                                                  }},
                                                 secret_)
                      .value();
    }
    [[nodiscard]] experiments::FileClient client(int rank = 1) const {
        return {server_->endpoint(), secret_, Rank(rank), std::chrono::milliseconds(3000)};
    }
    [[nodiscard]] std::vector<std::string> arrived() {
        const std::lock_guard guard(mutex_);
        return arrived_;
    }
    [[nodiscard]] std::string there(const std::string& name) const { return contentOf(dir_ / "run" / name); }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        writeText(dir_ / name, text);
        return dir_ / name;
    }

    TempDir dir_;
    experiments::RunSecret secret_ = experiments::RunSecret::make().value();
    std::mutex mutex_;
    std::vector<std::string> arrived_;
    std::unique_ptr<experiments::FileServer> server_;
};

}  // namespace dasgd::test
