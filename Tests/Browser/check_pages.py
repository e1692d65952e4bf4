"""Looks at pages in a real browser, as people and as assistive programs see them.

    check_pages.py [--screenshot EXPECTED.png] PAGE.html… [--served URL…]

For each page, on a phone, a tablet and a screen, light and dark: nothing is complained about on the console, nothing is
requested, unless by a served page from its own server, the page is not wider than the screen, no text of a chart lies on another one or outside its bar, axe-core finds no
violation, and without scripts and on paper the same texts are there. The first page is compared with the expected screenshot.
"""

import argparse
import io
import pathlib
import shutil
import sys

import axe_playwright_python
from PIL import Image, ImageChops
from playwright.sync_api import sync_playwright

WIDTHS = [360, 768, 1280]
SCHEMES = ["light", "dark"]
SHOT = {"width": 1000, "height": 1180}
# A laptop and a phone.
FIRST_SCREENS = [(1280, 900), (390, 844)]

# The texts of a chart that overlap, or that stick out of the bar they are on. A pixel of the boxes may overlap.
BAD_TEXTS = """() => {
  const found = [];
  for (const svg of document.querySelectorAll("figure > svg")) {
    const texts = [...svg.querySelectorAll("text")].map(t => [t, t.getBoundingClientRect()])
      .filter(([t, box]) => t.textContent && box.width);
    const bars = [...svg.querySelectorAll("rect")].map(r => r.getBoundingClientRect());
    for (const [i, [text, box]] of texts.entries()) {
      if (box.left < -1 || box.right > document.documentElement.clientWidth + 1)
        found.push("off the page: " + text.textContent);
      if (text.classList.value.startsWith("on-") && !bars.some(b => b.left <= box.left + 1 && box.right <= b.right + 1
          && b.top <= box.top + 2 && box.bottom <= b.bottom + 2))
        found.push("outside its bar: " + text.textContent);
      for (const [other, otherBox] of texts.slice(i + 1))
        if (box.left + 1 < otherBox.right && otherBox.left + 1 < box.right
            && box.top + 3 < otherBox.bottom && otherBox.top + 3 < box.bottom)
          found.push("on each other: " + text.textContent + " | " + other.textContent);
    }
  }
  return found;
}"""

# Cells, and the same from the largest to the smallest. What begins with an arrow stays below the cell before it.
SORTED = [
    (["25 s", "1 m 6 s", "1.2 d", "907 ms", "–"], ["1.2 d", "1 m 6 s", "25 s", "907 ms", "–"]),
    (["9.5 %", "100 %*", "55.0 % of 12"], ["100 %*", "55.0 % of 12", "9.5 %"]),
    (["2026-11-09", "2026-11-10", "2026-10-31"], ["2026-11-10", "2026-11-09", "2026-10-31"]),
    (["3.9.0", "3.10.0"], ["3.10.0", "3.9.0"]),
    (["1", "↳ a", "1,000", "↳ b"], ["1,000", "↳ b", "1", "↳ a"]),
]
# The page's script is run again for a table of these cells alone.
TABLE = """cells => {
  const row = cell => `<tr><td>${cell}</td></tr>`;
  document.querySelector("main").innerHTML =
    `<table><thead><tr><th>a</th></tr></thead><tbody>${cells.map(row).join("")}</tbody></table>`;
}"""
SCRIPT_AGAIN = """() => {
  const again = document.createElement("script");
  again.textContent = `{${document.querySelector("body > script").textContent}}`;
  document.body.append(again);
}"""


class Findings:
    """What is wrong, each said once."""

    def __init__(self):
        self.lines = []

    def add(self, where, what):
        line = f"{where}: {what}"
        if line not in self.lines:
            self.lines.append(line)
            print(line)


class Page:
    """A page, in a file or on a server."""

    def __init__(self, text):
        self.is_served = text.startswith("http://")
        self.address = text if self.is_served else pathlib.Path(text).resolve().as_uri()
        self.name = text.split("/", 3)[3] if self.is_served else pathlib.Path(text).name

    def may_request(self, address):
        """Says whether the page may load something: itself, and a served page what its own server has."""
        if self.is_served:
            return address.startswith("/".join(self.address.split("/", 3)[:3]) + "/")
        return address == self.address


def open_page(browser, path, findings, where, **options):
    """Opens a page in a context of its own, and watches its console and its requests."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.on("console", lambda message: findings.add(where, f"console: {message.text}"))
    page.on("pageerror", lambda error: findings.add(where, f"error: {error}"))
    page.on("request", lambda request: path.may_request(request.url) or findings.add(where, f"request: {request.url}"))
    page.goto(path.address)
    return context, page


def check(browser, path, axe, findings):
    """Looks at a page in each width and colour scheme."""
    for width in WIDTHS:
        for scheme in SCHEMES:
            where = f"{path.name} {width} {scheme}"
            context, page = open_page(
                browser, path, findings, where, viewport={"width": width, "height": 900}, color_scheme=scheme)
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                findings.add(where, f"the page is {wide} pixels wide")
            for text in page.evaluate(BAD_TEXTS):
                findings.add(where, f"texts {text}")
            # What axe-core looks at differs by width only in what is hidden, which nothing is.
            if width != WIDTHS[0]:
                context.close()
                continue
            page.evaluate(axe)
            for violation in page.evaluate("axe.run()")["violations"]:
                nodes = "; ".join(str(node["target"]) for node in violation["nodes"][:3])
                findings.add(where, f"axe {violation['id']}: {violation['help']} ({nodes})")
            context.close()
    where = f"{path.name} without scripts"
    context, page = open_page(browser, path, findings, where)
    without_buttons(page)
    text = page.inner_text("body")
    context.close()
    context, page = open_page(browser, path, findings, where, java_script_enabled=False)
    if page.locator("body").inner_text() != text:
        findings.add(where, "the text differs")
    context.close()
    context, page = open_page(browser, path, findings, f"{path.name} on paper")
    without_buttons(page)
    page.emulate_media(media="print")
    # Paper has no controls.
    printed = page.inner_text("main")
    page.emulate_media(media="screen")
    if page.inner_text("main") != printed:
        findings.add(f"{path.name} on paper", "the text differs")
    page.emulate_media(media="print")
    if len(page.pdf()) < 1000:
        findings.add(f"{path.name} on paper", "nothing is printed")
    context.close()


def without_buttons(page):
    """Takes away the buttons that save charts, which only the script makes."""
    page.evaluate("() => document.querySelectorAll('.save').forEach(row => row.remove())")


def ask(page, option, value):
    """Opens the chip of an option, chooses a value and shows the page."""
    chip = page.locator(f"details.chip:has(select[name={option}])")
    chip.locator("summary").click()
    chip.locator(f"select[name={option}]").first.select_option(value)
    chip.locator("button").click()


IS_CUT_WITHOUT_SIGN = """row => row.scrollWidth > row.clientWidth
    && getComputedStyle(row, '::after').position !== 'sticky'"""


def check_first_screen(browser, path, findings):
    """Looks for the headline, the first bars and one line of chips above the fold."""
    for width, height in FIRST_SCREENS:
        where = f"{path.name} {width} × {height}"
        context, page = open_page(browser, path, findings, where, viewport={"width": width, "height": height})
        for what in [".headline", "figure > svg :is(rect, polyline)", ".chips"]:
            box = page.locator(what).first.bounding_box()
            if box is None or box["y"] + box["height"] > height:
                findings.add(where, f"{what} is not on the first screen: {box}")
        tops = {round(box["y"]) for box in (chip.bounding_box() for chip in page.locator(".chip").all())}
        if len(tops) > 1:
            findings.add(where, "the chips need several lines")
        for row in page.locator(".chips, .tabs ul").all():
            if row.evaluate(IS_CUT_WITHOUT_SIGN):
                findings.add(where, f"a row that scrolls has no sign of it: {row.inner_text()}")
        context.close()


def check_form(browser, path, findings):
    """Asks by the form, without scripts, and sorts a table, with them."""
    where = f"{path.name} form"
    context, page = open_page(browser, path, findings, where, java_script_enabled=False)
    ask(page, "by", "week")
    if "by=week" not in page.url or "by week" not in page.locator(".question").inner_text():
        findings.add(where, f"the segment was not changed: {page.url}")
    flow = page.locator("select[name=flow] option").first.get_attribute("value")
    ask(page, "flow", flow)
    if f"/flows/{flow}" not in page.url or "by=week" not in page.url:
        findings.add(where, f"the flow was not changed: {page.url}")
    context.close()
    context, page = open_page(browser, path, findings, where)
    column = "() => [...document.querySelectorAll('table')].at(-1).tBodies[0].innerText"
    before = page.evaluate(column)
    head = page.locator("table").last.locator("th button").last
    head.click()
    head.click()
    if page.evaluate(column) == before and page.locator("table").last.locator("[aria-sort]").count() != 1:
        findings.add(where, "a click on a heading does not sort")
    context.close()
    # The policy allows the page's own script as it is, and no other; without it the browser also asks for an icon, which is no finding.
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.goto(path.address)
    for shuffled, sorted_cells in SORTED:
        page.evaluate(TABLE, shuffled)
        page.evaluate(SCRIPT_AGAIN)
        page.locator("table").first.locator("th button").first.click()
        cells = page.locator("table").first.locator("tbody td").all_inner_texts()
        if cells != sorted_cells:
            findings.add(where, f"{shuffled} are sorted as {cells}")
    context.close()


def screenshot(browser, path, findings):
    """Returns a picture of the top of a page."""
    context, page = open_page(browser, path, findings, path.name, viewport=SHOT, color_scheme="light")
    picture = page.screenshot()
    context.close()
    return picture


def share_of_changes(a, b):
    """Returns the share of pixels that differ visibly; fonts are drawn a little differently on each system."""
    if a.size != b.size:
        return 1.0
    difference = ImageChops.difference(a.convert("L"), b.convert("L")).point(lambda value: 255 if value > 64 else 0)
    return difference.histogram()[255] / (a.size[0] * a.size[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--screenshot", type=pathlib.Path, help="what the first page looks like")
    parser.add_argument("--accept", action="store_true", help="write the screenshot instead of comparing with it")
    parser.add_argument("--served", nargs="*", type=Page, default=[], help="addresses of pages with a form")
    parser.add_argument("pages", nargs="+", type=Page)
    arguments = parser.parse_args()
    axe = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
    findings = Findings()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for path in arguments.pages + arguments.served:
            check(browser, path, axe, findings)
        # The page that builds funnels begins with its steps, and has no form for segments.
        for path in [page for page in arguments.served if page.name.startswith("flows/")]:
            check_first_screen(browser, path, findings)
            check_form(browser, path, findings)
        if arguments.screenshot:
            picture = screenshot(browser, arguments.pages[0], findings)
            if arguments.accept:
                Image.open(io.BytesIO(picture)).convert("P", palette=Image.Palette.ADAPTIVE, colors=128).save(
                    arguments.screenshot, optimize=True)
            else:
                share = share_of_changes(Image.open(io.BytesIO(picture)), Image.open(arguments.screenshot).convert("RGB"))
                print(f"the screenshot differs in {100 * share:.2f} % of its pixels")
                if share > 0.02:
                    findings.add(arguments.pages[0].name, "it looks otherwise than expected; if that is meant: make screenshot")
        browser.close()
    failed = len(findings.lines)
    print(f"{len(arguments.pages) + len(arguments.served)} pages looked at, {failed} findings")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
