#include "storage/queue.h"
#include "storage/run_reader_impl.h"

namespace dasgd::storage {

std::map<std::string, double> RunReader::Impl::queuePlaces() {
    const auto query = statements.take("SELECT run_id FROM queue_list WHERE status = 'queued'");
    std::map<std::string, double> places;
    while (query->executeStep()) {
        const auto place = static_cast<double>(places.size());
        places.emplace(query->getColumn(0).getString(), place);
    }
    return places;
}

Result<Queue> RunReader::queue() {
    return impl_->guard([&]() -> Result<Queue> { return readQueue(impl_->database); });
}

Result<std::string> RunReader::queueWorker() { return storage::queueWorker(WorkspacePaths{impl_->root}); }

}  // namespace dasgd::storage
