// A number that is being computed: read once, when it is needed. On a processor it is there at once; a device has it
// when the work before it is done.
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
