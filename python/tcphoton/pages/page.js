"use strict";
// Figures become interactive when they come near the window; tables are sorted and filtered. Texts of a
// result are only inserted as text.
(() => {
  const options = {
    ast: true, // expressions are interpreted: the page's policy forbids generated code
    actions: { export: true, source: false, compiled: false, editor: false },
    logLevel: 1, // errors: an axis whose series are all hidden has no extent, which is correct
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
    downloadFileName: "figure",
  };

  globalThis.tcphoton = { options };

  const description = (figure) => figure.querySelector("script[type='application/json']");

  async function draw(figure) {
    const source = description(figure);
    if (!source || figure.dataset.drawn) return;
    figure.dataset.drawn = "begun";
    const live = figure.querySelector(".live");
    live.hidden = false;
    const inside = document.createElement("div");
    live.append(inside);
    const renderer = source.dataset.canvas === "yes" ? "canvas" : "svg";
    try {
      await vegaEmbed(inside, JSON.parse(source.textContent), { ...options, renderer });
      live.parentElement.classList.add("shown");
      figure.dataset.drawn = "done";
    } catch (error) {
      live.hidden = true; // the picture stays
      figure.dataset.drawn = "failed";
      console.error(error);
    }
  }

  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      near.unobserve(entry.target);
      draw(entry.target);
    }
  }, { rootMargin: "600px" });

  function element(name, text) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  const MOST = 500;

  function numbers(figure, details) {
    if (details.dataset.filled) return;
    details.dataset.filled = "yes";
    const tables = Object.values(JSON.parse(description(figure).textContent).datasets || {});
    for (const rows of tables) {
      const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      const table = element("table");
      const head = element("tr");
      for (const name of names) {
        const cell = element("th", name);
        cell.scope = "col";
        head.append(cell);
      }
      table.append(element("thead"), element("tbody"));
      table.tHead.append(head);
      for (const row of rows.slice(0, MOST)) {
        const line = element("tr");
        for (const name of names) line.append(element("td", row[name] ?? ""));
        table.tBodies[0].append(line);
      }
      const box = element("div");
      box.className = "scroll";
      box.tabIndex = 0;
      box.append(table);
      if (rows.length > MOST) box.append(element("p", `The first ${MOST} of ${rows.length} rows.`));
      details.append(box);
    }
  }

  function order(cell) {
    const number = cell.dataset.order;
    return number === undefined ? cell.textContent : Number(number);
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1; // cells without a number are last
    return a.localeCompare(b, undefined, { numeric: true });
  }

  function sort(table, head, index) {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].map((row) => [order(row.cells[index]), row]);
    rows.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, index) => {
      const button = element("button", head.textContent);
      button.type = "button";
      button.addEventListener("click", () => sort(table, head, index));
      head.replaceChildren(button);
    });
  }

  for (const filter of document.querySelectorAll(".filter")) {
    const rows = [...filter.parentElement.querySelectorAll("tbody tr")];
    filter.querySelector("input").addEventListener("input", (event) => {
      const wanted = event.target.value.toLowerCase();
      let shown = 0;
      for (const row of rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
        shown += row.hidden ? 0 : 1;
      }
      filter.querySelector("output").textContent = `${shown} of ${rows.length} rows`;
    });
  }

  // A printed page cannot be unfolded; what is long and can be made again stays folded.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:is(.claim, .paper-open):not([open])")];
    for (const each of closed) each.open = true;
  });
  addEventListener("afterprint", () => { for (const each of closed) each.open = false; });

  for (const figure of document.querySelectorAll("figure")) {
    if (description(figure)) near.observe(figure);
    const details = figure.querySelector("details.numbers");
    if (details) details.addEventListener("toggle", () => numbers(figure, details));
  }
})();
