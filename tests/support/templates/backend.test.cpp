#include <gtest/gtest.h>

#include "core/backends/backend.h"

namespace dasgd::test {
namespace {

TEST(ExtraBackend, HasAllRanksInOneProcess) {
    const auto backend = BackendRegistry::find("extra_backend")->create(Value(), {}).value();
    EXPECT_FALSE(backend->layout(3).timeSimulated);
}

}  // namespace
}  // namespace dasgd::test
