# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions about data: parts that are copied by target update, regions with nowait and depend, memory of the device, and
structures with pointers."""

from expressions import made, read
from regions import Region, loop_head

PARTS, WIDTH = 4, 32


class DataRegion(Region):
    """Host and device take turns with parts of an array. For each part it is known who has the newest values."""

    def write(self):
        rng = self.rng
        kind = self.kind()
        forms = ("pointer", "local", "global")
        self.one, self.two = self.array(kind, PARTS * WIDTH, forms), self.array(self.kind(), PARTS * WIDTH, forms)
        self.newest = {one: ["both"] * PARTS for one in (self.one, self.two)}
        self.is_scoped = rng.random() < 0.5
        self.map_type = {one: rng.choice(["to", "tofrom", "alloc"]) for one in self.newest}
        self.enter()
        for one, how in self.map_type.items():
            if how == "alloc":
                self.newest[one] = ["never copied"] * PARTS
        for _ in range(rng.choice([3, 5, 7])):
            rng.choice([self.kernel, self.kernel, self.host_step])()
        self.leave()
        self.finish()

    def enter(self):
        if self.is_scoped:
            self.pragma("target data" + "".join(self.maps(how, [one]) for one, how in self.map_type.items()))
            self.open()
        else:
            self.pragma("target enter data" + "".join(
                self.maps("alloc" if how == "alloc" else "to", [one]) for one, how in self.map_type.items()))

    def part(self, one, part):
        return "%s[%d : %d]" % (one.name, part * WIDTH, WIDTH)

    def to_device(self, one, part):
        if self.newest[one][part] in ("host", "never copied"):
            self.pragma("target update to(%s)" % self.part(one, part))
            self.newest[one][part] = "both"

    def from_device(self, one, part):
        if self.newest[one][part] == "device":
            self.pragma("target update from(%s)" % self.part(one, part))
            self.newest[one][part] = "both"

    def kernel(self):
        rng = self.rng
        source, target = rng.sample([self.one, self.two], 2)
        at, to = rng.randrange(PARTS), rng.randrange(PARTS)
        # The check of maps does not see which parts a kernel reads.
        for one in self.newest:
            for part in range(PARTS):
                if self.newest[one][part] == "host" and (one, part) != (source, at):
                    self.to_device(one, part)
        was_newer = self.newest[source][at] == "host"
        self.to_device(source, at)
        present = " map(%s)" % ", ".join(one.clause for one in (source, target)) if rng.random() < 0.4 else ""
        if was_newer and not present and self.map_type[source] != "alloc": # which would say that no copy is needed
            self.fault("older", "", (1,))
        present = present.replace("map(", "map(alloc : ")
        self.pragma("target teams distribute parallel for" + present + rng.choice(
            ["", " num_teams(2)", " thread_limit(32)"]))
        self.open(loop_head(rng, "i", WIDTH) + " {")
        code = self.statements(["(u32)i"], [])
        self.both(*code.begin(2))
        self.both(*code.statements(rng.choice([0, 1])))
        self.both("v1 += %s;" % read(rng, source.kind, "%s[i + %d]" % (source.name, at * WIDTH)))
        self.both("%s[i + %d] = %s;" % (target.name, to * WIDTH, made(rng, target.kind, "v1")))
        self.close()
        self.newest[target][to] = "device"

    def host_step(self):
        rng, one, part = self.rng, self.rng.choice([self.one, self.two]), self.rng.randrange(PARTS)
        self.from_device(one, part)
        self.open("for (int i = %d; i < %d; ++i) {" % (part * WIDTH, (part + 1) * WIDTH))
        self.both("%s[i] = %s;" % (one.name, made(rng, one.kind, "%s * 3u + (u32)i + 1u" % read(
            rng, one.kind, "%s[i]" % one.name))))
        self.close()
        self.newest[one][part] = "host"

    def leave(self):
        """Data that are copied back must be the device's, and others must not be newer there."""
        rng = self.rng
        copies = {}
        for one, how in self.map_type.items():
            copies[one] = how == "tofrom" if self.is_scoped else rng.random() < 0.5
            for part in range(PARTS):
                self.to_device(one, part) if copies[one] else self.from_device(one, part)
        if self.is_scoped:
            self.close()
            return
        clauses = {one: self.maps("from" if copies[one] else rng.choice(["release", "delete"]), [one])
                   for one in self.newest}
        self.pragma("target exit data" + "".join(clauses.values()))


class AsyncRegion(Region):
    """Regions that do not wait, in the order of their dependences."""

    def write(self):
        rng = self.rng
        arrays = [self.array(self.kind(), 48, ("pointer", "local")) for _ in range(3)]
        self.pragma("target data" + self.maps("tofrom", arrays))
        self.open()
        before = None
        for _ in range(rng.choice([2, 3, 5])):
            source, target = rng.sample(arrays, 2)
            wait = rng.random() < 0.2
            depends = " depend(in : %s[0]) depend(inout : %s[0])" % (source.name, target.name)
            line = "target teams distribute parallel for num_teams(%d) " % rng.choice([1, 2, 3])
            self.pragma(line + ("" if wait else "nowait") + depends)
            if before and not wait and source in before:
                self.fault("depend", "#pragma omp " + line + "nowait", (), (source.name,))
            self.open(loop_head(rng, "i", 48) + " {")
            code = self.statements(["(u32)i"], [])
            self.both(*code.begin(2))
            self.both(*code.statements(rng.choice([0, 1, 2])))
            self.both("%s[i] = %s;" % (target.name, made(rng, target.kind, "v1 + %s" % read(
                rng, source.kind, "%s[47 - i]" % source.name))))
            self.close()
            before = (target,)
        self.pragma("taskwait")
        self.close()
        self.finish()


class MemoryRegion(Region):
    """Memory that the program allocates on the device, and addresses of the device in mapped data."""

    def write(self):
        rng = self.rng
        count = rng.choice([33, 64, 100])
        data = self.array(self.kind(), count, ("pointer",))
        kind = data.kind
        own = self.name("d")
        size = "sizeof(%s) * %d" % (kind, count)
        self.split("%s *%s = omp_target_alloc(%s, omp_get_default_device());" % (kind, own, size),
                   "%s %s[%d];" % (kind, own, count))
        self.split("omp_target_memcpy(%s, %s, %s, 0, 0, omp_get_default_device(), omp_get_initial_device());" % (
            own, data.name, size), "memcpy(%s, %s, %s);" % (own, data.name, size))
        if rng.random() < 0.5:
            self.pragma("target data" + self.maps("tofrom", [data]) + " use_device_ptr(%s)" % data.name)
            self.open()
            self.loop(data, own, count, "%s, %s" % (own, data.name))
            self.close()
        else:
            self.pragma("target enter data" + self.maps("to", [data]))
            self.loop(data, own, count, own)
            self.pragma("target exit data" + self.maps("from", [data]))
            self.left_data(data, own, count)
        self.split("omp_target_memcpy(%s, %s, %s, 0, 0, omp_get_initial_device(), omp_get_default_device());" % (
            data.name, own, size), "memcpy(%s, %s, %s);" % (data.name, own, size))
        self.split("omp_target_free(%s, omp_get_default_device());" % own, None)
        self.finish()

    def loop(self, data, own, count, places):
        rng = self.rng
        self.pragma("target teams distribute parallel for is_device_ptr(%s)" % places)
        self.open(loop_head(rng, "i", count) + " {")
        code = self.statements(["(u32)i"], [])
        self.both(*code.begin(2))
        self.both("%s[i] = %s;" % (own, made(rng, data.kind, "v1 + %s" % read(rng, data.kind, "%s[i]" % data.name))))
        self.fault("beyond", "%s[i + (i == %d)] = %s;" % (own, count - 1, made(rng, data.kind, "v1")))
        self.close()

    def left_data(self, data, own, count):
        """A further region, which would be wrong with the address that the data had."""
        self.pragma("target is_device_ptr(%s)" % own)
        self.open()
        self.both("%s[1] = %s[2];" % (own, own))
        self.close()


class FreedRegion(Region):
    """An address of the device is used while the data are there."""

    def write(self):
        rng = self.rng
        data, result = self.array(self.kind(), 40, ("pointer",)), self.scalar("u32")
        place = self.name("d")
        self.pragma("target enter data" + self.maps("to", [data]))
        self.split("%s *%s = omp_get_mapped_ptr(%s, omp_get_default_device());" % (data.kind, place, data.name),
                   "%s *%s = %s;" % (data.kind, place, data.name))
        self.pragma("target update from(%s[0 : 1])" % data.name)
        self.fault("freed", "#pragma omp target exit data map(release : %s[0 : 40])" % data.name, (3, 4, 5))
        self.pragma("target is_device_ptr(%s) map(from : %s)" % (place, result.name))
        self.open()
        self.both("%s = 0;" % result.name)
        self.both("for (int i = 0; i < 40; ++i)")
        self.both("  %s += %s;" % (result.name, read(rng, data.kind, "%s[i]" % place)))
        self.close()
        self.pragma("target exit data map(delete : %s[0 : 40])" % data.name)
        self.finish()


class PointerRegion(Region):
    """A structure whose members point to mapped data, and members that are mapped alone."""

    def write(self):
        rng = self.rng
        count = rng.choice([21, 40])
        data = self.array(self.kind(), count, ("pointer",))
        name, kind = self.name("h"), data.kind
        self.both("struct { u32 count; %s *values; struct sums sums; struct bits bits; } %s =" % (kind, name),
                  "    {%d, %s, {1, 2, 3}, {1, 2, 3}};" % (count, data.name))
        total = self.scalar("u32")
        style = rng.choice(["map(to : {0}) map(tofrom : {0}.values[0 : {1}])",
                            "map(to : {0}.count, {0}.bits) map(tofrom : {0}.sums, {0}.values[0 : {1}])"])
        self.pragma("target teams distribute parallel for " + style.format(name, count) +
                    self.maps("tofrom", [total]) + " reduction(+ : %s)" % total.name)
        self.open(loop_head(rng, "i", count) + " {")
        code = self.statements(["(u32)i", "%s.count" % name, "(u32)%s.bits.middle" % name])
        self.both(*code.begin(2))
        self.both(*code.statements(rng.choice([1, 2])))
        self.both("%s.values[i] = %s;" % (name, made(rng, kind, "v1 + %s" % read(rng, kind, "%s.values[i]" % name))))
        self.fault("beyond", "%s.values[i + (i == 2) * %d] = %s;" % (name, count, made(rng, kind, "v1")))
        self.both("%s += %s.count + v2 %% 5u;" % (total.name, name))
        self.close()
        self.finish()


class ThreadsRegion(Region):
    """Threads of the host that have a region each."""

    def write(self):
        rng = self.rng
        data = self.array(self.kind(), 4 * 32, ("pointer", "local"))
        self.pragma("parallel for num_threads(%d)" % rng.choice([2, 4]))
        self.open("for (int row = 0; row < 4; ++row) {")
        self.pragma("target teams distribute parallel for num_teams(2) map(tofrom : %s[row * 32 : 32])" % data.name)
        self.open(loop_head(rng, "i", 32) + " {")
        code = self.statements(["(u32)i", "(u32)row"], [])
        self.both(*code.begin(2))
        self.both(*code.statements(2))
        self.both("%s[row * 32 + i] = %s;" % (data.name, made(rng, data.kind, "v1 + %s" % read(
            rng, data.kind, "%s[row * 32 + i]" % data.name))))
        self.close()
        self.close()
        self.finish()
