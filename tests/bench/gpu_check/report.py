"""The report: written anew after each figure, so that what was measured stays whatever ends the program."""
import json
import os
import pathlib


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


class Report:
    def __init__(self, out, machine, words):
        self.out = pathlib.Path(out)
        self.machine, self.words = list(machine), words
        self.rows = {}
        self.seconds = None

    def add(self, figure, found, why, log):
        verdict = "not measured" if found is None else "met" if figure.met(found.value) else "not met"
        self.rows[figure.key] = {"what": figure.what, "must": figure.must, "verdict": verdict,
                                 "measured": why if found is None else found.text, "runs": log}
        self.write()

    def end(self, seconds):
        self.seconds = seconds
        self.write()

    def line_of(self, key):
        row = self.rows[key]
        return f"{key}: {row['verdict']}: {row['measured']}"

    def all_met(self):
        return all(row["verdict"] == "met" for row in self.rows.values())

    def text(self):
        lines = ["# GPU check", "", f"`gpu_check.py {' '.join(self.words)}`"]
        lines.append("Still under way." if self.seconds is None else f"Took {self.seconds:.0f} s.")
        lines += ["", "| machine | |", "| --- | --- |", *(f"| {cell(name)} | {cell(text)} |" for name, text in self.machine)]
        lines += ["", "| figure | must | verdict | measured |", "| --- | --- | --- | --- |"]
        lines += [f"| {cell(row['what'])} | {cell(row['must'])} | {row['verdict']} | {cell(row['measured'])} |" for row in self.rows.values()]
        for key, row in self.rows.items():
            lines += ["", f"## Runs of {key}", "", "| run | s | result | command |", "| --- | --- | --- | --- |"]
            for run in row["runs"]:
                result = run["fault"] or json.dumps(run["result"], ensure_ascii=False)
                lines.append(f"| {cell(run['what'])} | {run['seconds']} | {cell(result)} | `{cell(run['command'])}` |")
        return "\n".join(lines) + "\n"

    def write(self):
        for name, text in (("report.md", self.text()),
                           ("report.json", json.dumps({"machine": self.machine, "figures": self.rows, "seconds": self.seconds}, indent=1))):
            aside = self.out / (name + ".part")
            aside.write_text(text, encoding="utf-8")
            os.replace(aside, self.out / name)
