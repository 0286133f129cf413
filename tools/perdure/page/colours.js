// SPDX-License-Identifier: Apache-2.0
// Which colour has a line? A name keeps its colour on the whole page, so that a reader learns it once.

const COLOURS = 8;

function giveColours(charts) {
    const known = new Map();
    for (const chart of charts) {
        const lines = chart.panels.flatMap((panel) => panel.lines);
        const names = new Set(lines.filter((l) => !l.muted && !l.own && !l.like).map((l) => l.name));
        for (const name of names)
            if (!known.has(name)) known.set(name, freeColour(known, names));
        for (const line of lines) paint(line, known.get(line.like ?? line.name));
    }
}

// One that no line of the page has, else one that no line of the same chart has.
function freeColour(known, names) {
    if (known.size < COLOURS) return known.size;
    const taken = new Set([...names].map((name) => known.get(name)));
    for (let colour = 0; colour < COLOURS; ++colour)
        if (!taken.has(colour)) return colour;
    return known.size;
}

function paint(line, colour) {
    if (line.own) {
        line.colour = "var(--own-line)";
        return;
    }
    line.colour = line.muted || colour === undefined ? "var(--muted-line)" :
                                                       `var(--line-${colour % COLOURS})`;
    // A colour used a second time in one chart is told apart by its dashes.
    line.again = colour >= COLOURS;
}
