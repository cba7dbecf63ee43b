// A number that is still being computed, read once, when it is needed. On a CPU it is ready at once; on a device when
// the preceding work has finished.
#pragma once

namespace dasgd {

class LaterValue {
public:
    virtual ~LaterValue() = default;
    // Reading it now would not wait.
    [[nodiscard]] virtual bool ready() = 0;
    // Waits where it is not ready.
    [[nodiscard]] virtual double read() = 0;
};

}  // namespace dasgd
