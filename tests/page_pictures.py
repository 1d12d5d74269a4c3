"""The pictures of the labelling page in the documentation, from real use: ``python tests/page_pictures.py``.

It starts ``zerokelvin label --demo``, answers the digits by keyboard as they are, and writes
docs/images/label-page.png, label-map.png and label-tour.gif. Needs chromium, playwright and Pillow.
"""

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_digits

from browsing import CHROMIUM, DESKTOP, ROBUST, Person, labelling

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
WIDTH = 800
"""Pixels of the moving picture across."""

COLOURS = 255
ANSWERS = 36
FILMED = 9
"""Of the answers, the last ones are filmed."""

MOST = 1_000_000
"""Bytes that the moving picture may have."""


class Film:
    """Pictures with the milliseconds each is shown."""

    def __init__(self, page):
        self.page, self.frames = page, []

    def take(self, milliseconds):
        """What the page shows now."""
        shot = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        self.frames.append((shot.resize((WIDTH, round(WIDTH * shot.height / shot.width))), milliseconds))

    def save(self, path):
        """One palette for all, so that nothing flickers."""
        every = Image.new("RGB", (WIDTH, self.frames[0][0].height * len(self.frames)))
        for place, (frame, _) in enumerate(self.frames):
            every.paste(frame, (0, place * frame.height))
        palette = every.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        pictures = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame, _ in self.frames]
        times = [milliseconds for _, milliseconds in self.frames]
        pictures[0].save(
            path, save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=True
        )


def answer(person, truth):
    """Press the key of the right class."""
    person.press(str(truth[int(person.node.split("-")[1])]))


def main():
    truth = load_digits().target
    with (
        tempfile.TemporaryDirectory() as folder,
        labelling(folder, "--demo") as service,
        sync_playwright() as p,
    ):
        browser = p.chromium.launch(executable_path=CHROMIUM, args=ROBUST)
        context = browser.new_context(**DESKTOP, reduced_motion="reduce", color_scheme="light")
        person = Person(context.new_page(), service.first().page, "Ana").enter()
        film = Film(person.page)
        for _ in range(ANSWERS - FILMED):
            answer(person, truth)
            person.saved()
        for _ in range(FILMED):
            person.page.wait_for_timeout(400)  # the next questions come ahead meanwhile
            film.take(900)
            answer(person, truth)
        person.saved()
        person.press("z")
        film.take(1200)
        person.press("Shift+Z")
        person.saved()
        while person.page.locator(".because li").count() < 3:
            answer(person, truth)
            person.saved()
        person.page.screenshot(path=IMAGES / "label-page.png")
        person.tab("map")
        person.page.wait_for_selector(".legend li")
        person.page.wait_for_function("() => document.querySelector('.map-note').hidden", timeout=120_000)
        person.page.wait_for_timeout(1000)
        person.page.screenshot(path=IMAGES / "label-map.png")
        film.take(2500)
        person.page.get_by_role("button", name="Lasso").click()
        box = person.page.locator(".map-stage canvas[role]").bounding_box()
        around = [(0.5, 0.57), (0.67, 0.55), (0.72, 0.66), (0.66, 0.74), (0.52, 0.73)]
        mouse = person.page.mouse
        for place, (x, y) in enumerate([*around, around[0]]):
            mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=6)
            if not place:
                mouse.down()
            film.take(250)
        mouse.up()
        person.page.wait_for_selector(".check-first li")
        film.take(4000)
        film.save(IMAGES / "label-tour.gif")
        size = (IMAGES / "label-tour.gif").stat().st_size
        print(f"{len(film.frames)} frames, {size:,} bytes")
        browser.close()
        if size > MOST:
            raise SystemExit(f"label-tour.gif has more than {MOST:,} bytes")


if __name__ == "__main__":
    main()
