"""What a project is set to: notes, guidelines, hidden guesses, random checks; labels in and out; keys."""

import json
import subprocess
import sys

from browsing import AXE, Labelled, labelling, wait_until


def right(person):
    return "1" if person.node.startswith("good") else "2"


def test_guidelines_and_notes_stand_beside_the_item_for_everybody(cliques, arrive):
    ana = arrive(cliques)
    ana.page.get_by_role("button", name="Edit guidelines").click()
    ana.page.get_by_label("guidelines", exact=True).fill("Read twice.\n<b>No tags</b>")
    ana.page.get_by_role("button", name="Save").click()
    ana.page.wait_for_selector(".note-text")
    ana.page.get_by_text("Notes on the classes").click()
    ana.page.get_by_role("button", name="Edit note on bad").click()
    ana.page.get_by_label("note on bad", exact=True).fill("anything dull")
    ana.page.keyboard.press("Control+Enter")
    wait_until(lambda: "anything dull" in cliques.get("page"))
    ben = arrive(cliques, "Ben")
    assert "Read twice.\n<b>No tags</b>" in ben.page.locator(".notes").inner_text()
    assert "anything dull" in ben.page.locator(".notes").inner_text()
    assert ben.page.locator(".classes .class", has_text="bad").get_attribute("title") == "anything dull"


def test_the_guess_is_hidden_by_its_key_by_the_project_and_on_random_checks(cliques, arrive):
    person = arrive(cliques)
    for _ in range(2):
        person.press(right(person))
        person.saved()
    shares = person.page.locator(".shares")
    assert shares.is_visible()
    assert "nearest answered item" in person.page.locator(".guess .reason").inner_text()
    assert person.page.locator(".because li").count() > 0
    person.page.keyboard.press("g")
    shares.wait_for(state="hidden")
    assert person.page.locator(".class.guessed").count() == 0
    person.page.keyboard.press("g")
    shares.wait_for()
    person.tab("setup")
    person.page.get_by_label("Hide every guess").check()
    wait_until(lambda: json.loads(cliques.get("page"))["hide_guess"])
    person.tab("label")
    assert "This project hides guesses" in person.page.locator(".guess").inner_text() or (
        "Hidden on purpose" in person.page.locator(".guess").inner_text()
    )
    person.tab("setup")
    person.page.get_by_label("Hide every guess").uncheck()
    wait_until(lambda: not json.loads(cliques.get("page"))["hide_guess"])
    person.page.get_by_label("Random checks").fill("90")
    person.page.keyboard.press("Enter")
    wait_until(lambda: json.loads(cliques.get("page"))["audit_share"] == 0.9)
    person.tab("label")
    for _ in range(3):
        person.press(right(person))
        person.saved()
        if person.page.locator(".badge", has_text="random check").count():
            break
    assert person.page.locator(".badge", has_text="random check").is_visible()
    assert "drawn at random" in person.page.locator(".guess").inner_text()
    assert shares.count() == 0
    assert person.page.locator(".class.guessed").count() == 0


def test_export_certificate_and_import(cliques, arrive, tmp_path):
    person = arrive(cliques)
    for _ in range(3):
        person.press(right(person))
        person.saved()
    given = cliques.labels()
    person.page.get_by_role("button", name="Export").first.click()
    with person.page.expect_download() as waiting:
        person.page.get_by_role("link", name="Table (csv)").first.click()
    waiting.value.save_as(tmp_path / "labels.csv")
    with person.page.expect_download() as waiting:
        person.page.locator(".stop").get_by_role("link", name="Certificate").click()
    waiting.value.save_as(tmp_path / "certificate.json")
    certificate = json.loads((tmp_path / "certificate.json").read_text())
    assert certificate["confidence"] == 0.95
    assert certificate["unasked"] == 9
    edges = [["good-0", "bad-0"]]
    for kind in ("good", "bad"):
        edges += [[f"{kind}-{i}", f"{kind}-{j}"] for i in range(6) for j in range(i)]
    other = cliques.service.make("brought-in", edges, ["good", "bad"])
    ben = arrive(other, "Ben")
    ben.tab("setup")
    ben.page.get_by_label("Bring in labels").set_input_files(tmp_path / "labels.csv")
    ben.page.get_by_text("3 labels taken, 0 known already, 0 not of this project.").wait_for()
    assert other.labels() == given
    (tmp_path / "no.csv").write_text("a,b\n1,2\n")
    ben.page.get_by_label("Bring in labels").set_input_files(tmp_path / "no.csv")
    assert "column" in ben.page.get_by_role("alert").inner_text()


def test_signing_in_with_a_key(tmp_path, reviews, arrive):
    """Once keys are made, the page asks for one, refuses a wrong one, and gives what the right one may."""
    folder = tmp_path / "kept"
    with labelling(tmp_path, reviews, "--text", "body", "--classes", "good,bad", "--project", folder):
        pass
    add = [sys.executable, "-m", "zerokelvin", "serve", "--data", str(folder), "--add-key", "ann"]
    said = subprocess.run(add, capture_output=True, text=True, check=True).stdout
    key = next(word for word in said.split() if word.startswith("zk_"))
    with labelling(tmp_path, reviews, "--project", folder) as service:
        person = arrive(Labelled(service, "reviews"), "Ann", enter=False)
        person.page.goto(person.url)
        person.page.wait_for_selector("#key")
        if AXE.exists():
            person.page.evaluate(AXE.read_text(encoding="utf-8"))
            assert person.page.evaluate("() => axe.run(document)")["violations"] == []
        person.page.fill("#key", "zk_wrong")
        person.page.keyboard.press("Enter")
        person.page.wait_for_selector("#key-problem")
        person.page.fill("#key", key)
        person.page.keyboard.press("Enter")
        person.page.wait_for_selector("#name")
        person.enter()
        person.press("1")
        person.saved()
        assert person.page.get_by_role("button", name="Edit guidelines").count() == 0
        assert key not in person.page.evaluate("() => JSON.stringify(localStorage) + document.cookie")
