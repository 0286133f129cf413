// SPDX-License-Identifier: Apache-2.0
// Which line is which, and how is one taken out? A button for each name; with shift, only that one.

function swatch(line) {
    const picture = svg("svg", {class: "swatch", width: 18, height: 10, "aria-hidden": "true"});
    if (line.style === "band") {
        picture.append(
            svg("rect", {class: "band", width: 18, height: 10, rx: 2, style: {fill: line.colour}}));
        return picture;
    }
    const d = line.style === "step" ? "M1 8H9V2H17" : "M1 5H17";
    const dash = DASHES[line.style] ?? (line.again ? DASHES.again : null);
    picture.append(
        svg("path", {class: "line", d, "stroke-dasharray": dash, style: {stroke: line.colour}}));
    return picture;
}

function namesOf(spec) {
    const lines = new Map();
    for (const panel of spec.panels)
        for (const line of panel.lines)
            if (!lines.has(line.name)) lines.set(line.name, line);
    return lines;
}

function toggle(view, name, alone) {
    const names = [...namesOf(view.spec).keys()];
    const isAlone = names.every((other) => view.hidden.has(other) === (other !== name));
    if (alone) view.hidden = new Set(isAlone ? [] : names.filter((other) => other !== name));
    else if (!view.hidden.delete(name)) view.hidden.add(name);
    for (const button of view.legend.querySelectorAll("button[data-name]"))
        button.setAttribute("aria-pressed", String(!view.hidden.has(button.dataset.name)));
    render(view);
}

function legendButton(view, name, line) {
    const button = html("button", {
        type: "button",
        "aria-pressed": "true",
        "data-name": name,
        title: "Show or hide; with shift, show only this"
    },
        swatch(line), name);
    button.addEventListener("click", (event) => toggle(view, name, event.shiftKey));
    return button;
}

function makeLegend(view) {
    const {spec} = view;
    const lines = namesOf(spec);
    const legend = html("div", {class: "legend"});
    if (lines.size > 1 || spec.kind === "multiples")
        for (const [name, line] of lines) legend.append(legendButton(view, name, line));
    if (spec.kind === "multiples") {
        const labels = new Set(spec.spans.map((span) => span.label).filter(Boolean));
        for (const label of labels)
            legend.append(html("span", {class: "key"}, html("i", {class: "shade"}), label));
        const axes = [
            axisTitle(spec.y) && "↑ " + axisTitle(spec.y),
            axisTitle(spec.x) && "→ " + axisTitle(spec.x)
        ];
        legend.append(html("span", {class: "key axes"}, axes.filter(Boolean).join("   ")));
    }
    return legend;
}
