// Frames of records from a forwarder of another host: whatever is taken is what was sent, byte for byte.
#include "core/journal/record_frame.h"

#include <string>
#include <string_view>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    std::string again;
    std::size_t taken = 0;
    const auto read = dasgd::readRecords(bytes, [&](const dasgd::EventRecord& record) {
        dasgd::appendRecord(again, record);
        ++taken;
    });
    if (read) {
        dasgd::fuzz::require(*read == taken && again == bytes, "what is taken is what was sent");
    } else {
        dasgd::fuzz::require(taken == 0, "a frame that is refused hands nothing out");
    }
    return 0;
}
