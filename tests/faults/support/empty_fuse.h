// A real file system of the kernel's type FUSE, as sshfs is one: an empty folder in which nothing can be made.
#pragma once

#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

namespace dasgd::test {

// Mounted for this process and its children alone, which need root and /dev/fuse; gone with the process.
class EmptyFuse {
public:
    explicit EmptyFuse(const std::filesystem::path& folder) {
        if (::unshare(CLONE_NEWNS) != 0) return;
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
        device_ = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
        const std::string options = "fd=" + std::to_string(device_) + ",rootmode=40000,user_id=0,group_id=0";
        mounted_ = device_ >= 0 && ::mount("dasgd-test", folder.c_str(), "fuse", 0, options.c_str()) == 0;
        if (mounted_) std::thread([this] { serve(); }).detach();
    }
    EmptyFuse(const EmptyFuse&) = delete;
    EmptyFuse& operator=(const EmptyFuse&) = delete;

    [[nodiscard]] bool mounted() const { return mounted_; }
    // How often its type was asked for.
    [[nodiscard]] int asked() const { return asked_; }

private:
    // Until the process ends.
    void serve() {
        alignas(fuse_in_header) std::array<char, 1 << 17> request{};
        while (true) {
            const ssize_t got = ::read(device_, request.data(), request.size());
            if (got < 0 && errno != EINTR && errno != ENOENT) return;
            if (got < static_cast<ssize_t>(sizeof(fuse_in_header))) continue;
            fuse_in_header head{};
            std::memcpy(&head, request.data(), sizeof head);
            answer(head);
        }
    }
    void answer(const fuse_in_header& head) {
        switch (head.opcode) {
            case FUSE_INIT: {
                fuse_init_out init{};
                init.major = FUSE_KERNEL_VERSION;
                init.minor = FUSE_KERNEL_MINOR_VERSION;
                init.max_write = 4096;
                return reply(head, &init, sizeof init);
            }
            case FUSE_GETATTR: {
                fuse_attr_out root{};
                root.attr.ino = FUSE_ROOT_ID;
                root.attr.mode = S_IFDIR | 0700;
                root.attr.nlink = 2;
                return reply(head, &root, sizeof root);
            }
            case FUSE_STATFS: {
                ++asked_;
                fuse_statfs_out size{};
                size.st.bsize = size.st.frsize = 4096;
                size.st.namelen = 255;
                return reply(head, &size, sizeof size);
            }
            case FUSE_LOOKUP: return reply(head, nullptr, 0, -ENOENT);
            case FUSE_FORGET:
            case FUSE_BATCH_FORGET:
            case FUSE_INTERRUPT: return;
            default: return reply(head, nullptr, 0, -ENOSYS);
        }
    }
    void reply(const fuse_in_header& to, const void* body, std::size_t bytes, int error = 0) const {
        std::string message(sizeof(fuse_out_header) + bytes, '\0');
        const fuse_out_header head{
            .len = static_cast<std::uint32_t>(message.size()), .error = error, .unique = to.unique};
        std::memcpy(message.data(), &head, sizeof head);
        if (bytes > 0) std::memcpy(message.data() + sizeof head, body, bytes);
        [[maybe_unused]] const ssize_t written = ::write(device_, message.data(), message.size());
    }

    int device_ = -1;
    bool mounted_ = false;
    std::atomic<int> asked_{0};
};

}  // namespace dasgd::test
