// A FileIntake of a test and its server, on loopback.
#pragma once

#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "experiments/transport/curve/curve_server.h"
#include "experiments/transport/files/file_client.h"
#include "experiments/transport/files/file_intake.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

class FilePost : public ::testing::Test {
protected:
    // Takes files of ranks 1 and 2; `answer`: what follows from each.
    void serve(std::function<Status(const std::string&)> answer = {}) {
        std::filesystem::create_directory(dir_ / "run");
        server_.reset();
        intake_ = std::make_unique<experiments::FileIntake>(
            experiments::FileIntake::Options{.ranks = {1, 2},
                                             .folder = dir_ / "run",
                                             .goesFrom = dir_ / "from",
                                             .arrived = [this, answer](const std::string& name) -> Status {
                                                 {
                                                     const std::lock_guard guard(mutex_);
                                                     arrived_.push_back(name);
                                                 }
                                                 return answer ? answer(name) : Status{};
                                             }});
        server_ = experiments::CurveServer::start(
                      {.address = "127.0.0.1", .mostAnswers = 64}, secret_,
                      [this](const experiments::Parts& request) { return intake_->answer(request); })
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
    std::unique_ptr<experiments::FileIntake> intake_;
    std::unique_ptr<experiments::CurveServer> server_;
};

}  // namespace dasgd::test
