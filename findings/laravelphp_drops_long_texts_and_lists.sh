#!/usr/bin/env bash
# Guess: a language file of Laravel comes back from JSON with all its texts.
# Behaviour: texts that are put together with a dot, as long ones are by the usual style, heredocs, nowdocs, numbers and lists without keys are left
# out: of eight texts and two lists, four texts are left. In double quotation marks, the second of two escaped ones keeps its backslash: "Press
# \"Save\"" is Press "Save\". Written, a backslash is not escaped: `\\server` comes back as `\server`, and one before the end of a text makes
# a file that no PHP reads. Nothing is said. Single quotation marks, nested arrays with keys, apostrophes and placeholders stay.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" laravelphp@2.0.4 >/dev/null
cat >"$folder/check.mjs" <<'JS'
import { readFileSync } from "node:fs";

import conv from "laravelphp";

const { laravel2js, js2laravel } = conv;
console.log(`laravelphp ${JSON.parse(readFileSync(new URL("node_modules/laravelphp/package.json", import.meta.url))).version}`);
const same = (first, second) => JSON.stringify(first) === JSON.stringify(second);
const stop = (text) => {
  console.error(text);
  process.exit(1);
};
const FILE = String.raw`<?php

return [
    'welcome' => 'Let\'s go, :name!',
    'apples' => '{0} none|{1} one|[2,*] :count',
    'size' => ['file' => 'The file is too large.', 'text' => "Two\nlines"],
    'terms' => 'By using this shop you agree to its terms, '
        . 'which you find below.',
    'help' => <<<'EOT'
Ask the staff.
EOT,
    'note' => <<<EOT
Closed on Monday.
EOT,
    'limit' => 5,
    'days' => ['Monday', 'Tuesday'],
    'sizes' => array('small', 'large'),
];
`;
const EXPECTED = {
  welcome: "Let's go, :name!",
  apples: "{0} none|{1} one|[2,*] :count",
  size: { file: "The file is too large.", text: "Two\nlines" },
};
const seen = await laravel2js(FILE);
console.log(seen);
const { days, sizes, ...texts } = seen;
if (!same(texts, EXPECTED)) stop(same({ ...texts, ...EXPECTED }, texts) ? "laravelphp changed" : "not as expected");
if (!same(await laravel2js(await js2laravel(EXPECTED)), EXPECTED)) stop("not as expected");
if (!same([days, sizes], [{}, {}])) stop("laravelphp changed");
const quoted = await laravel2js(String.raw`<?php return ['one' => "5\" wide", 'two' => "Press \"Save\" now"];`);
const written = await js2laravel({ share: "Open \\\\server", folder: "C:\\" });
const back = await laravel2js(await js2laravel({ share: "Open \\\\server" }));
console.log(quoted, written, back);
if (quoted.one !== '5" wide') stop("not as expected");
if (quoted.two !== 'Press "Save\\" now' || back.share !== "Open \\server" || !written.includes("'C:\\'\n")) stop("laravelphp changed");
JS
node "$folder/check.mjs"
