// The part of the communicators' contract that needs a few ranks and one length: when things end, what waits for what,
// and what goes wrong.
#pragma once

#include <array>

#include "tests/support/comm/communicator_contract.h"

namespace dasgd::test {

class CommunicatorBehaviour : public testing::TestWithParam<ContractBackend> {
protected:
    static void run(int ranks, const ContractBackend::Body& body,
                    std::chrono::milliseconds timeout = std::chrono::milliseconds(20'000)) {
        GetParam().run(ranks, body, timeout);
    }
    static at::Tensor filled(double value) { return torch::full({100}, value, torch::kFloat64); }
    // Lets `to` go on that waits in awaitWord.
    static void sendWord(Communicator& comm, Rank to) {
        Pending sent = comm.send(torch::ones({1}), to, 99);
        sent.wait();
    }
    static void awaitWord(Communicator& comm, Rank from) {
        at::Tensor word = torch::zeros({1});
        Pending received = comm.receive(word, from, 99);
        received.wait();
    }
};

inline std::string behaviourName(const testing::TestParamInfo<ContractBackend>& info) { return info.param.name; }

}  // namespace dasgd::test
