# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An offloading program or library of a file: finds its descriptor, device images and entries, and changes them.

Addresses are those that the linker gave. A pointer of a position-independent file is in a relocation; get_pointer and
set_pointer hide that.
"""
import struct

RELATIVE, SYMBOLIC = 8, 1  # types of relocations of x86-64


class OffloadBinary:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = bytearray(file.read())
        (self.section_offset,) = struct.unpack_from("<Q", self.data, 40)
        program_offset, = struct.unpack_from("<Q", self.data, 32)
        program_count, = struct.unpack_from("<H", self.data, 56)
        headers = [struct.unpack_from("<IIQQQQQQ", self.data, program_offset + 56 * i) for i in range(program_count)]
        self.segments = [(h[3], h[5], h[2]) for h in headers if h[0] == 1]  # address, bytes in the file, offset
        self.relocations = self.find_relocations(RELATIVE)
        self.symbolic = self.find_relocations(SYMBOLIC)
        self.descriptor = self.find_symbol(".omp_offloading.descriptor")
        self.images = self.get_pointer(self.descriptor + 8)
        self.entries = self.get_pointer(self.descriptor + 16)
        self.entries_end = self.get_pointer(self.descriptor + 24)

    def sections(self):
        count, = struct.unpack_from("<H", self.data, 60)
        for i in range(count):
            fields = struct.unpack_from("<IIQQQQIIQQ", self.data, self.section_offset + 64 * i)
            yield dict(zip(("name", "type", "flags", "address", "offset", "size", "link", "info", "align", "entry"),
                           fields))

    def find_symbol(self, name):
        sections = list(self.sections())
        for section in sections:
            if section["type"] != 2:  # SHT_SYMTAB
                continue
            names = sections[section["link"]]["offset"]
            for at in range(section["offset"], section["offset"] + section["size"], 24):
                name_at, = struct.unpack_from("<I", self.data, at)
                end = self.data.index(b"\0", names + name_at)
                if self.data[names + name_at : end].decode() == name:
                    return struct.unpack_from("<Q", self.data, at + 8)[0]
        raise SystemExit("no symbol %s" % name)

    def find_relocations(self, kind):
        """Offsets in the file of the relocations of one type, by the address that they set."""
        found = {}
        for section in self.sections():
            if section["type"] == 4 and section["flags"] & 2:  # SHT_RELA, SHF_ALLOC
                for at in range(section["offset"], section["offset"] + section["size"], 24):
                    address, info, _ = struct.unpack_from("<QQq", self.data, at)
                    if info & 0xFFFFFFFF == kind:
                        found[address] = at
        return found

    def offset(self, address):
        for begin, size, offset in self.segments:
            if begin <= address < begin + size:
                return offset + address - begin
        raise SystemExit("address 0x%x is not in the file" % address)

    def get(self, kind, address):
        return struct.unpack_from("<" + kind, self.data, self.offset(address))[0]

    def set(self, kind, address, value):
        struct.pack_into("<" + kind, self.data, self.offset(address), value)

    def get_pointer(self, address):
        if address in self.relocations:
            return struct.unpack_from("<q", self.data, self.relocations[address] + 16)[0]
        return self.get("Q", address)

    def set_pointer(self, address, value):
        """In a position-independent file the module's address is added to it, unless it is null or names a symbol."""
        if address in self.relocations and value != 0:
            struct.pack_into("<q", self.data, self.relocations[address] + 16, value)
            return
        for kind in (self.relocations, self.symbolic):
            if address in kind:
                self.neutralise(kind, address)
        self.set("Q", address, value & 0xFFFFFFFFFFFFFFFF)

    def neutralise(self, kind, address):
        """Lets a relocation do what another one does already."""
        at, other = kind.pop(address), next(iter(kind.values()))
        self.data[at : at + 24] = self.data[other : other + 24]

    def entry_size(self):
        """32, or 56 in files of clang 20 and later, whose first word is no pointer."""
        is_pointer = self.entries in self.relocations or self.entries in self.symbolic or self.get(
            "Q", self.entries) != 0
        return 32 if is_pointer else 56

    def image_begin(self, i=0):
        return self.get_pointer(self.images + 32 * i)

    def image_end(self, i=0):
        return self.get_pointer(self.images + 32 * i + 8)

    def elf(self):
        """Address of the ELF file in the first image, behind the container's headers where it has them."""
        begin = self.image_begin()
        return begin + (self.get("Q", begin + 32 + 24) if self.is_container() else 0)

    def is_container(self):
        return self.get("I", self.image_begin()) == 0xAD10FF10

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.data)
