#!/usr/bin/env python3
"""fortran_module.py SOURCE: the derived types of examples/fortran/tutti.f90 have the members of C's
structs, in their order.

The listing in abi/, which another test compares with the headers, says what C has. Sizes alone don't
tell: a new member may take the place of padding.
"""
import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])


def structs():
    """name -> members, of every public struct."""
    text = (SOURCE / "abi/types").read_text()
    for name, body in re.findall(r"^struct (\w+) \{\n(.*?)^\};", text, re.MULTILINE | re.DOTALL):
        members = re.findall(r"^ +\d+ +\d+  (.*)$", body, re.MULTILINE)
        yield name, [re.search(r"\(\*(\w+)\)|(\w+)$", member).group(1, 2) for member in members]


def derived_types():
    """name -> members, of every type with bind(C)."""
    text = (SOURCE / "examples/fortran/tutti.f90").read_text()
    for name, body in re.findall(r"type, bind\(C\) :: (\w+)\n(.*?)end type", text, re.DOTALL):
        lists = re.findall(r":: (.*)", body)
        yield name, [re.match(r"\w+", member).group() for line in lists for member in line.split(", ")]


def main():
    expected = {name: [a or b for a, b in members] for name, members in structs()}
    found = dict(derived_types())
    if len(found) < 3:
        sys.exit("no derived types were found in tutti.f90")
    for name, members in found.items():
        if members != expected[name]:
            sys.exit(f"{name} of tutti.f90 has the members\n  {members}\nand C's has\n  {expected[name]}")
    print(f"{', '.join(found)}: as in C")


main()
