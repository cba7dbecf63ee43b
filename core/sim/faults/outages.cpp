#include "core/sim/faults/outages.h"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Engine.hpp>

#include <cmath>
#include <cstdio>
#include <utility>

namespace dasgd {

using simgrid::kernel::timer::Timer;

namespace {

std::string secondsText(double seconds) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g s", seconds);
    return text;
}

}  // namespace

Outages::Outages(const FaultParams& params, int ranks, Changed changed) : changed_(std::move(changed)) {
    for (int rank = 0; rank < ranks; ++rank) {
        hosts_.push_back({OutageCalendar(params, OutageCalendar::Of::Host, rank), {.rank = rank}, {}});
        links_.push_back({OutageCalendar(params, OutageCalendar::Of::Link, rank), {.rank = rank, .ofLink = true}, {}});
    }
}

void Outages::start() {
    for (auto* parts : {&hosts_, &links_}) {
        for (Part& part : *parts) await(part);
    }
}

void Outages::stop() {
    for (auto* parts : {&hosts_, &links_}) {
        for (Part& part : *parts) {
            if (part.timer) std::exchange(part.timer, nullptr)->remove();
        }
    }
}

// Waits for the part's next outage. An outage's end is no longer part of it, so next() gives another one there.
void Outages::await(Part& part) {
    const Outage outage = part.calendar.next(part.event.at);
    if (std::isinf(outage.from)) return;
    part.timer = Timer::set(outage.from, [this, &part, outage] { fail(part, outage); });
}

void Outages::fail(Part& part, const Outage& outage) {
    part.timer = nullptr;
    part.now = outage;
    part.event.down = true;
    part.event.at = outage.from;
    changed_(part.event);
    if (std::isinf(outage.until)) return;
    part.timer = Timer::set(outage.until, [this, &part] {
        part.timer = nullptr;
        part.event.down = false;
        part.event.at = part.now.until;
        changed_(part.event);
        await(part);
    });
}

std::string Outages::describe(int rank) const {
    std::string text;
    for (const Part* part : {&hosts_[static_cast<std::size_t>(rank)], &links_[static_cast<std::size_t>(rank)]}) {
        if (!part->event.down) continue;
        text += (text.empty() ? "its " : ", its ") + std::string(part->event.ofLink ? "link" : "host") + " failed at " +
                secondsText(part->now.from) +
                (std::isinf(part->now.until) ? " and does not come back"
                                             : " and comes back at " + secondsText(part->now.until));
    }
    return text;
}

}  // namespace dasgd
