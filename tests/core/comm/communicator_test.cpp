// The contract of core/comm/communicator.h, by every communicator between real ranks.
#include "core/comm/communicator.h"

#include "tests/support/communicator_contract.h"

namespace dasgd::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Gloo, CommunicatorContract,
                         testing::Combine(testing::Values(Backend::Gloo), testing::Values(1, 2, 4, 7),
                                          testing::Values(0, 1, 1000)),
                         contractName);

INSTANTIATE_TEST_SUITE_P(Threads, CommunicatorContract,
                         testing::Combine(testing::Values(Backend::Threads), testing::Values(1, 2, 4, 7),
                                          testing::Values(0, 1, 1000)),
                         contractName);

}  // namespace
}  // namespace dasgd::test
