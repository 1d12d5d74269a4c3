def test_demo_asks_less_and_saves_the_pictures(files, invoke_json):
    printed = invoke_json("demo", "--nodes", 300, "--seed", 1, "--output", "pictures/new")
    asking, always = printed["asking"], printed["always"]
    assert printed["classes"] == 10
    assert asking["trials"] == always["trials"] == printed["nodes"]
    assert asking["queried_nodes"] < always["queried_nodes"] == printed["nodes"]
    assert always["mistakes_when_asked"] == always["mistakes"] <= always["bound"]["value"]
    assert asking["mistakes_when_asked"] <= asking["bound"]["value"]
    assert always["bound"]["holds"]
    assert not asking["bound"]["holds"]
    by_value, at_random = printed["labelling"]["by_value"], printed["labelling"]["at_random"]
    assert by_value["answers"][-1] == len(by_value["nodes"]) == 60
    assert by_value["share_right"][-1] == by_value["right"][-1] / printed["nodes"] > 0.9
    assert [job["answers"][-1] for job in at_random] == [140] * 5
    assert all(60 in job["answers"] for job in at_random)
    assert printed["files"] == [f"pictures/new/{name}.png" for name in ("curves", "labels", "graph")]
    assert all((files / name).read_bytes().startswith(b"\x89PNG") for name in printed["files"])


def test_demo_for_people(files, invoke):
    result = invoke("demo", "--nodes", 120)
    assert result.exit_code == 0
    for part in (
        "labels asked for",
        "wrong predictions",
        "proven bound",
        "de Rooij et al. 2014",
        "answers given",
        "labels right of all",
        "Saved zerokelvin-demo",
    ):
        assert part in result.stdout


def test_the_same_seed_gives_the_same_demo(files, invoke_json):
    one, two = (invoke_json("demo", "--nodes", 100, "--seed", 5) for _ in range(2))
    for game in ("asking", "always"):
        del one[game]["seconds"], two[game]["seconds"]
    assert one == two
