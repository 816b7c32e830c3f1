# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random OpenMP programs in C that keep to the specification, and what the model says that they print. Many go into one
source file; each prints after every step what the host and the device hold."""

import random

from model import Item, Model

MEM, G, T, STRUCTS = 0, 1000, 2000, (3000, 4000)
MEM_CELLS, G_CELLS, ROWS, COLUMNS, STRUCT_CELLS = 24, 8, 4, 6, 12
N, P, X, Q, M = 0, 2, 4, 8, 10  # cells of struct S
POINTERS = {"mem": 0, "a0": 0, "a1": 8, "a2": 3}  # pointers that name mem, and where they point
DATA_CELLS = ([MEM + i for i in range(MEM_CELLS)] + [G + i for i in range(G_CELLS)] +
              [T + i for i in range(ROWS * COLUMNS)])
INT_CELLS = DATA_CELLS + [s + c for s in STRUCTS for c in (N, X, X + 1, X + 2, X + 3, M)]
POINTER_CELLS = [s + c for s in STRUCTS for c in (P, Q)]
MASK = 0xfff

PROLOGUE = r"""
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct S { int n; int *p; int x[4]; int *q; int m; };
#pragma omp declare mapper(part : struct S v) map(v.n, v.x) map(v.p[0 : 4])
#pragma omp declare mapper(whole : struct S v) map(v) map(v.p[0 : 4])
_Static_assert(sizeof(struct S) == 48, "the layout that the model counts with");

static int program, step;
static struct cell { char *address; int is_pointer; } cells[128];
static int cell_count;

static void *device_address(void *host) {
#ifdef NO_MAPPED_PTR
  char *p = host;
  uintptr_t result = 0;
#pragma omp target data use_device_ptr(p)
  { result = (uintptr_t)p; }
  return (void *)result;
#else
  return omp_get_mapped_ptr(host, omp_get_default_device());
#endif
}

static void from_device(void *to, void *host, int size) {
  if (omp_target_memcpy(to, device_address(host), size, 0, 0, omp_get_initial_device(), omp_get_default_device()))
    printf("memcpy-failed ");
}

static void add_cells(void *first, int count, int is_pointer) {
  for (int i = 0; i < count; i++)
    cells[cell_count++] = (struct cell){(char *)first + i * 4, is_pointer};
}

static void add_struct(struct S *s) {
  add_cells(&s->n, 1, 0);
  add_cells(s->x, 4, 0);
  add_cells(&s->m, 1, 0);
  add_cells(&s->p, 1, 1);
  add_cells(&s->q, 1, 1);
}

static void print_host_pointer(char *value, int *mem) {
  if (value >= (char *)mem && value <= (char *)(mem + 24))
    printf("h%d ", (int)((int *)value - mem));
  else
    printf("x ");
}

static void state(int *mem) {
  char *addresses[128];
  printf("S %d %d ", program, step);
  for (int i = 0; i < cell_count; i++)
    if (cells[i].is_pointer)
      print_host_pointer(*(char **)cells[i].address, mem);
    else
      printf("%x ", *(int *)cells[i].address);
  printf("|");
  for (int i = 0; i < cell_count; i++)
    addresses[i] =
        omp_target_is_present(cells[i].address, omp_get_default_device()) ? device_address(cells[i].address) : 0;
  for (int i = 0; i < cell_count; i++) {
    if (!addresses[i] ||
        (cells[i].is_pointer && !omp_target_is_present(cells[i].address + 4, omp_get_default_device()))) {
      printf(addresses[i] ? " half" : " .");
    } else if (!cells[i].is_pointer) {
      int value = 0;
      from_device(&value, cells[i].address, sizeof value);
      printf(" %x", value);
    } else {
      char *value = 0, *host = *(char **)cells[i].address;
      from_device(&value, cells[i].address, sizeof value);
      int attached = 0; // the place that corresponds to what the host's pointer names
      for (int j = 0; j < 24; j++)
        attached |= addresses[j] && value - addresses[j] == host - cells[j].address;
      printf(attached ? " d" : " ");
      if (!attached)
        print_host_pointer(value, mem);
    }
  }
  printf("\n");
  fflush(stdout);
  step++;
}
"""


class Generator:
    """One program for one version of clang. Version 22 and later attaches pointers and does not map them. 14 to 17
    count one element of a section that is a struct's last member."""

    def __init__(self, seed, number, clang):
        self.random = random.Random(seed)
        self.number, self.attaches, self.cuts_sections = number, clang >= 22, clang <= 17
        self.model = Model(POINTER_CELLS)
        self.lines, self.expected, self.step = [], [], 0
        self.history = []  # differences of LLVM's runtimes that may show only later
        self.fresh = 1
        self.associated = []
        self.depth = 0

    # Text of the program

    def put(self, text):
        self.lines.append(text)

    def value(self):
        self.fresh = (self.fresh * 5 + 7) & MASK
        return self.fresh

    def state(self, tag):
        self.put("  state(mem);")
        host, device = [], []
        order = DATA_CELLS + [c for s in STRUCTS for c in (s + N, *range(s + X, s + X + 4), s + M, s + P, s + Q)]
        for cell in order:
            value = self.model.host[cell]
            host.append(self.text(value))
            if not self.model.is_present(cell):
                device.append(".")
            elif cell in POINTER_CELLS and not self.model.is_present(cell + 1):
                device.append("half")
            else:
                device.append(self.text(self.model.on_device(cell)))
        tag = " ".join([tag] + ["after-" + h for h in self.history])
        self.expected.append((tag, "S %d %d %s | %s" % (self.number, self.step, " ".join(host), " ".join(device))))
        self.step += 1

    @staticmethod
    def text(value):
        if value is None:
            return "?"
        if isinstance(value, tuple):
            return "h%d" % value[1] if value[0] == "host" else "d"
        return "%x" % value

    # Sections: (text, begin, size, base, struct or None, member)

    def section(self, allow_empty=True):
        pick = self.random.random()
        if pick < 0.4:
            name = self.random.choice(list(POINTERS))
            at = POINTERS[name]
            begin = self.random.randint(at, MEM_CELLS - 1)
            size = self.length(MEM_CELLS - begin, allow_empty)
            return ("%s[%d:%d]" % (name, begin - at, size), MEM + begin, size, MEM + at, None, name)
        if pick < 0.55:
            if self.random.random() < 0.4:
                return ("g", G, G_CELLS, G, None, "g")
            begin = self.random.randrange(G_CELLS)
            size = self.length(G_CELLS - begin, allow_empty)
            return ("g[%d:%d]" % (begin, size), G + begin, size, G, None, "g")
        if pick < 0.65:
            row = self.random.randrange(ROWS)
            count = self.random.randint(1, ROWS - row)
            return ("t[%d:%d]" % (row, count), T + row * COLUMNS, count * COLUMNS, T, None, "t")
        index = self.random.randrange(2)
        return self.member(index, self.random.choice("WWNXPPQ"), allow_empty)

    def length(self, most, allow_empty):
        if allow_empty and self.random.random() < 0.1:
            return 0
        return self.random.randint(1, min(most, 8))

    def member(self, index, form, allow_empty=True):
        at, name = STRUCTS[index], "s%d" % index
        if form == "W":
            return (name, at, STRUCT_CELLS, at, index, "W")
        if form == "N":
            return (name + ".n", at + N, 1, at, index, "N")
        if form == "X":
            begin = self.random.randrange(4)
            size = self.random.randint(1, 4 - begin)
            return ("%s.x[%d:%d]" % (name, begin, size), at + X + begin, size, at, index, "X")
        cell = at + (P if form == "P" else Q)
        host = self.model.host[cell]
        if host is None:
            return (name, at, STRUCT_CELLS, at, index, "W")
        begin = self.random.randint(0, 3)
        size = self.length(MEM_CELLS - host[1] - begin, allow_empty)
        return ("%s.%s[%d:%d]" % (name, form.lower(), begin, size), MEM + host[1] + begin, size, MEM + host[1], index,
                form)

    def clause(self, kinds, allow_empty=True, most=3):
        """Sections of one construct with their map types, different variables each. Several members of a struct."""
        result, used = [], set()
        for _ in range(self.random.choice((1, 1, 1, 2, most))):
            section = self.section(allow_empty)
            key = "mem" if section[4] is None and section[5] in POINTERS else "s%s%s" % (section[4], section[5])
            if section[4] is None and section[5] not in POINTERS:
                key = section[5]
            if key in used:
                continue
            used.add(key)
            result.append((section, self.random.choice(kinds)))
        # A whole struct and its data members name the same storage.
        for index in range(2):
            if "s%dW" % index in used:
                result = [r for r in result if r[0][4] != index or r[0][5] in "WPQ"]
        # A construct names a pointer or the array it points to, not both: otherwise storage is named twice.
        named = [(s[1], s[1] + max(s[2], 1)) for s, _ in result if s[1] < G]
        for i, one in enumerate(named):
            for other in named[:i]:
                if one[0] < other[1] and other[0] < one[1]:
                    return result[:1]
        return result

    def lower(self, clause, modifiers=(), is_region=False):
        """The items that compilers make of a clause."""
        items = []
        for index in range(2):
            mine = [(s, k) for s, k in clause if s[4] == index]
            if not mine:
                continue
            at = STRUCTS[index]
            cuts = self.cuts_sections and len(mine) > 1
            hull = [(s[1], s[1] + (1 if cuts and s[5] == "X" else s[2])) for s, _ in mine if s[5] in "WNX"]
            if not self.attaches or (is_region and not hull):
                hull += [(at + c, at + c + 2) for s, _ in mine for c in (P, Q) if s[5] == ("P" if c == P else "Q")]
            parent = None
            if hull:
                begin, end = min(h[0] for h in hull), max(h[1] for h in hull)
                # The struct's item copies where it stands for the only member.
                parent = Item(begin, end - begin, at, "", set(modifiers) & {"ompx_hold"})
                parent.is_base = all(s[5] in "PQ" for s, _ in mine) and not parent.modifiers
                parent.deletes_pointee = any(kind == "delete" for _, kind in mine)
                items.append(parent)
            for section, kind in mine:
                if section[5] in "WNX":
                    items.append(Item(section[1], section[2], at, kind, modifiers, parent))
                else:
                    items.append(Item(section[1], section[2], section[3], kind, modifiers, None,
                                      at + (P if section[5] == "P" else Q), not self.attaches))
        for section, kind in clause:
            if section[4] is None:
                items.append(Item(section[1], section[2], section[3], kind, modifiers))
        return items

    def fits(self, items):
        """Returns whether the construct keeps to the rules: what it names is present or absent as a whole, also
        together."""
        if not all(self.model.fits(i.begin, i.size) for i in items):
            return False
        # The data that contain an empty section may depend on what the construct maps before it.
        if (any(i.size == 0 and i.kind and not self.model.is_present(i.begin) for i in items) and
                sum(bool(i.kind) for i in items) > 1):
            return False
        for i in items:  # the part that the compiler cuts off
            if (i.parent and not self.model.containing(i.parent.begin, i.parent.size) and
                    i.begin + i.size > i.parent.begin + i.parent.size):
                return False
        absent = [i for i in items if i.size and not self.model.containing(i.begin, i.size)]
        for i in absent:
            for j in absent:
                is_other = i is not j and i.parent is not j and j.parent is not i
                if is_other and (i.parent is None or i.parent is not j.parent):
                    if i.begin < j.begin + j.size and j.begin < i.begin + i.size:
                        return False
        return True

    def pick_modifiers(self, items, allowed):
        result = []
        if "always" in allowed and self.random.random() < 0.25:
            result.append("always")
        if "present" in allowed and self.random.random() < 0.25 and all(
                i.size and self.model.containing(i.begin, i.size) for i in items):
            result.append("present")
        if "close" in allowed and self.random.random() < 0.1:
            result.append("close")
        if "ompx_hold" in allowed and self.random.random() < 0.2:
            result.append("ompx_hold")
        return result

    def note(self, what):
        if what not in self.history:
            self.history.append(what)

    def note_extended_ranges(self, items):
        """Empty sections that lie between an array's base and the part of it that is present."""
        for item in items:
            if item.size == 0 and self.model.containing(item.begin, 0) and not self.model.is_present(item.begin):
                self.note("extended-range")

    def note_base_pointers(self, items):
        """Structs that are given back since the compiler passes them with a pointee."""
        if any(i.is_base and self.model.containing(i.begin, i.size) for i in items):
            self.note("base-pointers")

    @staticmethod
    def map_text(clause, modifiers):
        before = "".join(m + ", " for m in modifiers)
        return " ".join("map(%s%s : %s)" % (before, kind, section[0]) for section, kind in clause)

    def make(self, kinds, allowed, is_region=False, allow_empty=True):
        for _ in range(20):
            clause = self.clause(kinds, allow_empty)
            items = self.lower(clause, (), is_region)
            if not self.fits(items):
                continue
            self.note_extended_ranges(items)
            modifiers = self.pick_modifiers(items, allowed)
            return clause, self.lower(clause, modifiers, is_region), modifiers
        return None

    def tag(self, name, clause, modifiers):
        parts = {("struct" if s[5] == "W" else "pointee" if s[5] in "PQ" else "member") if s[4] is not None else "array"
                 for s, _ in clause}
        parts |= {"empty" for s, _ in clause if s[2] == 0}
        return " ".join([name, *sorted(parts), *sorted({k for _, k in clause}), *modifiers] +
                        (["several"] if len(clause) > 1 else []))

    # Steps

    def enter(self):
        made = self.make(["to", "to", "alloc"], ("always", "present", "close"))
        if made:
            clause, items, modifiers = made
            self.put("#pragma omp target enter data " + self.map_text(clause, modifiers))
            self.model.enter(items)
            self.state(self.tag("enter", clause, modifiers))

    def exit(self):
        made = self.make(["from", "from", "release", "delete"], ("always",))
        if made:
            clause, items, modifiers = made
            self.put("#pragma omp target exit data " + self.map_text(clause, modifiers))
            self.note_base_pointers(items)
            self.model.exit(items)
            self.state(self.tag("exit", clause, modifiers))

    def data(self):
        if self.depth == 2:
            return
        made = self.make(["to", "tofrom", "from", "alloc"], ("always", "present", "ompx_hold"))
        if not made:
            return
        clause, items, modifiers = made
        self.put("#pragma omp target data %s\n  {" % self.map_text(clause, modifiers))
        self.model.enter(items)
        self.depth += 1
        self.state(self.tag("data", clause, modifiers))
        for _ in range(self.random.randint(1, 3)):
            self.any_step()
        self.depth -= 1
        # Data in the way of leaving are removed first.
        held = [e for i in items for e in self.model.entries if i.size and not self.model.containing(i.begin, i.size)
                and e.begin < i.begin + i.size and i.begin < e.end]
        for entry in held:
            self.remove(entry)
        self.put("  }")
        self.note_extended_ranges(items)
        self.note_base_pointers(items)
        self.model.exit(items)
        self.state(self.tag("end-data", clause, modifiers))

    def remove(self, entry):
        if entry not in self.model.entries:
            return
        if entry.is_infinite:
            self.disassociate(entry)
            return
        self.put("  { char *z = (char *)%s;" % self.address(entry.begin))
        self.put("#pragma omp target exit data map(delete : z[0:%d])\n  }" % (4 * (entry.end - entry.begin)))
        self.model.exit([Item(entry.begin, entry.end - entry.begin, entry.begin, "delete")])
        self.state("remove")

    @staticmethod
    def address(cell):
        if cell < G:
            return "(mem + %d)" % cell
        if cell < T:
            return "(g + %d)" % (cell - G)
        if cell < STRUCTS[0]:
            return "(&t[0][0] + %d)" % (cell - T)
        index = 0 if cell < STRUCTS[1] else 1
        return "((int *)&s%d + %d)" % (index, cell - STRUCTS[index])

    def region(self):
        made = self.make(["to", "tofrom", "from", "alloc"], ("always", "present", "ompx_hold", "close"), True)
        if not made:
            return
        clause, items, modifiers = made
        # A compiler that attaches maps more of a struct than is said here if members and pointees stand together.
        for index in range(2):
            forms = {s[5] for s, _ in clause if s[4] == index}
            if forms & set("PQ") and forms & set("NX"):
                return
        nowait = self.random.random() < 0.1
        self.model.enter(items, is_region=True)
        body, value = self.body(clause)
        self.model.exit(items, is_region=True)
        self.put("  { int r = 0;")
        self.put("#pragma omp target map(tofrom : r) %s%s\n  {" %
                 (self.map_text(clause, modifiers), " nowait" if nowait else ""))
        self.lines += body
        self.put("  }")
        if nowait:
            self.put("#pragma omp taskwait")
        self.put('  printf("V %d %d %x\\n", program, step, r);\n  }')
        tag = self.tag("region", clause, modifiers)
        self.expected.append((tag, "V %d %d %x" % (self.number, self.step, value)))
        self.state(tag)

    def body(self, clause):
        """Reads and writes what the clause names."""
        body, total = [], 0
        for section, _ in clause:
            entry = self.model.containing(section[1], section[2]) if section[2] else None
            if not entry:
                continue
            if section[4] is not None and section[5] in "PQ":
                at = STRUCTS[section[4]] + (P if section[5] == "P" else Q)
                if not self.model.is_present(at) or not isinstance(self.model.on_device(at), tuple):
                    continue
                if self.model.on_device(at)[:2] != ("device", entry.id):
                    continue
            cells = [c for c in range(section[1], section[1] + section[2]) if c in INT_CELLS]
            for cell in self.random.sample(cells, min(len(cells), 3)):
                place = self.place(section, cell)
                known = self.model.on_device(cell)
                if known is not None and self.random.random() < 0.6:
                    body.append("    r = (r + %s) & 0xfff;" % place)
                    total = (total + known) & MASK
                if self.random.random() < 0.7:
                    if known is not None and self.random.random() < 0.5:
                        add = self.value()
                        body.append("    %s = (%s + %d) & 0xfff;" % (place, place, add))
                        self.model.set_on_device(cell, (known + add) & MASK)
                    else:
                        new = self.value()
                        body.append("    %s = %d;" % (place, new))
                        self.model.set_on_device(cell, new)
        return body, total

    def place(self, section, cell):
        """How a region names a cell of a section."""
        text, _, _, base, index, form = section
        if index is None and form == "t":
            return "t[%d][%d]" % divmod(cell - T, COLUMNS)
        if index is None:
            return "%s[%d]" % (form, cell - base)
        if form in "PQ":
            return "s%d.%s[%d]" % (index, form.lower(), cell - base)
        offset = cell - STRUCTS[index]
        return "s%d.%s" % (index, "n" if offset == N else "m" if offset == M else "x[%d]" % (offset - X))

    def update(self):
        kind = self.random.choice(("to", "from"))
        if self.random.random() < 0.35:
            item, text = self.strided()
            items, clause = [item], None
            if (not all(self.model.containing(b, s) for b, s in item.blocks) and
                    self.model.overlaps(item.begin, item.size)):
                return
        else:
            made = self.make([kind], ())
            if not made:
                return
            clause, items, _ = made
            if any(sum(s[4] == index for s, _ in clause) > 1 for index in range(2)):
                return  # a variable once
            items = [i for i in items if i.kind == kind]
            text = ", ".join(s[0] for s, _ in clause)
        for item in items:
            item.kind = kind
            if item.pointer is not None and not self.knows(item):
                return
        # Clang 14 to 21 want the pointer to be present with its pointee.
        holds = all(i.pointer is None or self.attaches or self.model.containing(i.pointer, 2) for i in items)
        modifiers = []
        if holds and self.random.random() < 0.2 and all(
                s and self.model.containing(b, s) for i in items for b, s in i.blocks):
            modifiers = ["present"]
        self.put("#pragma omp target update %s(%s%s)" % (kind, "".join(m + ": " for m in modifiers), text))
        self.model.update(items)
        self.state(self.tag("update", clause, modifiers) if clause else
                   "update strided " + " ".join([kind, *modifiers]))

    def knows(self, item):
        """An update moves a pointee; whether its pointer is attached does not matter, but it must name the same."""
        return self.model.host[item.pointer] is not None

    def strided(self):
        if self.attaches and self.random.random() < 0.5:  # clang 14 to 21 lose the stride of a pointer's section
            name = self.random.choice(list(POINTERS))
            at, step = POINTERS[name], self.random.randint(2, 3)
            count = self.random.randint(2, (MEM_CELLS - at) // step)
            item = Item(MEM + at, (count - 1) * step + 1, MEM + at)
            item.blocks = [(MEM + at + i * step, 1) for i in range(count)]
            return item, "%s[0:%d:%d]" % (name, count, step)
        row, column = self.random.randrange(ROWS), self.random.randrange(COLUMNS)
        rows, columns = self.random.randint(1, ROWS - row), self.random.randint(1, COLUMNS - column)
        begin = T + row * COLUMNS + column
        item = Item(begin, (rows - 1) * COLUMNS + columns, T)
        item.blocks = [(begin + i * COLUMNS, columns) for i in range(rows)]
        return item, "t[%d:%d][%d:%d]" % (row, rows, column, columns)

    def mapper(self):
        """A struct with a mapper: its pointee is mapped with it."""
        index, name = self.random.randrange(2), self.random.choice(("part", "whole"))
        at, host = STRUCTS[index], self.model.host[STRUCTS[index] + P]
        if host is None or host[1] + 4 > MEM_CELLS:
            return
        action = self.random.choice(("enter", "exit", "region", "update"))
        kinds = {"enter": ["to", "alloc"], "exit": ["from", "release", "delete"], "region": ["to", "tofrom", "from"],
                 "update": ["to", "from"]}[action]
        kind = self.random.choice(kinds)
        size = STRUCT_CELLS if name == "whole" else X + 4
        parent = Item(at, size, at, "delete" if kind == "delete" else "")
        members = [(at, size)] if name == "whole" else [(at + N, 1), (at + X, 4)]
        items = [parent] + [Item(b, s, at, kind, (), parent) for b, s in members]
        items.append(Item(MEM + host[1], 4, MEM + host[1], kind, (), None, at + P))
        if not self.fits(items):
            return
        tag = "%s mapper %s %s" % (action, name, kind)
        self.note("mapper")
        if action == "update":
            if not all(self.model.containing(i.begin, i.size) for i in items):
                return
            self.put("#pragma omp target update %s(mapper(%s): s%d)" % (kind, name, index))
            self.model.update([i for i in items if i.kind])
        elif action == "region":
            self.model.enter(items)
            section = ("", at + X, 4, at, index, "X")
            body, value = self.body([(section, kind)])
            self.model.exit(items)
            self.put("  { int r = 0;\n#pragma omp target map(tofrom : r) map(mapper(%s), %s : s%d)\n  {" %
                     (name, kind, index))
            self.lines += body
            self.put('  }\n  printf("V %d %d %x\\n", program, step, r);\n  }')
            self.expected.append((tag, "V %d %d %x" % (self.number, self.step, value)))
        else:
            self.put("#pragma omp target %s data map(mapper(%s), %s : s%d)" % (action, name, kind, index))
            (self.model.enter if action == "enter" else self.model.exit)(items)
        self.state(tag)

    def write_host(self):
        cells = self.random.sample(INT_CELLS, self.random.randint(1, 4))
        for cell in cells:
            self.model.host[cell] = self.value()
            self.put("  *%s = %d;" % (self.address(cell), self.model.host[cell]))
        self.state("host")

    def set_pointer(self):
        cell = self.random.choice(POINTER_CELLS)
        if self.model.is_present(cell) or self.model.is_present(cell + 1):
            return
        target = self.random.randint(0, MEM_CELLS - 8)
        self.model.host[cell] = ("host", target)
        index = STRUCTS.index(cell // 1000 * 1000)
        self.put("  s%d.%s = mem + %d;" % (index, "p" if cell % 1000 == P else "q", target))
        self.state("pointer")

    def associate(self):
        if self.associated and self.random.random() < 0.4:
            entry = self.random.choice(self.associated)
            if entry.holds == 0:
                self.disassociate(entry)
            return
        begin = self.random.randrange(MEM_CELLS)
        size = self.random.randint(1, min(8, MEM_CELLS - begin))
        if self.model.overlaps(MEM + begin, size) or self.depth:
            return
        entry_number = len(self.associated) + self.step
        self.model.associate(MEM + begin, size, MEM + begin)
        entry = self.model.entries[-1]
        entry.name = "d%d" % entry_number
        self.associated.append(entry)
        self.put("  void *%s = omp_target_alloc(%d, omp_get_default_device());" % (entry.name, 4 * size))
        self.put('  printf("V %%d %%d %%x\\n", program, step, '
                 'omp_target_associate_ptr(%s, %s, %d, 0, omp_get_default_device()));' %
                 (self.address(entry.begin), entry.name, 4 * size))
        self.expected.append(("associate", "V %d %d 0" % (self.number, self.step)))
        self.state("associate")

    def disassociate(self, entry):
        self.put(
            '  printf("V %%d %%d %%x\\n", program, step, omp_target_disassociate_ptr(%s, omp_get_default_device()));' %
            self.address(entry.begin))
        self.put("  omp_target_free(%s, omp_get_default_device());" % entry.name)
        self.model.disassociate(entry)
        self.associated.remove(entry)
        self.expected.append(("disassociate", "V %d %d 0" % (self.number, self.step)))
        self.state("disassociate")

    def memcpy(self):
        entry = self.random.choice(self.model.entries) if self.model.entries else None
        if not entry or entry.begin >= STRUCTS[0]:
            return
        begin = self.random.randrange(entry.begin, entry.end)
        size = self.random.randint(1, min(4, entry.end - begin))
        values = [self.value() for _ in range(size)]
        for i, value in enumerate(values):
            self.model.set_on_device(begin + i, value)
        self.put("  { int v[] = {%s};" % ", ".join(map(str, values)))
        self.put("  if (omp_target_memcpy(device_address(%s), v, sizeof v, 0, 0, "
                 "omp_get_default_device(), omp_get_initial_device()))"
                 ' printf("memcpy-failed ");\n  }' % self.address(begin))
        self.state("memcpy")

    def any_step(self):
        steps = [(self.enter, 22), (self.exit, 18), (self.region, 18), (self.update, 14), (self.data, 8),
                 (self.mapper, 6),
                 (self.write_host, 6), (self.memcpy, 3), (self.associate, 3), (self.set_pointer, 3)]
        self.random.choices([s for s, _ in steps], [w for _, w in steps])[0]()

    def run(self):
        self.put("static void program_%d(void) {" % self.number)
        self.put("  static int mem[24], g[8], t[4][6];\n  static struct S s0, s1;\n"
                 "  int *a0 = mem, *a1 = mem + 8, *a2 = mem + 3;")
        self.put("  (void)a0, (void)a1, (void)a2;\n  program = %d, step = 0, cell_count = 0;" % self.number)
        self.put("  add_cells(mem, 24, 0);\n  add_cells(g, 8, 0);\n  add_cells(t, 24, 0);\n"
                 "  add_struct(&s0);\n  add_struct(&s1);")
        self.put("  for (int i = 0; i < cell_count; i++)\n    if (!cells[i].is_pointer)\n"
                 "      *(int *)cells[i].address = i + 1;")
        order = DATA_CELLS + [c for s in STRUCTS for c in (s + N, *range(s + X, s + X + 4), s + M, s + P, s + Q)]
        for i, cell in enumerate(order):
            self.model.host[cell] = i + 1
        for i, cell in enumerate(POINTER_CELLS):
            self.model.host[cell] = ("host", 4 * i)
        for s in STRUCTS:
            for cell in range(STRUCT_CELLS):
                self.model.host.setdefault(s + cell, 0)
        self.put("  s0.p = mem;\n  s0.q = mem + 4;\n  s1.p = mem + 8;\n  s1.q = mem + 12;")
        for _ in range(self.random.randint(6, 14)):
            self.any_step()
        for entry in list(self.model.entries):
            self.remove(entry)
        self.put("}\n")
        return "\n".join(self.lines), self.expected


def source_file(seed, first, count, clang):
    """The text of a file with this many programs, and what each has to print: number -> [(tag, line)]."""
    parts, expected = [PROLOGUE], {}
    for number in range(first, first + count):
        text, expected[number] = Generator("%d.%d" % (seed, number), number, clang).run()
        parts.append(text)
    table = ", ".join("program_%d" % n for n in range(first, first + count))
    parts.append("static void (*const programs[])(void) = {%s};\n" % table)
    parts.append("int main(int count, char **arguments) {\n  int i = count > 1 ? atoi(arguments[1]) - %d : 0;" % first)
    parts.append("  int end = count > 2 ? atoi(arguments[2]) - %d + 1 : %d;" % (first, count))
    parts.append("  for (; i < end; i++)\n    programs[i]();\n  printf(\"end\\n\");\n}\n")
    return "\n".join(parts), expected
