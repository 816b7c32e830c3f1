# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the toolkit for clang (src/emulator/toolkit) makes of PTX that ptxas refuses.

toolkit_test.py MAKE-PTX-TOOLKIT
"""

import os
import subprocess
import sys
import tempfile
import unittest

LOCK = ".common .global .align 8 .b8 .gomp_critical_user_.var[32];"
HEAD = ".version 7.8\n.target sm_80\n.address_size 64\n\n"
# As flang 19 to 23 write a critical section and an array on the stack.
FILE = HEAD + LOCK + """
.global .align 4 .u32 own = 1;
.visible .func %s(.param .u64 size)
{
	.reg .b64 	%%rd<3>;
	ld.param.u64 	%%rd0, [size];
	alloca.u64 	%%rd1, %%rd0, 0;
	alloca.u64 	%%rd1, %%rd0, 8;
	mov.u64 	%%rd2, .gomp_critical_user_.var;
	st.u64 	[.gomp_critical_user_.var+8], %%rd1;
	ret;
}
"""


# A function and a variable that one file wants and another has.
WANTS = HEAD + """.extern .func (.param .b32 result) number
(
	.param .b32 value
)
;
.extern .global .align 4 .u32 shown;
.visible .func wants()
{
	.reg .b64 	%rd<1>;
	mov.u64 	%rd0, shown;
	ret;
}
"""
HAS = HEAD + """.visible .func (.param .b32 result) number(.param .b32 value)
{
	ret;
}
.visible .global .align 4 .u32 shown = 5;
"""


class Toolkit(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        subprocess.run([sys.argv[1], self.path("toolkit")], check=True, stderr=subprocess.DEVNULL)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def assembled(self, name, text=None):
        with open(self.path(name + ".ptx"), "w") as file:
            file.write(text or FILE % name)
        subprocess.run([self.path("toolkit/bin/ptxas"), "-c", "--gpu-name", "sm_80", self.path(name + ".ptx"), "-o",
                        self.path(name + ".o")], check=True)
        return self.path(name + ".o")

    def linked(self, *files):
        subprocess.run([self.path("toolkit/bin/nvlink"), "-arch", "sm_80", "-o", self.path("image")] + list(files),
                       check=True)
        with open(self.path("image"), "rb") as file:
            image = file.read()
        begin = image.index(b".version")
        return image[begin:image.index(b"\0", begin)].decode()

    def test_names_have_no_dots(self):
        text = self.linked(self.assembled("one"))
        self.assertNotIn(".gomp", text)
        self.assertEqual(text.count("$gomp_critical_user_$var"), 3)
        self.assertIn("[$gomp_critical_user_$var+8]", text)

    def test_files_of_a_program_share_a_lock(self):
        text = self.linked(self.assembled("one"), self.assembled("two"))
        self.assertEqual(text.count(LOCK.replace(".gomp_critical_user_.", "$gomp_critical_user_$")), 1)
        self.assertEqual(text.count("$gomp_critical_user_$var"), 5)

    def test_alignment_is_a_power_of_two(self):
        text = self.linked(self.assembled("one"))
        self.assertIn("alloca.u64 \t%rd1, %rd0, 16;", text)
        self.assertIn("alloca.u64 \t%rd1, %rd0, 8;", text)

    def test_what_a_file_wants_is_declared_as_another_defines_it(self):
        for files in (("wants", WANTS), ("has", HAS)), (("has", HAS), ("wants", WANTS)):
            text = self.linked(*(self.assembled(*file) for file in files))
            self.assertNotIn(".extern", text)
            self.assertEqual(text.count("shown = 5;"), 1)
            self.assertLess(text.index("shown = 5;"), text.index("mov.u64"))
            self.assertEqual(text.count(".visible .func (.param .b32 result) number"), 2)

    def test_other_text_stays(self):
        text = self.linked(self.assembled("one"))
        mended = FILE % "one"
        mended = mended.replace(".gomp_critical_user_.", "$gomp_critical_user_$").replace("%rd0, 0;", "%rd0, 16;")
        self.assertEqual(text, mended)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
