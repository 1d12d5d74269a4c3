#!/bin/sh
# Builds the image of packaging/Containerfile and tries it: a key, a project, a label, a stop, and that all of it is
# there after the next start.  From anywhere:
#
#   packaging/check_image.sh          on docker.io/library/python:3.12-slim; where no registry can be reached, on a
#                                     base made of Debian's packages by mmdebstrap (which must be installed then)
#
# It needs buildah, and root or a user that may make user namespaces (apt-get install buildah mmdebstrap). About
# three minutes and 5 GB below $TMPDIR, which are removed at the end.
set -eu

command -v buildah > /dev/null || {
    echo "The container is not tried: no buildah (apt-get install buildah mmdebstrap)."
    exit 0
}
cd "$(dirname "$0")/.."
OFFICIAL=docker.io/library/python:3.12-slim
PORT=18321
work=$(mktemp -d)
build() { buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }
inside() { build run --isolation chroot --volume "$work/data:/data" "$box" -- "$@"; }

# Its process: the newest, for buildah's own, which waits for it, has the same words.
service() { pgrep --newest -u 10321 -f "zerokelvin serve .*--port $PORT"; }

serving=
clean() {
    test -z "$serving" || kill "$(service)" 2> /dev/null || true
    build rm --all > /dev/null 2>&1 || true
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM

# The base: what users build from, or else Debian with its own Python.
if build pull --quiet "$OFFICIAL" > /dev/null 2>&1; then
    base=$OFFICIAL
else
    echo "No registry can be reached: the base is made of Debian's packages."
    mmdebstrap --quiet --variant=minbase --include=ca-certificates,python3,python3-pip,python3-venv \
        trixie "$work/base.tar" http://deb.debian.org/debian
    box=$(build from scratch)
    build add --quiet "$box" "$work/base.tar" / > /dev/null
    # As in the official image: 'python' is there, and pip may install for everybody.
    build run --isolation chroot "$box" -- sh -c 'ln -s python3 /usr/bin/python && rm /usr/lib/python3*/EXTERNALLY-MANAGED'
    base=localhost/python-of-debian
    build commit --quiet --rm "$box" "$base" > /dev/null
    rm "$work/base.tar"
fi

# The host's certificates: where PyPI is reached through a proxy of its own, pip needs to know it.
build bud --isolation chroot --format docker --build-arg "BASE=$base" \
    --volume /etc/ssl/certs:/etc/ssl/certs:ro --quiet -f packaging/Containerfile -t zerokelvin . > /dev/null
echo "built on $base"

box=$(build from --pull-never localhost/zerokelvin)
mkdir "$work/data"
chown 10321 "$work/data"
say() { printf '%s\n' "$*" >&2; exit 1; }
entry=$(build inspect --format '{{range .OCIv1.Config.Entrypoint}}{{.}} {{end}}' "$box")
user=$(build inspect --format '{{.OCIv1.Config.User}}' "$box")
test "$user" = zerokelvin || say "it runs as '$user'"
build inspect --format '{{.Docker.Config.Healthcheck}}' "$box" | grep -q urllib || say "it has no health check"

# Without a key it must not listen where others can reach it.
# shellcheck disable=SC2086 # the entry point is a list of words
if inside $entry > "$work/said" 2>&1; then say "it served without a key"; fi
grep -q "there is no key yet" "$work/said" || say "without a key it said: $(cat "$work/said")"
# shellcheck disable=SC2086
key=$(inside $entry --add-key admin --role admin | grep -o 'zk_[A-Za-z0-9_-]*')

start() {
    : > "$work/out" # what the one before said
    # shellcheck disable=SC2086
    inside $entry --port $PORT > "$work/out" 2> "$work/err" &
    serving=$!
    for _ in $(seq 300); do
        grep -q '^listening on' "$work/out" && return
        kill -0 $serving 2> /dev/null || break
        sleep 0.1
    done
    say "it does not listen: $(tail -n 5 "$work/err")"
}
stop() {
    kill -TERM "$(service)"
    wait $serving || say "it did not end in good order: $(tail -n 5 "$work/err")"
    serving=
}
ask() {
    path=$1
    shift
    curl --silent --show-error --fail-with-body --max-time 60 -H "authorization: Bearer $key" \
        -H 'content-type: application/json' "$@" "http://127.0.0.1:$PORT$path"
}

start
# In a container of its own: what ends in one ends whatever else runs in it.
probe=$(build from --pull-never localhost/zerokelvin)
build run --isolation chroot "$probe" -- \
    python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$PORT/health', timeout=4)"
ask /v1/projects -d '{"name": "p", "graph": {"edges": [["a", "b"], ["b", "c"], ["c", "d"]]}, "classes": ["x", "y"]}' > /dev/null
ask /v1/projects/p/labels -d '{"labels": [{"node": "a", "label": "x"}, {"node": "d", "label": "y"}]}' > /dev/null
before=$(ask /v1/projects/p/predict -d '{"nodes": ["b", "c"]}' | sed 's/"decision":"[^"]*"//g')
stop
start
after=$(ask /v1/projects/p/predict -d '{"nodes": ["b", "c"]}' | sed 's/"decision":"[^"]*"//g')
stop
test "$before" = "$after" || say "before the restart: $before; after it: $after"
echo "$before" | grep -q '"events":2' || say "two labels were sent, and it predicts: $before"
test -z "$(find "$work/data" ! -uid 10321)" || say "files of others lie in /data"
echo "a key, a project, two labels, a stop and a start: all there; the image takes $(build images --format '{{.Size}}' localhost/zerokelvin)"
