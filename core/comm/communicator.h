// What an algorithm may ask of the network. Every operation returns at once with a Pending and has a deadline.
//
// The tensors stay untouched by the caller from the launch until wait() has returned. Collectives are launched in the
// same order on every rank. Owner: the rank's training thread; one communicator a rank.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/base/ids.h"
#include "core/comm/pending.h"

namespace dasgd {

enum class Reduce : std::uint8_t { Sum, Mean, Max };

// A deadline passed or a peer went away. Caught in the worker loop alone. `what()` names rank, operation, number,
// bytes.
struct CommError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Communicator {
public:
    Communicator(Rank rank, int size) : rank_(rank), size_(size) {}
    virtual ~Communicator() = default;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    // In place over all ranks; contiguous tensor of the same shape and type everywhere, empty allowed.
    virtual Pending allReduce(at::Tensor& tensor, Reduce op) = 0;
    // `out` has shape [size, …in.shape]: row r is rank r's `in`.
    virtual Pending allGather(const at::Tensor& in, at::Tensor& out) = 0;
    virtual Pending broadcast(at::Tensor& tensor, Rank root) = 0;
    // Point to point, matched by (peer, tag) in order.
    virtual Pending send(const at::Tensor& tensor, Rank to, int tag) = 0;
    virtual Pending receive(at::Tensor& tensor, Rank from, int tag) = 0;

    [[nodiscard]] Rank rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    // Payload this rank put on the wire so far, by the algorithm in use (ring: 2S(P−1)/P per all-reduce of S bytes).
    [[nodiscard]] std::int64_t bytesSent() const { return bytesSent_; }

protected:
    void countSent(std::int64_t bytes) { bytesSent_ += bytes; }
    std::uint64_t nextCollective() { return ++collectives_; }

private:
    Rank rank_;
    int size_;
    std::int64_t bytesSent_ = 0;
    std::uint64_t collectives_ = 0;
};

}  // namespace dasgd
