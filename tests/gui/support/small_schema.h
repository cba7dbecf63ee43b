// A schema of the shape that `dasgd describe --json` prints, small enough to be read here.
#pragma once

#include <QByteArray>
#include <stdexcept>

#include "core/base/schema/experiment_schema.h"

namespace dasgd::gui {

inline const QByteArray kSmallSchema = R"({"sections": [
  {"name": "algorithm", "fields": [{"name": "name", "type": "string", "default": "", "help": "Which one", "optional": false}],
   "plugins": [
    {"name": "dasgd", "summary": "Local SGD with delayed averaging", "reference": "arXiv 2006.00441", "reads": ["graph"],
     "fields": [
      {"name": "period", "type": "integer", "default": "4", "min": 1, "max": 1e9, "symbol": "τ", "unit": "steps",
       "help": "Local steps between averages", "optional": false},
      {"name": "delay", "type": "integer", "default": "1", "min": 0, "max": 1e9, "symbol": "d", "unit": "steps",
       "help": "Lag of the merge", "optional": false},
      {"name": "local_weight", "type": "float", "default": "0.25", "min": 0, "below": 1, "symbol": "ξ",
       "help": "Weight of the local model", "optional": false},
      {"name": "optimizer_state", "type": "string", "default": "\"keep\"", "choices": ["keep", "reset", "average"],
       "help": "At a merge", "optional": false}]},
    {"name": "local_sgd", "summary": "Periodic blocking averages", "reference": "",
     "fields": [
      {"name": "period", "type": "integer", "default": "4", "min": 1, "max": 1e9, "symbol": "τ", "unit": "steps",
       "help": "Local steps between averages", "optional": false}]}]},
  {"name": "train", "fields": [
    {"name": "steps", "type": "integer", "default": "0", "min": 0, "max": 1e12, "help": "Local steps", "optional": false},
    {"name": "seed", "type": "integer", "default": "1", "min": 0, "max": 9e15, "help": "Of weights", "optional": false}],
   "plugins": []},
  {"name": "optimizer", "fields": [{"name": "name", "type": "string", "default": "\"sgd\"", "help": "", "optional": false}],
   "plugins": [{"name": "sgd", "summary": "SGD with momentum", "reference": "", "fields": [
      {"name": "momentum", "type": "float", "default": "0.0", "min": 0, "max": 1, "symbol": "μ", "help": "",
       "optional": false},
      {"name": "nesterov", "type": "bool", "default": "false", "help": "", "optional": false}]}]},
  {"name": "cluster", "fields": [
    {"name": "backend", "type": "string", "default": "\"gloo\"", "choices": ["gloo", "threads", "virtual"], "help": "",
     "optional": false},
    {"name": "workers", "type": "integer", "default": "2", "min": 1, "max": 4096, "symbol": "P", "help": "",
     "optional": false},
    {"name": "timeout_s", "type": "float", "default": "60.0", "above": 0, "max": 86400, "unit": "s", "help": "",
     "optional": false},
    {"name": "link", "type": "table", "optional": true, "help": "An emulated link", "fields": [
      {"name": "bandwidth", "type": "string", "default": "\"1Gbps\"", "help": "", "optional": false},
      {"name": "latency", "type": "string", "default": "\"0ms\"", "help": "", "optional": false}]}],
   "plugins": []},
  {"name": "network", "fields": [{"name": "name", "type": "string", "default": "\"star\"", "help": "", "optional": false}],
   "plugins": [{"name": "star", "summary": "Every host on one switch", "reference": "", "fields": [
      {"name": "bandwidth", "type": "string", "default": "\"10Gbps\"", "help": "", "optional": false}]}]}
]})";

inline const ExperimentSchema& smallSchema() {
    static const ExperimentSchema schema = [] {
        auto read = readSchema(kSmallSchema.toStdString());
        if (!read) throw std::runtime_error(read.error().message);
        return *read;
    }();
    return schema;
}

// A stand-in for `dasgd`: `describe` prints the small schema, `run` does what `script` says.
inline QByteArray standInProgram(const QByteArray& script) {
    return "#!/bin/sh\nif [ \"$1\" = describe ]; then cat <<'END'\n" + kSmallSchema + "\nEND\nexit\nfi\n" + script;
}

}  // namespace dasgd::gui
