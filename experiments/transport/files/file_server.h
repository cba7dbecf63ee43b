// At rank 0's host: takes in files that ranks of other hosts send, and gives them those that they go on from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

// A request is a number of eight bytes that the answer repeats, an operation of one character, and operands as texts:
// kPut rank name offset bytes; kEnd rank name size; kGet name offset. Each may be sent again: what it does is the same.
// Each rank has at most one part of a checkpoint under way; the next part replaces it.
namespace file_post {
inline constexpr char kPut = 'P', kEnd = 'E', kGet = 'G';
// An answer: done, with the bytes of kGet (none behind its end); not yet; what is wrong, in words.
inline constexpr char kYes = 'y', kWait = 'w', kWrong = 'x';
inline constexpr std::size_t kChunkBytes = std::size_t{256} << 10;
}  // namespace file_post

// A thread of its own, and one socket, bound to one address: ZeroMQ with CURVE, as RecordServer.
class FileServer {
public:
    struct Options {
        std::string address;             // IPv4 or IPv6 address of the interface
        std::vector<int> ranks;          // ranks that may send
        std::filesystem::path folder;    // folder of the run, into which files are written by their names
        std::filesystem::path goesFrom;  // checkpoint that the ranks may fetch; empty: none
        // In a thread of its own after a file has come, whole and on the disk; its error is the sender's.
        std::function<Status(const std::string& name)> arrived;
    };
    // Errors: it cannot be bound to.
    static Result<std::unique_ptr<FileServer>> start(Options options, const RunSecret& secret);
    // Waits for what `arrived` still does.
    virtual ~FileServer() = default;
    // "tcp://10.0.0.1:40013".
    [[nodiscard]] virtual const std::string& endpoint() const = 0;
    // Grows while files are on their way. Any thread.
    [[nodiscard]] virtual std::int64_t moved() const = 0;
};

}  // namespace dasgd::experiments
