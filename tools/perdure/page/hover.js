// SPDX-License-Identifier: Apache-2.0
// How does a reader ask a chart for numbers? With a pointer, a finger or the arrow keys; all panels
// of one chart answer for the same x.

const SMALL = 480;
let openView = null;

function attachHover(view, panel) {
    let wanted = null;
    const move = (event) => {
        const frame = panel.root.getBoundingClientRect();
        const zoom = panel.size.width / frame.width;
        const first = wanted === null;
        wanted = {
            left: (event.clientX - frame.left) * zoom,
            top: (event.clientY - frame.top) * zoom
        };
        if (first)
            requestAnimationFrame(() => {
                const at = wanted;
                wanted = null;
                if (panel.reader.count > 0)
                    show(view, panel, panel.reader.nearest(at.left, at.top));
            });
    };
    panel.root.addEventListener("pointermove", move);
    panel.root.addEventListener("pointerdown", move);
    panel.root.addEventListener("pointerleave", (event) => {
        // A finger that is lifted leaves too, but its answer should stay to be read.
        if (event.pointerType === "mouse") hide(view);
    });
    panel.root.addEventListener("keydown", (event) => onKey(view, panel, event));
    panel.root.addEventListener("blur", () => hide(view));
}

function onKey(view, panel, event) {
    const last = panel.reader.count - 1;
    if (last < 0) return;
    const now = view.cursor?.panel === panel ? view.cursor.index : null;
    const step = event.shiftKey ? Math.max(1, Math.round(last / 20)) : 1;
    const targets = {
        ArrowRight: now === null ? 0 : Math.min(last, now + step),
        ArrowLeft: now === null ? last : Math.max(0, now - step),
        Home: 0,
        End: last,
    };
    if (event.key === "Escape") hide(view);
    else if (event.key in targets) show(view, panel, targets[event.key]);
    else return;
    event.preventDefault();
}

function show(view, panel, index) {
    if (openView !== null && openView !== view) hide(openView);
    openView = view;
    view.cursor = {panel, index};
    const {left} = panel.reader.where(index);
    for (const other of view.panels) {
        if (other.reader.count === 0) continue;
        const at = other === panel ? index : other.reader.nearest(left, 0);
        drawCursor(other, at);
        writeReadout(other, at);
    }
    fillTooltip(view, panel, index);
    placeTooltip(view, panel, index);
}

function hide(view) {
    view.cursor = null;
    view.tooltip.hidden = true;
    for (const panel of view.panels) {
        panel.cursor.replaceChildren();
        panel.readout?.replaceChildren();
        panel.head?.classList.remove("reading");
    }
}

function drawCursor(panel, index) {
    const {left, top} = panel.reader.where(index);
    const {box} = panel;
    const lines = [svg("line", {x1: px(left), x2: px(left), y1: box.top, y2: box.bottom})];
    if (top !== null)
        lines.push(svg("line", {x1: box.left, x2: box.right, y1: px(top), y2: px(top)}));
    const dots = panel.reader.dots(index).filter(
        (dot) => dot.top >= box.top - 2 && dot.top <= box.bottom + 2);
    panel.cursor.replaceChildren(...lines,
        ...dots.map(
            (dot) => svg("circle",
                {cx: px(dot.left), cy: px(dot.top), r: 4, style: {fill: dot.line.colour}})));
}

// In small panels the line below the title says the values, so that all can be compared at once.
function writeReadout(panel, index) {
    if (!panel.readout) return;
    const values =
        panel.reader.rows(index).map(({line, text}) => html("span", {}, swatch(line), text));
    panel.readout.replaceChildren(...values);
    panel.head.classList.add("reading");
}

function fillTooltip(view, panel, index) {
    const rows = panel.reader.rows(index).map(
        ({line, name, text}) => html("tr", {},
            html("th", {scope: "row"}, line ? swatch(line) : "", name), html("td", {}, text)));
    const title = [panel.title, panel.reader.title(index)].filter(Boolean).join(" · ");
    view.tooltip.replaceChildren(html("strong", {}, title), html("table", {}, ...rows));
    view.tooltip.hidden = false;
}

// Beside the cross-hair, on the side with more room, and never out of the chart; on a small screen
// below it, or there would be no chart left to see.
function placeTooltip(view, panel, index) {
    const plot = view.plot.getBoundingClientRect();
    const frame = panel.root.getBoundingClientRect();
    const zoom = frame.width / panel.size.width;
    const where = panel.reader.where(index);
    const at = frame.left - plot.left + where.left * zoom;
    const {offsetWidth: width, offsetHeight: height} = view.tooltip;
    const right = at + 16 + width <= plot.width;
    const left = right ? at + 16 : at - 16 - width;
    const above = where.top === null ? panel.box.top + 6 : where.top - height / 2;
    const top = frame.top - plot.top + (plot.width < SMALL ? panel.size.height + 4 : above) * zoom;
    view.tooltip.style.left = px(Math.max(0, Math.min(left, plot.width - width))) + "px";
    view.tooltip.style.top = px(Math.max(0, top)) + "px";
}
