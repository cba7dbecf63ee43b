// At rank 0's host: takes in files that ranks of other hosts send, and gives them those that they go on from.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "experiments/transport/curve/curve_socket.h"

namespace dasgd::experiments {

// Operations, with operands as texts: kPut rank name offset bytes; kEnd rank name size; kGet name offset. Each may be
// carried out again: what it does is the same. Each rank has at most one part of a checkpoint under way; the next part
// replaces it. Answers are kYes, with the bytes of kGet (none behind its end), kNotYet, kRefused.
namespace file_post {
inline constexpr char kPut = 'P', kEnd = 'E', kGet = 'G';
inline constexpr std::size_t kChunkBytes = std::size_t{256} << 10;
}  // namespace file_post

// For a CurveServer in front of it.
class FileIntake {
public:
    struct Options {
        std::vector<int> ranks;          // ranks that may send
        std::filesystem::path folder;    // folder of the run, into which files are written by their names
        std::filesystem::path goesFrom;  // checkpoint that the ranks may fetch; empty: none
        // In a thread of its own after a file has come, whole and on the disk; its error is the sender's.
        std::function<Status(const std::string& name)> arrived;
    };
    explicit FileIntake(Options options);
    ~FileIntake();
    FileIntake(const FileIntake&) = delete;
    FileIntake& operator=(const FileIntake&) = delete;

    // Of the server's thread.
    [[nodiscard]] Parts answer(const Parts& request);
    // From now on everything is refused, and of files that are not whole nothing stays. Waits for what `arrived` still
    // does. Any thread, as of the next one.
    void close();
    // Grows while files are on their way.
    [[nodiscard]] std::int64_t moved() const { return moved_; }

private:
    class Arrival;
    [[nodiscard]] Parts answerTo(const Parts& request);
    [[nodiscard]] Arrival* arrivalOf(std::int64_t rank, const std::string& name);
    [[nodiscard]] Parts give(const std::string& name, std::int64_t offset) const;

    const Options options_;
    std::mutex mutex_;
    bool closed_ = false;  // guarded by mutex_, as the next three
    std::map<std::pair<std::int64_t, std::string>, std::unique_ptr<Arrival>> arrivals_;
    std::map<std::int64_t, std::string> latest_;      // name of the newest part of a checkpoint, by rank
    std::vector<std::unique_ptr<Arrival>> replaced_;  // arrivals that newer ones replaced while they were ending
    std::atomic<std::int64_t> moved_{0};
};

}  // namespace dasgd::experiments
