"use strict";
// The controls of a study: a choice of them is in the address of the page, and is drawn at once.
(() => {
  const { Study, isDistribution, used, written, read, mended, answered, code, description, quantity, told, named, isDoubt } = globalThis.tcphoton;
  const ANCHOR = "#explore";
  const SLIDER = 8; // values of an axis from which its slice is chosen by a slider
  const ROWS = 500;

  function made(name, properties = {}, ...inside) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key in element) element[key] = value;
      else element.setAttribute(key, value);
    }
    element.append(...inside);
    return element;
  }

  const labelled = (text, control) => made("label", {}, made("span", { textContent: text }), control);

  function menu(options, value, change) {
    const select = made("select", { autocomplete: "off" });
    for (const [key, text] of options) select.append(made("option", { value: key, textContent: text }));
    select.value = value;
    select.addEventListener("change", () => change(select.value));
    return select;
  }

  class Explorer {
    constructor(box) {
      this.box = box;
      this.study = new Study(JSON.parse(box.querySelector("script").textContent));
      this.form = box.querySelector("form");
      this.live = box.querySelector(".live");
      this.form.addEventListener("submit", (event) => event.preventDefault());
      this.lists();
      addEventListener("hashchange", () => this.restore(true));
      new ResizeObserver(([entry]) => {
        // On paper the figure that is on the screen is shrunk.
        const { width } = entry.contentRect;
        if (width && Math.abs(width - this.width) > 40 && !matchMedia("print").matches) this.draw();
      }).observe(this.live.parentElement);
      this.restore(false);
    }

    /** Take the choice from the address, or begin with the first one. */
    restore(isMove) {
      const [anchor, words] = location.hash.split("?", 2);
      const isChoice = anchor === ANCHOR && words !== undefined;
      if (!isChoice && isMove) return;
      if (isMove && words === written(this.asked)) return;
      this.asked = isChoice ? read(this.study, words) : mended(this.study, this.study.first);
      this.controls();
      this.draw();
      if (isChoice) this.box.scrollIntoView();
    }

    /** Change some of the choice. */
    choose(some) {
      this.asked = mended(this.study, { ...this.asked, ...some });
      history.replaceState(null, "", `${ANCHOR}?${written(this.asked)}`);
      this.controls();
      this.draw();
    }

    /** The list of measures, made once. */
    lists() {
      const list = made("div", { className: "measures", role: "group", tabIndex: -1 });
      list.setAttribute("aria-label", "Measures");
      const leading = new Set(this.study.leading);
      const order = [...this.study.measures].sort((a, b) => leading.has(b.name) - leading.has(a.name));
      this.boxes = order.map((measure) => {
        const tick = made("input", { type: "checkbox", value: measure.name, autocomplete: "off" });
        tick.addEventListener("change", () => {
          const rest = this.asked.y.filter((name) => name !== measure.name);
          this.choose({ y: tick.checked ? [...this.asked.y, measure.name] : rest });
        });
        const label = made("label", { title: measure.about }, tick, made("span", { textContent: measure.name }), made("small", { textContent: [measure.unit, measure.about].filter((text) => text).join(" · ") }));
        list.append(label);
        return { tick, label, text: `${measure.name} ${measure.about}`.toLowerCase() };
      });
      const search = made("input", { type: "search", autocomplete: "off", placeholder: `search ${order.length} measures` });
      search.setAttribute("aria-label", "Search measures");
      const count = made("output");
      search.addEventListener("input", () => {
        const words = search.value.toLowerCase().split(/\s+/);
        let shown = 0;
        for (const each of this.boxes) {
          each.label.hidden = !words.every((word) => each.text.includes(word));
          shown += each.label.hidden ? 0 : 1;
        }
        count.textContent = `${shown} of ${order.length}`;
      });
      const measures = made("fieldset", { className: "of-measures" }, made("legend", { textContent: "Measures" }), made("p", {}, search, " ", count), list);
      this.axes = made("fieldset", {}, made("legend", { textContent: "Figure" }));
      this.slices = made("fieldset", {}, made("legend", { textContent: "Other axes" }));
      this.form.append(measures, this.axes, this.slices);
      this.form.hidden = false;
    }

    /** Show the choice in the controls; the one that has the focus keeps it. */
    controls() {
      const { study, asked } = this;
      const focus = document.activeElement?.dataset?.name;
      for (const { tick } of this.boxes) tick.checked = asked.y.includes(tick.value);
      const keys = study.axes.map((axis) => [axis.key, axis.short]);
      const none = [["", "none"], ...keys];
      const many = isDistribution(asked);
      const controls = [];
      const add = (name, text, control) => {
        control.dataset.name = name;
        controls.push(labelled(text, control));
      };
      if (!many) add("x", "Across", menu(keys, asked.x, (x) => this.choose({ x })));
      add("by", "Lines", menu(none.filter(([key]) => many || key !== asked.x || !key), asked.by, (by) => this.choose({ by, baseline: "" })));
      add("facet", "Small multiples", menu(none.filter(([key]) => !key || ((many || key !== asked.x) && key !== asked.by)), asked.facet, (facet) => this.choose({ facet })));
      const plain = [["mean", "mean"], ["median", "median"], ["p10", "10th percentile"], ["p90", "90th percentile"], ["p99", "99th percentile"], ["cdf", "distribution over the runs"]];
      if (study.flows) plain.push(["completions", "distribution of completion times"]);
      if (!plain.some(([key]) => key === asked.statistic)) plain.push([asked.statistic, asked.statistic]);
      add("statistic", "Statistic", menu(plain, asked.statistic, (statistic) => this.choose({ statistic })));
      if (/^p\d|median/.test(asked.statistic)) {
        const p = made("input", { type: "number", min: 1, max: 99, step: "any", value: asked.statistic === "median" ? 50 : Number(asked.statistic.slice(1)), autocomplete: "off" });
        p.addEventListener("change", () => this.choose({ statistic: Number(p.value) === 50 ? "median" : `p${Number(p.value)}` }));
        add("p", "Percentile", p);
      }
      if (asked.by && !many) {
        const values = study.axis.get(asked.by).values.map((value) => [value.text, value.text]);
        add("baseline", "Difference to", menu([["", "nothing"], ...values], asked.baseline, (baseline) => this.choose({ baseline })));
      }
      for (const axis of many ? ["x"] : ["x", "y"]) {
        const tick = made("input", { type: "checkbox", checked: asked.log.includes(axis), autocomplete: "off" });
        tick.addEventListener("change", () => this.choose({ log: tick.checked ? asked.log + axis : asked.log.replace(axis, "") }));
        add(`log-${axis}`, `Logarithmic ${axis}`, tick);
        controls.at(-1).className = "tick";
      }
      this.axes.replaceChildren(this.axes.firstChild, ...controls);
      const slices = study.slices(asked).map((slice) => this.slice(slice));
      this.slices.replaceChildren(this.slices.firstChild, ...slices);
      this.slices.hidden = !slices.length;
      if (focus) this.form.querySelector(`[data-name="${CSS.escape(focus)}"]`)?.focus();
    }

    /** A menu or a slider for the value of axes that are not in the figure. */
    slice({ keys, values }) {
      const { study, asked } = this;
      const text = (level) => keys.map((key, at) => study.axis.get(key).values[level[at]].text);
      const at = Math.max(0, values.findIndex((level) => text(level).every((each, i) => each === asked.where[keys[i]])));
      const choose = (index) => this.choose({ where: { ...asked.where, ...Object.fromEntries(text(values[index]).map((each, i) => [keys[i], each])) } });
      const title = keys.map((key) => study.axis.get(key).short).join(", ");
      const name = `slice ${keys[0]}`;
      if (values.length <= SLIDER) {
        const control = menu(values.map((level, index) => [index, text(level).join(", ")]), at, (index) => choose(Number(index)));
        control.dataset.name = name;
        return labelled(title, control);
      }
      const slider = made("input", { type: "range", min: 0, max: values.length - 1, step: 1, autocomplete: "off" });
      slider.value = at;
      slider.dataset.name = name;
      const output = made("output", { textContent: text(values[at]).join(", ") });
      slider.setAttribute("aria-valuetext", output.textContent);
      slider.addEventListener("input", () => choose(Number(slider.value)));
      return labelled(title, made("span", { className: "slider" }, slider, output));
    }

    /** Answer the question, and draw the answer. */
    async draw() {
      const { study, asked } = this;
      const began = performance.now();
      const answers = answered(study, asked);
      this.texts(answers);
      this.width = this.live.parentElement.clientWidth || 600;
      const { spec, renderer } = description(study, asked, answers, this.width - 10);
      const figure = this.live.closest("figure");
      const turn = (this.turn = (this.turn ?? 0) + 1);
      if (!spec) {
        this.live.replaceChildren(made("p", { textContent: "No run has these values." }));
      } else {
        const inside = made("div");
        const view = await vegaEmbed(inside, spec, { ...tcphoton.options, renderer });
        if (turn !== this.turn) return view.finalize();
        this.view?.finalize();
        this.view = view;
        this.live.replaceChildren(inside);
      }
      this.live.hidden = false;
      this.live.parentElement.classList.add("shown");
      figure.dataset.took = Math.round(performance.now() - began);
      figure.dataset.drawn = "done";
      return undefined;
    }

    /** The words around a figure: what it shows, its caveats, its numbers, and its code. */
    texts(answers) {
      const { study, asked, box } = this;
      const many = isDistribution(asked);
      const called = (key) => study.axis.get(key).name;
      const names = answers.map(({ measure }) => (many ? `Distribution of ${measure === "completion" ? "completion times" : measure}` : named(asked, measure)));
      const parts = [names.join(", "), ...(many ? [] : [`against ${called(asked.x)}`]), ...(asked.by ? [`by ${called(asked.by)}`] : []), ...(asked.facet ? [`for each ${called(asked.facet)}`] : [])];
      const at = Object.entries(asked.where).map(([key, text]) => `${called(key)} = ${text}`);
      const title = parts.join(" ") + (at.length ? `; ${at.join(", ")}` : "");
      box.querySelector("figcaption").textContent = title;
      this.live.setAttribute("aria-label", title);
      const about = answers.map(({ measure }) => [measure, study.byName.get(measure)?.about]).filter(([, text]) => text);
      const doubts = answers.flatMap((answer) => told(study, answer));
      // The figure has the others in its caption, so that a picture of it has them, too.
      const mild = new Set(doubts.filter(({ kind }) => !isDoubt(study, kind)).map(({ text }) => text));
      const method = many
        ? [asked.statistic === "completions" ? "Flows of all seeds; those that had not ended are counted as Kaplan and Meier do." : "The share of the runs whose value is not larger."]
        : [asked.baseline ? `Differences to ${called(asked.by)} = ${asked.baseline}, paired by seed, with 95 % intervals.` : "With 95 % intervals over the seeds.", ...(answers.some(({ points }) => points.some((point) => point.caveats.some(({ kind }) => isDoubt(study, kind)))) ? ["Open points have a caveat."] : [])];
      const beside = study.beside(used(asked));
      if (beside.length) method.push(`These vary with it: ${beside.map(called).join(", ")}.`);
      box.querySelector(".told").replaceChildren(
        made("p", { textContent: [...method, ...about.map(([name, text]) => `${name}: ${text}.`)].join(" ") }),
        ...[...mild].map((text) => made("p", { textContent: `Note: ${text}.` })),
      );
      const { python, command } = code(study, asked);
      const [first, second] = box.querySelectorAll(".code code");
      first.textContent = python;
      second.textContent = command;
      this.table(answers);
    }

    /** The numbers of the figure. */
    table(answers) {
      const details = this.box.querySelector(".numbers");
      const fill = () => {
        const { study, asked } = this;
        const keys = [...used(asked), ...study.beside(used(asked))];
        const heads = [...keys.map((key) => study.axis.get(key).short), "measure", "value", "low", "high", "runs", "caveats"];
        const rows = answers.flatMap(({ measure, points = [], curves = [] }) => [
          ...points.map((point) => [point, measure, point.value, point.low, point.high, point.n, [...new Set(point.caveats.map((each) => each.kind))].join(", ")]),
          ...curves.flatMap((curve) => curve.steps.map((step) => [curve, measure, step.at, step.share, "", "", ""])),
        ]);
        if (isDistribution(asked)) heads.splice(keys.length + 2, 2, "share", "");
        const body = made("tbody");
        for (const [point, measure, ...cells] of rows.slice(0, ROWS)) {
          const unit = study.byName.get(measure)?.unit ?? "s";
          const texts = cells.map((cell, at) => (typeof cell === "number" ? quantity(cell, at < (isDistribution(asked) ? 1 : 3) ? unit : "") : cell));
          const line = [...keys.map((key) => study.axis.get(key).values[point.at.get(key)].text), measure, ...texts];
          body.append(made("tr", {}, ...line.map((text) => made("td", { textContent: text }))));
        }
        const head = made("thead", {}, made("tr", {}, ...heads.map((text) => made("th", { textContent: text, scope: "col" }))));
        const box = made("div", { className: "scroll", tabIndex: 0 }, made("table", {}, head, body));
        if (rows.length > ROWS) box.append(made("p", { textContent: `The first ${ROWS} of ${rows.length} rows.` }));
        details.replaceChildren(details.firstElementChild, box);
      };
      details.ontoggle = () => { if (details.open) fill(); };
      if (details.open) fill();
    }
  }

  for (const box of document.querySelectorAll(".explorer")) new Explorer(box);
})();
