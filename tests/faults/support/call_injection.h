// The test's end of failing_calls.h.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "core/base/check.h"
#include "tests/faults/support/failing_calls.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::test {

class CallInjection {
public:
    CallInjection() : file_(folder_ / "page") {
        const int file = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        DASGD_CHECK(file >= 0 && ::ftruncate(file, sizeof(CallFaults)) == 0);
        void* const memory = ::mmap(nullptr, sizeof(CallFaults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        ::close(file);
        DASGD_CHECK(memory != MAP_FAILED);
        page_ = static_cast<CallFaults*>(memory);
    }
    ~CallInjection() { ::munmap(page_, sizeof *page_); }
    CallInjection(const CallInjection&) = delete;
    CallInjection& operator=(const CallInjection&) = delete;

    // For the program that is to suffer; its children inherit it.
    [[nodiscard]] Environment environment() const {
        const auto library = std::filesystem::path(kProgram).parent_path() / "tests/libfailing_calls.so";
        DASGD_CHECK(std::filesystem::exists(library));
        return {{"LD_PRELOAD", library.string()}, {CallFaults::kVariable, file_.string()}};
    }
    // The next `calls` calls of this kind on files whose path has `path` suffer.
    void order(CallFaults::Kind kind, const std::string& path, int calls) const {
        DASGD_CHECK(path.size() < sizeof page_->path);
        page_->left = 0;
        std::memcpy(page_->path, path.c_str(), path.size() + 1);
        page_->kind = kind;
        page_->left = calls;
    }
    [[nodiscard]] CallFaults& page() const { return *page_; }

private:
    TempDir folder_;
    std::filesystem::path file_;
    CallFaults* page_ = nullptr;
};

}  // namespace dasgd::test
