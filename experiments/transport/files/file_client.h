// A rank's way to the FileIntake at rank 0's host.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

// Any thread; each call has a connection of its own.
class FileClient {
public:
    // `patience`: how long no part may be answered before the file is given up; one that is not answered is sent again
    // meanwhile.
    FileClient(std::string endpoint, RunSecret secret, Rank rank, std::chrono::milliseconds patience)
        : endpoint_(std::move(endpoint)), secret_(std::move(secret)), rank_(rank), patience_(patience) {}

    // A client of the same server with another time-out.
    [[nodiscard]] FileClient within(std::chrono::milliseconds patience) const {
        return {endpoint_, secret_, rank_, patience};
    }

    // `file` from byte `from` on becomes `name` (run_file.h) in the run's folder there; returns once it is on the disk
    // and what followed from it is done. Errors: of either end, in words; nobody answers.
    [[nodiscard]] Status send(const std::filesystem::path& file, const std::string& name, std::int64_t from = 0) const;
    // `name` of the checkpoint that the run goes on from, into `file`.
    [[nodiscard]] Status fetch(const std::string& name, const std::filesystem::path& file) const;

private:
    std::string endpoint_;
    RunSecret secret_;
    Rank rank_;
    std::chrono::milliseconds patience_;
};

}  // namespace dasgd::experiments
