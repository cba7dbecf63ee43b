#include "experiments/transport/files/file_client.h"

#include <fstream>
#include <thread>

#include "experiments/transport/curve/curve_client.h"
#include "experiments/transport/curve/curve_server.h"
#include "experiments/transport/files/file_intake.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kAskRest{50};

// An answer that is no refusal.
Result<Parts> ask(CurveClient& there, const Parts& request, milliseconds patience) {
    auto answer = there.ask(request, patience);
    if (!answer) return fail("rank 0's host does not answer at " + there.endpoint());
    if (answer->front().front() == kRefused) return fail("rank 0's host: " + (*answer)[1]);
    return std::move(*answer);
}

Status askUntilDone(CurveClient& there, const Parts& request, milliseconds patience) {
    while (true) {
        DASGD_ASSIGN(const Parts answer, ask(there, request, patience));
        if (answer.front().front() == kYes) return {};
        std::this_thread::sleep_for(kAskRest);
    }
}

Status sendAll(CurveClient& there, const std::string& rank, const fs::path& file, const std::string& name,
               std::int64_t from, milliseconds patience) {
    std::ifstream in(file, std::ios::binary);
    in.seekg(from);
    if (!in) return fail(file.string() + ": cannot be read");
    std::string bytes(file_post::kChunkBytes, '\0');
    std::int64_t at = 0;
    while (true) {
        in.read(bytes.data(), static_cast<std::streamsize>(file_post::kChunkBytes));
        const auto got = static_cast<std::size_t>(in.gcount());
        // Also of an empty file: its place is made with the first part.
        if (got == 0 && at > 0) break;
        DASGD_TRY(askUntilDone(
            there, {std::string(1, file_post::kPut), rank, name, std::to_string(at), bytes.substr(0, got)}, patience));
        at += static_cast<std::int64_t>(got);
        if (got < file_post::kChunkBytes) break;
    }
    if (in.bad()) return fail(file.string() + ": cannot be read");
    return askUntilDone(there, {std::string(1, file_post::kEnd), rank, name, std::to_string(at)}, patience);
}

Status fetchAll(CurveClient& there, const std::string& name, const fs::path& file, milliseconds patience) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    std::int64_t at = 0;
    while (out) {
        DASGD_ASSIGN(const Parts answer,
                     ask(there, {std::string(1, file_post::kGet), name, std::to_string(at)}, patience));
        const std::string& bytes = answer[1];
        if (bytes.empty()) break;
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        at += static_cast<std::int64_t>(bytes.size());
    }
    out.flush();
    return out ? Status{} : fail(file.string() + ": cannot be written");
}

template <class Work>
Status over(const std::string& endpoint, const RunSecret& secret, Work&& work) {
    try {
        CurveClient there(endpoint, secret);
        return work(there);
    } catch (const zmq::error_t& error) {
        return fail("cannot reach rank 0's host at " + endpoint + ": " + error.what());
    }
}

}  // namespace

Status FileClient::send(const fs::path& file, const std::string& name, std::int64_t from) const {
    return over(endpoint_, secret_, [&](CurveClient& there) {
        return sendAll(there, std::to_string(rank_.value()), file, name, from, patience_);
    });
}

Status FileClient::fetch(const std::string& name, const fs::path& file) const {
    return over(endpoint_, secret_, [&](CurveClient& there) { return fetchAll(there, name, file, patience_); });
}

}  // namespace dasgd::experiments
