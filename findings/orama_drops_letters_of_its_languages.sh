#!/usr/bin/env bash
# Guess: a search in Orama whose language is given, as documented, finds words in the letters of that language.
# Behaviour: each language has a list of letters, and all others cut a word or vanish. The list of Serbian has no Cyrillic, that of Sanskrit no
# Devanagari: such texts have no words. Those of Hindi ("indian") and Nepali have no vowels, so a word is the set of its consonants: दान (gift)
# finds दिन (day) and even दूध (milk), which share one. Finnish lacks å, Czech ň, Danish é, Dutch ë and ï, Ukrainian ґ, Romanian the old ş and ţ.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @orama/orama@3.1.18
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import { create, insert, search } from "@orama/orama";
import { tokenizer } from "@orama/orama/components";

console.log("orama", JSON.parse(readFileSync("node_modules/@orama/orama/package.json")).version);
const words = {
  serbian: ["љубав", "ljubav"], sanskrit: ["संस्कृतम्"], indian: ["दिन", "दान"], nepali: ["पानी"], finnish: ["Åbo"], czech: ["kůň"],
  danish: ["idé"], dutch: ["ideeën", "egoïst"], ukrainian: ["ґанок"], romanian: ["şi", "și"], russian: ["ёлка"], german: ["Größe"],
};
const seen = {};
for (const [language, list] of Object.entries(words)) {
  const cut = tokenizer.createTokenizer({ language });
  seen[language] = list.map((word) => cut.tokenize(word).join(" "));
  console.log(`${language}:`, list.map((word, i) => `${word} → "${seen[language][i]}"`).join(", "));
}
const found = {};
for (const [language, texts, term] of [
  ["serbian", ["љубав је лепа", "ljubav je lepa"], "љубав"],
  ["serbian", ["љубав је лепа", "ljubav je lepa"], "ljubav"],
  ["indian", ["दान करो", "दिन अच्छा है", "गाय दूध देती है"], "दान"],
]) {
  const index = create({ schema: { text: "string" }, language });
  for (const text of texts) insert(index, { text });
  found[term] = (await search(index, { term })).count;
  console.log(`"${term}" finds ${found[term]} of ${texts.length} texts in ${language}`);
}
const expected = {
  serbian: ["", "ljubav"], sanskrit: [""], indian: ["द न", "द न"], nepali: ["प न"], finnish: ["bo"], czech: ["ku"],
  danish: ["id"], dutch: ["idee n", "ego st"], ukrainian: ["анок"], romanian: ["i", "și"], russian: ["ёлка"], german: ["grose"],
};
if (JSON.stringify(seen) !== JSON.stringify(expected)) throw new Error(`Orama changed: ${JSON.stringify(seen)}`);
if (found["љубав"] !== 0 || found["ljubav"] !== 1 || found["दान"] !== 3) throw new Error("Orama changed");
JS
node run.mjs
