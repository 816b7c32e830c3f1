# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced beside setup.sh: roots of Debian releases, made by debootstrap, and commands in them. Defines functions only.

# make_root SUITE FOLDER: a minimal root of that release. One that is complete is used again.
make_root() {
  local suite=$1 folder=$2 mirror
  [ -e "$folder/.complete" ] && return
  command -v debootstrap >/dev/null || require_packages debootstrap
  mirror=$(debian_mirror)
  rm -rf "$folder"
  mkdir -p "$(dirname "$folder")"
  # debootstrap mounts /proc there: not where anybody else sees it.
  unshare --mount --propagation private debootstrap --variant=minbase "$suite" "$folder" "$mirror" \
    >"$folder.log" 2>&1 ||
    { tail -n 5 "$folder.log" >&2; die "could not make a root of Debian $suite from $mirror (log: $folder.log)"; }
  if [ "$suite" = bookworm ]; then # the same sources as this machine
    rm -f "$folder"/etc/apt/sources.list
    cp -r /etc/apt/sources.list /etc/apt/sources.list.d "$folder/etc/apt/" 2>/dev/null || true
    find "$folder/etc/apt/sources.list.d" -type f ! -name '*.list' ! -name '*.sources' -delete
  fi
  touch "$folder/.complete"
}

# in_root FOLDER COMMAND [BIND...]: runs a shell command as root of that root, with devices, /proc and the network's
# names.
# BIND: folders of this machine that are seen there under the same name. Mounts last as long as the command does.
in_root() {
  local folder=$1 command=$2
  shift 2
  cp -L /etc/resolv.conf "$folder/etc/resolv.conf" 2>/dev/null || true
  unshare --mount --propagation private bash -c '
    set -e
    folder=$1 command=$2
    shift 2
    mount -t proc proc "$folder/proc"
    mount --rbind /dev "$folder/dev"
    mount -t tmpfs tmpfs "$folder/tmp" -o mode=1777
    for bind; do
      mkdir -p "$folder$bind"
      mount --bind "$bind" "$folder$bind"
    done
    exec env -i HOME=/root LANG=C.UTF-8 TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" chroot "$folder" bash -c "$command"
  ' in_root "$folder" "$command" "$@"
}
