# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data environment of one device as OpenMP 5.2, section 5.8, tells it, in cells of four bytes. Values of cells: a
number; ("host", ADDRESS) for a pointer that holds a host address; ("device", MAPPING, HOST VALUE) for an attached one.
None where the specification does not tell. docs/use/mapping.md names the rules where several are possible. Shares
nothing with the library."""


class Entry:
    """A range that is present."""
    latest = 0

    def __init__(self, begin, end, base, cells):
        Entry.latest += 1
        self.id = Entry.latest
        self.begin, self.end, self.base = begin, end, base
        self.is_infinite = False
        self.count = self.holds = 0
        self.bases = 0  # part of the count: for base pointers that the program has not named
        self.device = cells
        self.attached = {}  # cell of the pointer -> its value on the device

    def is_unused(self):
        return not self.is_infinite and self.count == 0 and self.holds == 0


class Item:
    """A range of a construct. parent: the item of the struct whose member it is; pointer: the cell of the pointer
    member that names it; always_attaches: the compiler asks for the attachment whether or not something is new."""

    def __init__(self, begin, size, base, kind="", modifiers=(), parent=None, pointer=None, always_attaches=True):
        self.begin, self.size, self.base = begin, size, base
        self.kind, self.modifiers = kind, frozenset(modifiers)
        self.parent, self.pointer, self.always_attaches = parent, pointer, always_attaches
        self.is_base = self.deletes_pointee = False  # a struct of pointers only that the program has not named
        self.blocks = [(begin, size)]  # the bytes that an update moves

    def copies_to(self):
        return self.kind in ("to", "tofrom")

    def copies_from(self):
        return self.kind in ("from", "tofrom")


class Model:
    def __init__(self, pointer_cells):
        self.host = {}
        self.entries = []
        self.pointer_cells = pointer_cells  # first cells of pointers

    # Looking up

    def containing(self, begin, size):
        if size > 0:
            for entry in self.entries:
                if entry.begin <= begin and begin + size <= entry.end:
                    return entry
            return None
        # An empty section: in an entry, or in the extended range that reaches to its base.
        below = max((e for e in self.entries if e.begin <= begin), key=lambda e: e.begin, default=None)
        above = min((e for e in self.entries if e.begin > begin), key=lambda e: e.begin, default=None)
        if below and begin < max(below.end, below.base):
            return below
        return above if above and begin >= above.base else None

    def overlaps(self, begin, size):
        return any(e.begin < begin + size and begin < e.end for e in self.entries)

    def fits(self, begin, size):
        """Returns whether a construct may name it: it is present, or nothing of it is."""
        return size == 0 or self.containing(begin, size) is not None or not self.overlaps(begin, size)

    def is_present(self, cell):
        return any(e.begin <= cell < e.end for e in self.entries)

    def on_device(self, cell):
        entry = self.containing(cell, 1)
        value = entry.device[cell - entry.begin]
        if isinstance(value, tuple) and value[0] == "device" and all(e.id != value[1] for e in self.entries):
            return None
        return value

    def set_on_device(self, cell, value):
        entry = self.containing(cell, 1)
        entry.device[cell - entry.begin] = value

    # Copies

    def to_device(self, entry, begin, size):
        for cell in range(max(begin, entry.begin), min(begin + size, entry.end)):
            entry.device[cell - entry.begin] = entry.attached.get(cell, self.host[cell])

    def to_host(self, entry, begin, size):
        for cell in range(max(begin, entry.begin), min(begin + size, entry.end)):
            if cell not in entry.attached:
                self.host[cell] = self.on_device(cell)

    def attach(self, item, new, places):
        holder, target = self.containing(item.pointer, 2), self.containing(item.begin, item.size)
        if holder is None:
            return
        if target is None:
            if item.always_attaches:  # the pointee is absent: nothing says what the pointer holds then
                holder.device[item.pointer - holder.begin] = None
                holder.attached.pop(item.pointer, None)
                self.vague.add(item.pointer)
            return
        attached = holder.attached.get(item.pointer)
        # A construct that maps both finds the pointer attached: another thread might be about to do it.
        lacks = (self.has_mapped(places, item.pointer, holder) and self.has_mapped(places, item.begin, target) and
                 (attached is None or attached[1] != target.id))
        if item.always_attaches or holder in new or target in new or lacks:
            value = ("device", target.id, self.host[item.pointer])
            holder.attached[item.pointer] = value
            holder.device[item.pointer - holder.begin] = value

    @staticmethod
    def has_mapped(places, cell, entry):
        """Whether some item of the construct has this cell and is in the entry."""
        return any(place is entry and item.begin <= cell < item.begin + item.size for item, place in places.items())

    # Constructs

    def enter(self, items, is_region=False):
        new, places, before = [], {}, list(self.entries)
        self.vague = set()
        for item in items:
            entry = self.containing(item.begin, item.size)
            if entry is None and item.size > 0:
                entry = Entry(item.begin, item.begin + item.size, item.base, [None] * item.size)
                self.entries.append(entry)
                new.append(entry)
            places[item] = entry
            if entry and not (item.parent and places.get(item.parent) is entry):
                self.count(entry, item)
                entry.bases += item.is_base and not is_region
        for item in items:
            if item.copies_to() and places[item] and (places[item] in new or "always" in item.modifiers):
                self.to_device(places[item], item.begin, item.size)
        for item in items:
            if item.pointer is not None:
                self.attach(item, new, places)
        assert all(entry in self.entries for entry in before)

    @staticmethod
    def count(entry, item):
        if "ompx_hold" in item.modifiers:
            entry.holds += 1
        elif not entry.is_infinite:
            entry.count += 1

    def exit(self, items, is_region=False):
        places, lost = {}, []
        for item in items:
            entry = places[item] = self.containing(item.begin, item.size)
            if not entry or (item.kind != "delete" and item.parent and places.get(item.parent) is entry):
                continue
            if "ompx_hold" in item.modifiers:
                if entry.holds == 0:
                    continue  # absent when the structured construct began
                entry.holds -= 1
            elif item.is_base and not is_region:  # the count that entering has added for it, and no more
                taken = entry.bases if item.deletes_pointee else min(entry.bases, 1)
                entry.bases -= taken
                if taken == 0 or entry.is_infinite:
                    continue
                entry.count = max(entry.count - taken, 0)
            elif not entry.is_infinite and entry.count > 0:
                entry.count = 0 if item.kind == "delete" else entry.count - 1
                entry.bases = 0 if item.kind == "delete" else entry.bases
            else:
                continue
            if entry.is_unused():
                lost.append(entry)
        for item in items:
            entry = places[item]
            if entry and item.copies_from() and (entry in lost or "always" in item.modifiers):
                self.to_host(entry, item.begin, item.size)
        self.entries = [e for e in self.entries if e not in lost]

    def update(self, items):
        for item in items:
            for begin, size in item.blocks:
                entry = self.containing(begin, size) if size else None
                if entry and item.kind == "to":
                    self.to_device(entry, begin, size)
                if entry and item.kind == "from":
                    self.to_host(entry, begin, size)

    def associate(self, begin, size, base):
        entry = Entry(begin, begin + size, base, [None] * size)
        entry.is_infinite = True
        self.entries.append(entry)

    def disassociate(self, entry):
        self.entries.remove(entry)
