# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes a manual page of what a tool prints for --help: usage lines, a sentence that says what the tool does, text, and
# options, which begin with two spaces and a hyphen. Variables: tool, version.

function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  sub(/^['.]/, "\\\\\\&&", text)
  return text
}

BEGIN {
  printf ".TH %s 1 \"\" \"omptarget %s\"\n", toupper(tool), version
}
/^usage: / || (in_usage && !is_named && /^ /) {
  sub(/^usage: /, "")
  usage[++in_usage] = $0
  next
}
in_usage && !is_named {
  is_named = 1
  summary = $0
  sub(/[.:].*/, "", summary)
  summary = tolower(substr(summary, 1, 1)) substr(summary, 2)
  printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n", escaped(tool), escaped(summary)
  for (i = 1; i <= in_usage; ++i)
    print escaped(usage[i])
  print ".fi\n.SH DESCRIPTION"
}
match($0, /^  +-[^ ]+( [^ ]+)*  +/) {
  option = substr($0, 1, RLENGTH)
  gsub(/^ +| +$/, "", option)
  printf ".TP\n.B %s\n%s\n", escaped(option), escaped(substr($0, RLENGTH + 1))
  is_in_option = 1
  next
}
{
  if (is_in_option && !/^ /) {
    print ".PP"
    is_in_option = 0
  }
  sub(/^ +/, "")
  print escaped($0)
}
END {
  print ".SH SEE ALSO\nThe pages below share/doc/omptarget, which are installed with the library."
}
