#include "gui/data/runs/run_settings.h"

#include <algorithm>

namespace dasgd::gui {

std::optional<std::size_t> RunSettings::placeOf(const std::string& key) const {
    if (!keys_) return std::nullopt;
    const auto found = std::lower_bound(keys_->begin(), keys_->end(), key);
    if (found == keys_->end() || *found != key) return std::nullopt;
    return static_cast<std::size_t>(found - keys_->begin());
}

const std::string* RunSettings::find(const std::string& key) const {
    const auto place = placeOf(key);
    return place ? &values_[*place] : nullptr;
}

Settings RunSettings::unpacked() const {
    Settings settings;
    for (std::size_t place = 0; place < values_.size(); ++place) settings[(*keys_)[place]] = values_[place];
    return settings;
}

RunSettings SettingsPool::pack(const Settings& settings) {
    std::vector<std::string> keys, values;
    keys.reserve(settings.size());
    values.reserve(settings.size());
    for (const auto& [key, value] : settings) {
        keys.push_back(key);
        values.push_back(value);
    }
    auto& shared = lists_[keys];
    if (!shared) shared = std::make_shared<const RunSettings::Keys>(std::move(keys));
    return {shared, std::move(values)};
}

}  // namespace dasgd::gui
