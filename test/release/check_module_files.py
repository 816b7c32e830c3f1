# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_module_files.py PREFIX tcl|lua INTERPRETER: evaluates the module file of an installation. Stand-ins for the
# commands of Environment Modules or Lmod print what they are asked for. test/release/run has the real ones.

import glob
import os
import shutil
import subprocess
import sys
import tempfile

TCL = r"""
set ModulesCurrentModulefile [lindex $argv 0]
proc module-info {what which} { return [expr {$which eq "load"}] }
foreach command {setenv prepend-path conflict module-whatis} {
  proc $command {args} [format {puts [join [concat %s $args] |]} $command]
}
if {[catch {source $ModulesCurrentModulefile} text]} { puts "error|$text"; exit }
rename puts real_puts
proc puts {channel text} { real_puts "help|$text" }
ModulesHelp
"""
LUA = r"""
local file = arg[1]
function myFileName() return file end
function mode() return "load" end
function isFile(name) local found = io.open(name); if found then found:close() end; return found ~= nil end
function pathJoin(a, b) return a .. "/" .. b end
function help(text) for line in text:gmatch("[^\n]+") do print("help|" .. line) end end
for name, stands_for in pairs{setenv = "setenv", prepend_path = "prepend-path", conflict = "conflict",
                              whatis = "module-whatis"} do
  _G[name] = function(...) print(table.concat({stands_for, ...}, "|")) end
end
function LmodError(...) print("error|" .. table.concat{...}); os.exit(0) end
dofile(file)
"""


def evaluate(language, interpreter, file):
    with tempfile.NamedTemporaryFile("w", suffix="." + language) as script:
        script.write({"tcl": TCL, "lua": LUA}[language])
        script.flush()
        done = subprocess.run([interpreter, script.name, file], capture_output=True, text=True)
    if done.returncode or done.stderr:
        sys.exit("%s cannot be evaluated: %s" % (file, done.stderr))
    return [tuple(line.split("|")) for line in done.stdout.splitlines()]


def main():
    prefix, language, interpreter = os.path.realpath(sys.argv[1]), sys.argv[2], sys.argv[3]
    files = [file for file in glob.glob(prefix + "/share/modulefiles/omptarget/*")
             if file.endswith(".lua") == (language == "lua")]
    if len(files) != 1:
        sys.exit("%s/share/modulefiles/omptarget has %s; expected one file of %s" % (prefix, files, language))
    if language == "tcl" and not open(files[0]).read().startswith("#%Module"):
        sys.exit("%s does not begin with #%%Module, by which it is known" % files[0])
    found = evaluate(language, interpreter, files[0])
    wanted = [("conflict", "omptarget"), ("setenv", "OMPTARGET_ROOT", prefix),
              ("prepend-path", "LD_LIBRARY_PATH", prefix + "/lib"), ("prepend-path", "PATH", prefix + "/bin"),
              ("prepend-path", "CMAKE_PREFIX_PATH", prefix),
              ("prepend-path", "PKG_CONFIG_PATH", prefix + "/lib/pkgconfig")]
    told = [each for each in found if each[0] not in ("help", "module-whatis")]
    if told != wanted:
        sys.exit("%s asks for\n%s\nexpected\n%s" % (files[0], told, wanted))
    if sum(each[0] == "help" for each in found) < 3 or not any(each[0] == "module-whatis" for each in found):
        sys.exit("%s has no help: %s" % (files[0], found))
    with tempfile.TemporaryDirectory() as elsewhere:
        folder = os.path.realpath(elsewhere) + "/share/modulefiles/omptarget"
        os.makedirs(folder)
        copy = shutil.copy(files[0], folder)
        error = "there is no %s/lib/libomptarget.so: correct" % os.path.realpath(elsewhere)
        found = evaluate(language, interpreter, copy)
        if not found or found[-1][0] != "error" or not found[-1][1].startswith(error):
            sys.exit("without an installation %s says %s; expected '%s'" % (copy, found, error))
    print("%s asks for %d things" % (os.path.basename(files[0]), len(told)))


main()
