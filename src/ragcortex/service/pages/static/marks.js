// Stretches of an answer, counted in Unicode code points as the service does; a browser counts UTF-16 units.

// How many code points the first `units` UTF-16 units of a text are; half a pair counts as the whole character.
export const pointsBefore = (text, units) => Array.from(text.slice(0, units)).length;

// How many UTF-16 units the first `points` code points of a text are.
export const unitsBefore = (text, points) => Array.from(text).slice(0, points).join("").length;

// The ranges in order; those that touch or overlap become one.
export function joined(ranges) {
  const found = [];
  for (const [start, end] of ranges.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end); else found.push([start, end]);
  }
  return found;
}

// The ranges without what lies in start..end.
export function without(ranges, start, end) {
  return ranges.flatMap(([first, last]) => [[first, Math.min(last, start)], [Math.max(first, end), last]])
    .filter(([first, last]) => first < last);
}

// The range without white space at its ends; null if nothing else is in it.
export function trimmed(characters, start, end) {
  const isSpace = (place) => /^\s$/u.test(characters[place]);
  while (start < end && isSpace(start)) start += 1;
  while (start < end && isSpace(end - 1)) end -= 1;
  return start < end ? [start, end] : null;
}

// Where the words, figures and signs of a text begin and end, in code points; spaces and punctuation are none.
export function words(characters) {
  const text = characters.join("");
  const place = new Map();
  let units = 0;
  characters.forEach((character, index) => { place.set(units, index); units += character.length; });
  place.set(units, characters.length);
  const parts = typeof Intl.Segmenter === "function"
    ? Array.from(new Intl.Segmenter(undefined, { granularity: "word" }).segment(text))
      .map((part) => [part.index, part.index + part.segment.length, part.segment])
    : Array.from(text.matchAll(/\S+/gu), (part) => [part.index, part.index + part[0].length, part[0]]);
  return parts.filter(([, , part]) => /[\p{L}\p{N}\p{S}%‰]/u.test(part)).map(([start, end]) => [place.get(start), place.get(end)]);
}
