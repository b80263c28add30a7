#!/usr/bin/env bash
# Guess: a word is hyphenated in quotation marks as without them, and no single letter is cut off, by the limits of the TeX patterns that are used:
# two letters before the first hyphen, and behind the last two, in English three.
# Behaviour: « » ¿ ¡ · and the hyphens U+2010 and U+2011 count as letters, other marks do not. They stand between a word and the ends that patterns
# look for, and count for the limits: "amigo" is "ami-go" and «amigo» "«a-mi-go»"; Египет (Egypt) is "Еги-пет" and in quotation marks "«Е-ги-пе-т»",
# the Swiss «Abend» "«A-ben-d»", "self‐educated" with a hyphen of Unicode "self-‐e-d-u-cat-ed". Behind an English hyphen are two letters: "un-god-ly",
# "crap-py", "hous-es". Curly quotation marks and ASCII ones change nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" hyphen@1.14.1 >/dev/null
cat >"$folder/check.cjs" <<'JS'
const { version } = require("hyphen/package.json");
console.log(`hyphen ${version}`);
const hyphenate = (language, text) => require(`hyphen/${language}`).hyphenateSync(text, { hyphenChar: "|" });
const stop = (words) => {
  console.error(words);
  process.exit(1);
};
const WORDS = {
  es: ["amigo", "idea", "abuelo"],
  pt: ["história", "ideia"],
  it: ["amore", "Italia"],
  ru: ["Египет", "Россия", "Азия", "улица"],
  uk: ["армія"],
  "de-ch-1901": ["Abend"],
};
const ends = (text) => {
  const parts = text.replace(/[«»]/g, "").split("|");
  return parts.length > 1 ? Math.min(parts[0].length, parts.at(-1).length) : 2;
};
let right = true;
let wrong = true;
for (const [language, words] of Object.entries(WORDS))
  for (const word of words) {
    const alone = hyphenate(language, word);
    const quoted = hyphenate(language, `«${word}»`);
    console.log(`${language}: ${alone}, in quotation marks ${quoted}`);
    right &&= ends(alone) >= 2 && hyphenate(language, `“${word}”`) === `“${alone}”` && hyphenate(language, `"${word}"`) === `"${alone}"`;
    wrong &&= ends(quoted) === 1 && quoted !== `«${alone}»`;
  }
const self = ["-", "‐"].map((sign) => hyphenate("en-us", `self${sign}educated`));
const spanish = ["¿Amigos?", "¡amigo!"].map((text) => hyphenate("es", text));
const english = ["ungodly", "crappy", "houses", "lecturer"].map((word) => hyphenate("en-us", word));
console.log(...self, ...spanish, ...english);
if (!right || self[0] !== "self-ed|u|cat|ed" || hyphenate("es", "amigos") !== "ami|gos" || hyphenate("en-us", "beautiful") !== "beau|ti|ful") stop("not as expected");
if (!wrong || !self[1].includes("e|d|u|") || spanish.some((text) => !/^.[aA]\|/.test(text))) stop("hyphen changed");
if (english.some((text) => text.split("|").at(-1).length !== 2)) stop("hyphen changed");
JS
node "$folder/check.cjs"
