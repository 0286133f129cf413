// SPDX-License-Identifier: Apache-2.0
// How is a table sorted? By a click on the head of a column: best known order first, then the other.

// Numbers by what they are worth, which the page may say in data-sort; the rest by their text. A name
// that begins with a digit is no number, so only columns of numbers are asked for one.
function sortKey(cell) {
    if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
    const text = cell.textContent.replace(/^[✓✗★]\s*/, "").trim();
    const number = cell.classList.contains("number") && /^[-−+]?[\d,]*\.?\d+/.exec(text);
    if (number) return Number(number[0].replace(/,/g, "").replace("−", "-"));
    return text;
}

function compareKeys(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "number") return -1;
    if (typeof b === "number") return 1;
    return a.localeCompare(b, "en", {numeric: true});
}

function isEmpty(key) {
    return key === "" || key === "–" || Number.isNaN(key);
}

// What has no value stays at the end in both orders.
function sortRows(body, column, direction) {
    const rows = [...body.rows].map((row) => ({row, key: sortKey(row.cells[column])}));
    rows.sort((a, b) => isEmpty(a.key) - isEmpty(b.key) || direction * compareKeys(a.key, b.key));
    body.append(...rows.map(({row}) => row));
}

function makeSortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
        const button = html("button", {type: "button"}, ...head.childNodes);
        head.replaceChildren(button);
        button.addEventListener("click", () => {
            const direction = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
            for (const other of heads) other.removeAttribute("aria-sort");
            head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
            sortRows(table.tBodies[0], column, direction);
        });
    });
}
