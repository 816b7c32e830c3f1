# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced beside setup.sh: packages of other releases of Debian, unpacked below the build folder. Nothing is installed,
# and apt's own lists stay as they are. Defines functions only.

# The package mirror that this machine uses for Debian itself.
debian_mirror() {
  local site
  site=$(apt-get indextargets --format '$(LABEL) $(SITE)' 'Created-By: Packages' 2>/dev/null |
    awk '$1 == "Debian" {print $2; exit}')
  echo "${site:-http://deb.debian.org/debian}"
}

# release_apt FOLDER SUITE PROGRAM [ARGUMENT...]: apt-get or apt-cache with lists of that release in FOLDER/SUITE.
release_apt() {
  local folder=$1 suite=$2 program=$3 lists=$1/$2
  shift 3
  if [ ! -e "$lists/updated" ]; then
    mkdir -p "$lists"/{lists,archives,debs}/partial
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(debian_mirror) $suite main" \
      >"$lists/sources.list"
    touch "$lists/updated" # before the call of itself
    # The newest lists of unstable are past their date on mirrors that lag behind.
    release_apt "$folder" "$suite" apt-get -o Acquire::Check-Valid-Until=false -qq update >"$lists/messages" 2>&1 ||
      { cat "$lists/messages" >&2; rm -f "$lists/updated"; return 1; }
  fi
  "$program" -o Dir::Etc::SourceList="$lists/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$lists/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$lists" \
    -o Dir::Cache::archives="$lists/archives" -o APT::Sandbox::User=root "$@"
}

# unpack_release_packages LISTS SUITE FOLDER NAME... [-- PATTERN]: these packages and nothing that they depend on; of
# their files only those of the pattern.
unpack_release_packages() {
  local lists=$1 suite=$2 folder=$3 pattern= debs deb
  shift 3
  if [ $# -gt 2 ] && [ "${*: -2:1}" = -- ]; then
    pattern=${*: -1}
    set -- "${@:1:$#-2}"
  fi
  release_apt "$lists" "$suite" apt-cache show "$1" >/dev/null 2>&1 || # also makes the lists
    { echo "Debian $suite on $(debian_mirror) has no package $1" >&2; return 1; }
  debs=$(mktemp -d "$lists/$suite/debs/XXXXXX")
  (cd "$debs" && release_apt "$lists" "$suite" apt-get -qq download "$@" >messages 2>&1) ||
    { cat "$debs/messages" >&2; rm -rf "$debs"; return 1; }
  mkdir -p "$folder"
  for deb in "$debs"/*.deb; do
    if [ -n "$pattern" ]; then
      dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder" --wildcards "$pattern"
    else
      dpkg-deb -x "$deb" "$folder"
    fi || { rm -rf "$debs"; return 1; }
  done
  rm -rf "$debs"
}

# libraries_of LISTS SUITE NAME...: these packages of libraries and those that they depend on.
libraries_of() {
  local lists=$1 suite=$2
  shift 2
  release_apt "$lists" "$suite" apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances "$@" | grep -E '^(lib|zlib1g)' | sort -u
}
