#!/usr/bin/env bash
# Guess: `mkdocs build --strict --quiet` fails on a broken link as `mkdocs build --strict` does, only with less output.
# Behaviour: --quiet lowers the level of the logger that --strict counts warnings with: the build passes with exit code 0 and prints nothing,
# however many links, anchors and pages are missing. `strict: true` in mkdocs.yml is switched off in the same way.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile mkdocs==1.6.1
mkdir -p "$folder/site/docs"
cd "$folder/site"
printf '# Home\n\n[A page](missing.md)\n' > docs/index.md
printf 'site_name: Example\n' > mkdocs.yml
printf 'site_name: Example\nstrict: true\n' > strict.yml
"$folder/venv/bin/mkdocs" --version | cut -d" " -f1-3
seen=
for options in "--strict" "--strict --quiet" "--config-file strict.yml" "--config-file strict.yml --quiet"; do
    code=0
    # shellcheck disable=SC2086
    output=$("$folder/venv/bin/mkdocs" build $options --site-dir "$folder/out" 2>&1) || code=$?
    echo "mkdocs build $options: exit code $code, $(grep -c missing.md <<< "$output" || true) line(s) about the missing page"
    seen+="$code "
done
[ "$seen" = "1 0 1 0 " ] || { echo "the exit codes changed"; exit 1; }
