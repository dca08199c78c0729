# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
"""The netlink specification, as far as fuzzers need it."""

import yaml

SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}


class Spec:
    """The parts of the YAML file, by name."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            tree = yaml.safe_load(file)
        self.name = tree["name"]
        self.constants = {}
        self.enums = {}
        for entry in tree["definitions"]:
            if entry["type"] == "const":
                self.constants[entry["name"]] = entry["value"]
            else:
                self.enums[entry["name"]] = [
                    e if isinstance(e, str) else e["name"] for e in entry["entries"]
                ]
        self.sets = {s["name"]: s["attributes"] for s in tree["attribute-sets"]}
        self.operations = tree["operations"]["list"]

    def number(self, value):
        """A number of the file, or the constant that it names."""
        return self.constants[value] if isinstance(value, str) else value

    def type_of(self, set_name, attr_name):
        """Attributes count from 1, in the order of the file."""
        names = [a["name"] for a in self.sets[set_name]]
        return names.index(attr_name) + 1

    def limits(self, attr):
        """The least and the greatest value, or length."""
        checks = attr.get("checks", {})
        kind = attr["type"]
        if kind in SIZES:
            low, high = 0, 2 ** (8 * SIZES[kind]) - 1
            if "enum" in attr:
                high = len(self.enums[attr["enum"]]) - 1
            return self.number(checks.get("min", low)), self.number(checks.get("max", high))
        if "exact-len" in checks:
            return (self.number(checks["exact-len"]),) * 2
        return self.number(checks.get("min-len", 0)), self.number(checks.get("max-len", 65535))
