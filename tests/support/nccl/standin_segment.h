// The shared memory through which ranks of the stand-in for NCCL meet and exchange, in one process or in several.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace dasgd::test {

// A rank's view of the shared segment. A new segment is all zeros.
class StandInSegment {
public:
    static constexpr int kMostRanks = 8;
    static constexpr std::size_t kSlotBytes = 4 << 20;
    static constexpr std::size_t kPartBytes = 64 << 10;
    struct Seat {
        std::atomic<int> process;  // 0: not taken
        std::atomic<bool> closed;
        std::atomic<std::uint64_t> arrived, left;  // newest operation of all ranks
    };
    // Way of the messages from one rank to another, in parts: one that was given is taken before the next.
    struct Lane {
        std::atomic<std::uint64_t> given, taken;  // number of parts
        std::uint64_t messageBytes;               // of the message that the part given last is of
        char part[kPartBytes];
    };

    // Null where the system gives no memory.
    static std::shared_ptr<StandInSegment> open(const std::string& name, bool create) {
        const int fd = ::shm_open(name.c_str(), O_RDWR | (create ? O_CREAT | O_EXCL : 0), 0600);
        if (fd < 0) return nullptr;
        void* memory = MAP_FAILED;
        if (!create || ::ftruncate(fd, static_cast<off_t>(kBytes)) == 0) {
            memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        }
        ::close(fd);
        if (memory == MAP_FAILED) return nullptr;
        return std::shared_ptr<StandInSegment>(new StandInSegment(memory));
    }
    ~StandInSegment() { ::munmap(memory_, kBytes); }
    StandInSegment(const StandInSegment&) = delete;
    StandInSegment& operator=(const StandInSegment&) = delete;

    [[nodiscard]] Seat& seat(int rank) { return seats()[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] char* slot(int rank) {
        return static_cast<char*>(memory_) + kHead + static_cast<std::size_t>(rank) * kSlotBytes;
    }
    [[nodiscard]] Lane& lane(int from, int to) {
        auto* lanes = reinterpret_cast<Lane*>(static_cast<char*>(memory_) + kHead + kMostRanks * kSlotBytes);
        return lanes[from * kMostRanks + to];
    }
    [[nodiscard]] int seatsTaken(int ranks) {
        int taken = 0;
        for (int r = 0; r < ranks; ++r) taken += seat(r).process != 0 ? 1 : 0;
        return taken;
    }
    // True if the rank has left, or its process has died.
    [[nodiscard]] bool isGone(int rank) {
        const int process = seat(rank).process;
        return seat(rank).closed || (process != 0 && ::kill(process, 0) != 0 && errno == ESRCH);
    }

    enum class Met { All, OneIsGone, GivenUp };
    // Waits until `reached` holds of the seats of all ranks.
    [[nodiscard]] Met meet(int ranks, const std::atomic<bool>& givenUp, const std::function<bool(Seat&)>& reached) {
        for (int r = 0; r < ranks; ++r) {
            while (!reached(seat(r))) {
                if (givenUp) return Met::GivenUp;
                // The rank may have come, and gone right after.
                if (isGone(r) && !reached(seat(r))) return Met::OneIsGone;
                std::this_thread::sleep_for(std::chrono::microseconds(20));
            }
        }
        return Met::All;
    }

private:
    using Seats = std::array<Seat, kMostRanks>;
    static constexpr std::size_t kHead = 4096;
    static constexpr std::size_t kBytes = kHead + kMostRanks * kSlotBytes + kMostRanks * kMostRanks * sizeof(Lane);
    static_assert(sizeof(Seats) <= kHead && std::atomic<std::uint64_t>::is_always_lock_free);

    explicit StandInSegment(void* memory) : memory_(memory) {}
    [[nodiscard]] Seats& seats() { return *static_cast<Seats*>(memory_); }

    void* memory_;
};

}  // namespace dasgd::test
