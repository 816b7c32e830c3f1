# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_profile_page.py PAGE [RANKS]: opens the page in chromium without a window, clicks through it, and checks the
# texts and a picture of the page. With RANKS the page is of so many processes that did the same.

import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

CLICKS = """<script>
window.addEventListener("load", () => {
  const found = {lanes: lanes.map(lane => lane.label), tabs: {}};
  for (const button of [...document.getElementById("tabs").children]) {
    button.click();
    found.tabs[button.textContent] = document.getElementById("tables").innerText;
  }
  document.getElementById("tabs").children[3].click();
  document.querySelectorAll("#table th")[3].click();
  found.sorted = document.querySelector("#table td").textContent;
  const whole = view.to - view.from;
  document.getElementById("in").click();
  found.zoomed = (view.to - view.from) / whole;
  canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: -1, cancelable: true}));
  found.wheel = (view.to - view.from) / whole;
  document.getElementById("all").click();
  const box = shown.find(one => one.event.cat === "kernel");
  const at = canvas.getBoundingClientRect();
  const point = {clientX: at.left + box.left + 0.5, clientY: at.top + box.y + 5, bubbles: true};
  canvas.dispatchEvent(new MouseEvent("mousemove", point));
  found.tip = document.getElementById("tip").textContent;
  canvas.dispatchEvent(new MouseEvent("click", point));
  found.picked = document.getElementById("picked").textContent;
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  for (let i = 0; i < pixels.length; i += 4) colours.add(pixels[i] + "," + pixels[i + 1] + "," + pixels[i + 2]);
  found.colours = colours.size;
  found.about = document.getElementById("about").textContent;
  found.keys = document.getElementById("keys").textContent;
  found.wide = document.documentElement.scrollWidth - innerWidth;
  document.body.setAttribute("data-found", JSON.stringify(found));
});
</script>"""

# The picture is of a copy and its region, however long the others took.
NEAR_A_COPY = """<script>
window.addEventListener("load", () => {
  const copy = spans.find(event => event.cat === "copy to device"), length = Math.max(copy.dur, 0.01);
  view.from = Math.max(0, copy.ts - length);
  view.to = copy.ts + 2 * length;
  draw();
});
</script>"""


def open_page(browser, path, folder, *options):
    return subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                           "--user-data-dir=" + folder + "/user", "--virtual-time-budget=5000", "--hide-scrollbars",
                           *options,
                           "file://" + path], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)


def colours_of(picture):
    """How often each colour is in a PNG of 8 bits per channel that is not interlaced."""
    contents = open(picture, "rb").read()
    assert contents[:8] == b"\x89PNG\r\n\x1a\n", "no picture"
    at, packed = 8, b""
    while at < len(contents):
        size, kind = struct.unpack(">I4s", contents[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, form, _, _, interlaced = struct.unpack(">IIBBBBB", contents[at + 8:at + 8 + size])
        elif kind == b"IDAT":
            packed += contents[at + 8:at + 8 + size]
        at += size + 12
    assert depth == 8 and form in (2, 6) and not interlaced, "a picture of another form"
    channels, data = (3 if form == 2 else 4), zlib.decompress(packed)
    stride, last, counts = width * channels, bytearray(width * channels), {}
    for row in range(height):
        begin = row * (stride + 1)
        line = unfiltered(data[begin], bytearray(data[begin + 1:begin + 1 + stride]), last, channels)
        for i in range(0, stride, channels):
            colour = "#%02x%02x%02x" % tuple(line[i:i + 3])
            counts[colour] = counts.get(colour, 0) + 1
        last = line
    return counts


def unfiltered(kind, line, above, step):
    for i in range(len(line)):
        left, up, corner = (line[i - step] if i >= step else 0), above[i], (above[i - step] if i >= step else 0)
        if kind == 4:
            guess = left + up - corner
            left = min((left, up, corner), key=lambda value: abs(guess - value))
        line[i] = line[i] + (0, left, up, (left + up) // 2, left)[kind] & 0xff
    return line


def main():
    page, ranks = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    browser = shutil.which("chromium")
    text = open(page, encoding="utf-8").read()
    assert "@TRACE@" not in text and "http" not in re.sub(r"https?://www.w3.org", "", text)
    with tempfile.TemporaryDirectory() as folder:
        for name, script in (("clicked", CLICKS), ("near", NEAR_A_COPY)):
            with open("%s/%s.html" % (folder, name), "w", encoding="utf-8") as file:
                file.write(text.replace("</body>", script + "</body>"))
        done = open_page(browser, folder + "/clicked.html", folder, "--dump-dom")
        picture = folder + "/page.png"
        open_page(browser, folder + "/near.html", folder, "--window-size=1200,900", "--screenshot=" + picture)
        colours = colours_of(picture)
    errors = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert not errors, errors
    found = re.search(r'data-found="([^"]*)"', done.stdout)
    assert found, "the page's own script did not run to its end: " + done.stdout[:2000]
    quoted = found.group(1).replace("&quot;", '"').replace("&amp;", "&")
    found = json.loads(quoted.replace("&gt;", ">").replace("&lt;", "<"))
    tabs = {name.split(" (")[0]: content for name, content in found["tabs"].items()}
    assert "main, line" in tabs["Kernels"], tabs
    assert "target" in tabs["Constructs"] and "profile.c:" in tabs["Constructs"], tabs
    assert "to device" in tabs["Copies"] and "GB/s" in tabs["Copies"], tabs
    assert "data" in tabs["Variables"] and "%d.00 kB" % (80 * ranks) in tabs["Variables"], tabs
    assert "%d.00 kB" % (72 * ranks) in tabs["Copied too often"], tabs
    memory = tabs["Device memory"]  # told by the plugins for GPUs only
    assert memory == "No plugin told how it used device memory." or "of kept memory" in memory, tabs
    assert tabs["Ran on the host"] == "Every target region ran on a device.", tabs
    assert "_page.c.tmp" in found["about"] or "merged" in found["about"], found["about"]
    assert re.search(r"on \S+ · 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} · omptarget \d+\.\d+" if ranks == 1 else
                     r"20\d\d-\d\d-\d\d .*%d ranks · omptarget \d+\.\d+" % ranks, found["about"]), found["about"]
    assert "memory: allocate, free" in found["keys"], found["keys"]
    assert re.search(r"\d+\.\d %", tabs["Kernels"]) and re.search(r"\d+\.\d %", tabs["Copies"]), tabs
    assert found["wide"] <= 0, "the page is wider than the window"
    if ranks == 1:
        assert "device 0: kernels" in found["lanes"] and "Ranks" not in tabs, found
    else:
        assert next(iter(tabs)) == "Ranks" and len(tabs["Ranks"].splitlines()) == ranks + 1, tabs
        for rank in range(ranks):
            assert any(re.fullmatch(r"rank %d \(.+\), device 0: kernels" % rank, lane)
                       for lane in found["lanes"]), found
    assert abs(found["zoomed"] - 0.5) < 1e-6 and found["wheel"] < 0.5, found
    assert "main, line" in found["tip"] and "kernel" in found["picked"], found
    assert found["colours"] > 4, found
    # More than the explanations of the colours have.
    for what, colour in (("regions", "#7d8aa8"), ("copies to the device", "#2457c5"), ("text", "#1d2433")):
        assert colours.get(colour, 0) > 600, "the picture shows no %s: %s" % (what, colours.get(colour))
    print("the page shows %d lanes and %d tables" % (len(found["lanes"]), len(tabs)))


main()
