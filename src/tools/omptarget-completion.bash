# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of bash for omptarget's tools: the options and commands that --help names; files otherwise.
_omptarget_tool() {
  local words
  words=$("$1" --help 2>/dev/null |
    grep -oE '(^| |\[)--[a-z][a-z-]*=?|^(usage:|  +) ?omptarget-profile [a-z]+' | sed -E 's/^.*[[ ]//' | sort -u)
  case $2 in
  -*) ;;
  *) [ "$COMP_CWORD" -eq 1 ] || return 0; words=$(grep -v '^-' <<<"$words") ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$2")
  [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
}
complete -o default -F _omptarget_tool \
  omptarget-info omptarget-profile omptarget-replay omptarget-plugin-check omptarget-run
