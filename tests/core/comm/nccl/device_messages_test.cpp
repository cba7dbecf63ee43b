// Messages of a device's tensors over a stand-in for the device; threads take the place of the group beside it.
#include "core/comm/nccl/device_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <thread>

#include "core/comm/threads.h"
#include "tests/support/device/threaded_device.h"

namespace dasgd::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class DeviceMessagesTest : public testing::Test {
protected:
    void TearDown() override { release(); }
    // The messages of rank 0.
    [[nodiscard]] std::unique_ptr<DeviceMessages> messages(Device& device) {
        return std::make_unique<DeviceMessages>(device, nullptr, *own, clock, milliseconds(5000));
    }
    [[nodiscard]] static MessageCall to(const at::Tensor& tensor) {
        return {.sends = true, .peer = Rank{1}, .tag = 3, .tensor = tensor};
    }
    [[nodiscard]] static std::string failureOf(Pending& pending) {
        try {
            pending.wait();
            return "";
        } catch (const CommError& error) {
            return error.what();
        }
    }

    // The device computes until release().
    void hold() {
        streams.launch(nullptr, [this] { computed.wait(false); });
    }
    void release() {
        computed = true;
        computed.notify_all();
    }

    MonotonicClock clock;
    std::atomic<bool> computed = false;  // outlives the streams
    ThreadsGroup control{2, milliseconds(5000), clock};
    std::unique_ptr<Communicator> own = control.communicator(Rank{0}), other = control.communicator(Rank{1});
    ThreadedDevice streams;
};

TEST_F(DeviceMessagesTest, ASendLeavesWhenTheDeviceHasComeToItAsTheTensorWas) {
    Device device(streams.api(), 0);
    const auto sender = messages(device);
    hold();
    at::Tensor sent = torch::full({3}, 7.0), received = torch::zeros({3});
    Pending arrival = other->receive(received, Rank{0}, 3);
    Pending departure = sender->start(to(sent), "rank 0: send");
    sent.fill_(-1);
    for (int i = 0; i < 20; ++i) {
        sender->poll();
        std::this_thread::sleep_for(milliseconds(1));
    }
    EXPECT_FALSE(departure.done());
    EXPECT_FALSE(arrival.done()) << "the device has not computed what is sent";
    release();
    while (!departure.done()) sender->poll();
    departure.wait();
    arrival.wait();
    EXPECT_EQ(received[2].item<float>(), 7);
}

TEST_F(DeviceMessagesTest, SendsKeepTheirOrder) {
    Device device(streams.api(), 0);
    const auto sender = messages(device);
    std::vector<Pending> departures;
    hold();
    for (int i = 0; i < 10; ++i) {
        if (i == 5) release();
        departures.push_back(sender->start(to(torch::full({1}, i + 0.0)), "rank 0: send"));
    }
    for (int i = 0; i < 10; ++i) {
        at::Tensor received = torch::zeros({1});
        Pending arrival = other->receive(received, Rank{0}, 3);
        while (!arrival.done()) sender->poll();
        EXPECT_EQ(received.item<float>(), i);
    }
}

TEST_F(DeviceMessagesTest, AReceiveTellsItsSenderAndWritesTheTensorAtTheWait) {
    Device device(streams.api(), 0);
    const auto receiver = messages(device);
    at::Tensor tensor = torch::zeros({2});
    Pending arrival = receiver->start({.sends = false, .tag = 4, .tensor = tensor}, "rank 0: receive");
    Pending departure = other->send(torch::full({2}, 5.0), Rank{0}, 4);
    while (!arrival.done()) std::this_thread::yield();
    // Until the arrival is waited for, the device may compute with the old contents.
    EXPECT_EQ(tensor[0].item<float>(), 0);
    arrival.wait();
    EXPECT_EQ(tensor[1].item<float>(), 5);
    EXPECT_EQ(arrival.source(), Rank{1});
    tensor.fill_(9);
    arrival.wait();
    EXPECT_EQ(tensor[0].item<float>(), 9) << "once";
    departure.wait();
}

TEST_F(DeviceMessagesTest, AReceiveThatIsTakenBackLeavesTheMessageToTheNext) {
    Device device(streams.api(), 0);
    const auto receiver = messages(device);
    at::Tensor first = torch::zeros({1}), second = torch::zeros({1});
    Pending unanswered = receiver->start({.sends = false, .tag = 4, .tensor = first}, "rank 0: receive");
    EXPECT_TRUE(unanswered.cancel());
    EXPECT_THAT(failureOf(unanswered), HasSubstr("cancelled"));
    Pending departure = other->send(torch::ones({1}), Rank{0}, 4);
    receiver->start({.sends = false, .tag = 4, .tensor = second}, "rank 0: receive").wait();
    departure.wait();
    EXPECT_EQ(first.item<float>(), 0);
    EXPECT_EQ(second.item<float>(), 1);
}

TEST_F(DeviceMessagesTest, WhatHasNotLeftFailsWithTheDeviceOrTheCommunicator) {
    DeviceApi api = streams.api();
    bool broken = false;
    api.eventQuery = [&, query = api.eventQuery](EventHandle event) { return broken ? 700 : query(event); };
    Device device(api, 0);
    auto sender = messages(device);
    hold();
    Pending one = sender->start(to(torch::ones({1})), "rank 0: send #1");
    broken = true;
    sender->poll();
    EXPECT_THAT(failureOf(one), HasSubstr("rank 0: send #1 failed: device 0: cudaEventQuery failed"));
    broken = false;
    Pending two = sender->start(to(torch::ones({1})), "rank 0: send #2");
    sender.reset();
    EXPECT_THAT(failureOf(two), HasSubstr("rank 0: send #2 failed: its communicator is closed"));
}

}  // namespace
}  // namespace dasgd::test
