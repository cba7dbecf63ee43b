// Exchanges of a row with each rank of a c10d Gloo group, in both directions of a connection at once.
//
// Gloo asks for a message on the connection on which it sends, behind what is being sent. Its own all-to-all and
// all-gather send before they ask, so that of two ranks the second begins when the first has ended. Here every row is
// asked for first. One thread hands over what is sent and waits, in the order of the exchanges.
#pragma once

#include <ATen/core/Tensor.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

#include "core/comm/gloo/gloo_waits.h"

namespace dasgd {

class GlooExchanges {
public:
    // `launching` is held while anything is handed to `backend`, whose counters are not locked.
    GlooExchanges(c10::intrusive_ptr<c10d::ProcessGroupGloo> backend, std::shared_ptr<std::mutex> launching);
    // Gives up exchanges under way.
    ~GlooExchanges();
    GlooExchanges(const GlooExchanges&) = delete;
    GlooExchanges& operator=(const GlooExchanges&) = delete;

    // Sends row r of `from` to rank r, and receives row r of `into` from it; a rank's own rows are left alone, empty
    // ones are not sent. Row r has as many bytes here as this rank's row has at rank r. Calls `ended`, on another
    // thread, with "" or with what failed. Thread-safe; the same order on all ranks. Throws what Gloo throws.
    void start(std::vector<at::Tensor> from, const std::vector<at::Tensor>& into,
               std::function<void(const std::string& failure)> ended);

private:
    struct Exchange {
        std::vector<at::Tensor> from;
        GlooWorks works;
        std::function<void(const std::string&)> ended;
    };

    void carryAll();
    // Returns "" or what failed. Call with the mutex held.
    std::string send(Exchange& exchange);

    // Gloo may still write to rows that were given up, so they are kept until the connections are closed.
    GlooWorks unfinished_;
    c10::intrusive_ptr<c10d::ProcessGroupGloo> backend_;
    const std::shared_ptr<std::mutex> launching_;
    std::mutex mutex_;
    std::condition_variable condition_;
    std::deque<Exchange> exchanges_;  // under way, in the order of their launches
    std::thread thread_;              // starts with the first
    bool closing_ = false;
};

}  // namespace dasgd
